// The file of `simulate --trace` against the rules of the Trace Event Format (Google, 2016), as strictly as a
// viewer may read it.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/input_file.hpp"
#include "sim/json/reader.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

namespace {

/// Reads events one by one and says what is wrong with each.
class Checker {
 public:
  void check(const Json& event) {
    const std::string& phase = event.require("ph").string();
    const std::int64_t process = event.require("pid").integer();
    if (phase == "M") return name(event, process);
    const Lane lane{process, event.require("tid").integer()};
    const double time = event.require("ts").number();
    CHECK(time >= last_);  // in the order of time
    last_ = time;
    CHECK(processes_.contains(process));  // named, and before it is used
    CHECK(lanes_.contains(lane));
    CHECK_FALSE(event.require("name").string().empty());
    CHECK_FALSE(event.require("cat").string().empty());
    if (phase == "B" || phase == "E") return box(event, lane, phase == "B");
    if (phase == "C") return counter(event);
    if (phase == "b" || phase == "e") return flow(event, phase == "b", process, time);
    FAIL("a phase that the format does not know: ", phase);
  }

  void finish() const {
    CHECK(open_.empty());  // every begin has its end
    for (const auto& [lane, open] : boxes_of_) CHECK(open.empty());
    CHECK(boxes_ > 0);
    CHECK(counters_ > 0);
    CHECK(orders_.size() == processes_.size());
    CHECK(lane_orders_.size() == lanes_.size());
  }
  /// Boxes that may overlap others.
  [[nodiscard]] int flows() const { return flows_; }
  [[nodiscard]] bool has_lane(const std::string& process, const std::string& lane) const {
    for (const auto& [id, words] : lanes_) {
      if (words == lane && processes_.at(id.first) == process) return true;
    }
    return false;
  }

 private:
  using Lane = std::pair<std::int64_t, std::int64_t>;

  /// A box by the words that viewers pair its two ends by. Details are absent rather than empty.
  static std::string words_of(const Json& event) {
    std::string words = event.require("name").string();
    if (const Json* args = event.find("args")) {
      CHECK_FALSE(args->object().empty());
      for (const auto& [key, value] : args->object())
        words += " " + key + "=" +
                 (value.kind() == JsonKind::string ? value.string() : std::to_string(value.number()));
    }
    return words;
  }

  void name(const Json& event, std::int64_t process) {
    const std::string& kind = event.require("name").string();
    if (kind == "process_sort_index") {
      CHECK(processes_.contains(process));
      CHECK(orders_.insert(event.require("args").require("sort_index").integer()).second);
      return;
    }
    if (kind == "thread_sort_index") {
      CHECK(lanes_.contains(Lane{process, event.require("tid").integer()}));
      CHECK(lane_orders_.insert(event.require("args").require("sort_index").integer()).second);
      return;
    }
    const std::string& words = event.require("args").require("name").string();
    CHECK_FALSE(words.empty());
    if (kind == "process_name") {
      CHECK(processes_.emplace(process, words).second);  // one name each
    } else {
      CHECK(kind == "thread_name");
      CHECK(processes_.contains(process));
      CHECK(lanes_.emplace(Lane{process, event.require("tid").integer()}, words).second);
    }
  }

  /// Boxes of one lane nest or follow each other: an end closes the box that was opened last.
  void box(const Json& event, const Lane& lane, bool begins) {
    const std::string name = words_of(event);
    std::vector<std::string>& open = boxes_of_[lane];
    if (begins) {
      open.push_back(name);
      ++boxes_;
      return;
    }
    REQUIRE_FALSE(open.empty());
    CHECK(open.back() == name);
    open.pop_back();
  }

  void counter(const Json& event) {
    const double share = event.require("args").require("value").number();
    CHECK(share >= 0);
    CHECK(share <= 1 + 1e-9);
    ++counters_;
  }

  /// Async events are joined by category, id and process.
  void flow(const Json& event, bool begins, std::int64_t process, double time) {
    const std::string key = std::to_string(process) + "/" + event.require("cat").string() + "/" +
                            std::to_string(event.require("id").integer());
    if (begins) {
      CHECK(open_.emplace(key, std::pair{words_of(event), time}).second);
    } else {
      REQUIRE(open_.contains(key));
      CHECK(open_[key].first == words_of(event));
      CHECK(open_[key].second <= time);
      open_.erase(key);
    }
    ++flows_;
  }

  double last_ = 0;
  int boxes_ = 0, flows_ = 0, counters_ = 0;
  std::set<std::int64_t> orders_, lane_orders_;
  std::map<std::int64_t, std::string> processes_;
  std::map<Lane, std::string> lanes_;
  std::map<Lane, std::vector<std::string>> boxes_of_;
  std::map<std::string, std::pair<std::string, double>> open_;
};

}  // namespace

TEST_CASE("a trace keeps the rules of its format and has names that people know") {
  const TemporaryFolder folder;
  // All-reduces follow each other on one lane; what parameter servers exchange at once has none.
  for (const bool servers : {false, true}) {
    CAPTURE(servers);
    const std::string set =
        servers ? R"( --set 'workloads.0.exchange={"strategy": "parameter_server"}')" : "";
    CHECK(run("simulate scenarios/storage_bound_site.json" + set + " --trace " + folder / "t.json").code ==
          0);
    const Json trace = parse_json(read_file(folder / "t.json"), "t.json");
    const std::string& unit = trace.require("displayTimeUnit").string();
    CHECK((unit == "ms" || unit == "ns"));
    Checker checker;
    for (const Json& event : trace.require("traceEvents").array()) checker.check(event);
    checker.finish();
    CHECK((checker.flows() > 0) == servers);
    CHECK(checker.has_lane("Node 0, GPU 0", "compute stream"));
    CHECK(checker.has_lane("Node 0, GPU 0", "communication stream") == !servers);
    CHECK(checker.has_lane("Node 0, host", "data loader"));
    CHECK(checker.has_lane("Critical path", "what sets the time"));
  }
}
