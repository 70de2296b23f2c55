// The leader: what it asks of the other nodes.
#include "calibrate/gpu/node_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "calibrate/gpu/node_messages.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

using nlohmann::json;

GpuOutcome outcome_of(const json& answer) {
  return {answer.value("error", "a broken answer"), answer.value("fatal", false)};
}

double seconds_of(const json& answer) {
  const double seconds = answer.at("seconds").get<double>();
  if (!(seconds >= 0 && seconds <= most_seconds)) throw Error{"a time that is none"};
  return seconds;
}

/// An NCCL id is bytes; JSON is text.
std::string to_hex(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

struct Node {
  std::unique_ptr<Channel> channel;
  std::string gone;  ///< why it is asked no more
};

using Clock = std::chrono::steady_clock;

/// Our part of a call, beside the talk with the others: it may hang in NCCL when another node fails, and is
/// then left alone. What `work` uses belongs to it, and is let go of before the outcome is known.
class OwnPart {
 public:
  explicit OwnPart(std::function<GpuOutcome()> work) {
    std::promise<GpuOutcome> promise;
    outcome_ = promise.get_future().share();
    std::thread{[work = std::move(work), promise = std::move(promise)]() mutable {
      GpuOutcome outcome = work();
      work = nullptr;
      promise.set_value(std::move(outcome));
    }}.detach();
  }
  [[nodiscard]] bool done_by(Clock::time_point end) const {
    return outcome_.wait_until(end) == std::future_status::ready;
  }
  [[nodiscard]] bool failed() const { return done_by(Clock::now()) && !outcome_.get().error.empty(); }
  [[nodiscard]] GpuOutcome outcome() const { return outcome_.get(); }

 private:
  std::shared_future<GpuOutcome> outcome_;
};

/// The nodes of a group and what they are asked together. Node 0 is the leader itself.
class Nodes {
 public:
  Nodes(std::vector<Node> nodes, Duration grace)
      : nodes_{std::move(nodes)},
        grace_{std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(grace.base()))} {}

  /// Sends to nodes 1 ... count-1, does `own`, and takes the answers. The first error counts; who has not
  /// answered a while after it hangs, and so do we.
  GpuOutcome together(int count, const json& message, std::function<GpuOutcome()> own,
                      const std::function<void(const json&)>& answer = {}) {
    for (int i = 1; i < count; ++i)
      if (const std::string& gone = at(i).gone; !gone.empty())
        return {fmt::format("node {}: {}", i, gone), false};
    for (int i = 1; i < count; ++i) guarded(i, [&](Channel& channel) { channel.send(message); });
    const OwnPart ours{std::move(own)};
    const std::string theirs = answers(count, ours, answer);
    if (!theirs.empty() && !ours.done_by(Clock::now() + grace_)) {
      stuck_ = true;
      return {theirs + "; this node is stuck in the call", true};
    }
    GpuOutcome outcome = ours.outcome();
    if (outcome.error.empty()) outcome.error = theirs;
    return outcome;
  }
  [[nodiscard]] bool stuck() const { return stuck_; }

  void end() {
    for (int i = 1; i < size(); ++i)
      if (at(i).gone.empty()) guarded(i, [](Channel& channel) { channel.send({{"do", "end"}}); });
  }
  [[nodiscard]] int size() const { return static_cast<int>(nodes_.size()); }

 private:
  /// The first error, empty if all went well. Looks at all in turn: one may wait for another that has failed.
  std::string answers(int count, const OwnPart& ours, const std::function<void(const json&)>& answer) {
    std::string first;
    std::optional<Clock::time_point> end;
    std::vector<int> waiting(static_cast<std::size_t>(std::max(0, count - 1)));
    std::iota(waiting.begin(), waiting.end(), 1);
    while (!waiting.empty()) {
      std::erase_if(waiting, [&](int i) {
        const auto error = answer_of(i, answer);
        if (error && !error->empty() && first.empty()) first = fmt::format("node {}: {}", i, *error);
        return error.has_value();
      });
      if (!end && (!first.empty() || ours.failed())) end = Clock::now() + grace_;
      if (!end || Clock::now() < *end) continue;
      for (const int i : waiting) at(i).gone = "is stuck since another node failed";
      stuck_ = true;
      break;
    }
    return first;
  }

  /// Nothing if it has not answered yet; else its error, empty if it has none.
  std::optional<std::string> answer_of(int i, const std::function<void(const json&)>& answer) {
    std::optional<std::string> error;
    guarded(i, [&](Channel& channel) {
      if (!channel.ready(Duration{0.005})) return;
      const json reply = channel.receive();
      error = outcome_of(reply).error;
      if (error->empty() && answer) answer(reply);
    });
    return at(i).gone.empty() ? error : at(i).gone;
  }

  Node& at(int i) { return nodes_[static_cast<std::size_t>(i)]; }
  template <class Talk>
  void guarded(int i, Talk talk) {
    try {
      if (at(i).gone.empty()) talk(*at(i).channel);
    } catch (const std::exception& e) {
      const auto* known = dynamic_cast<const Error*>(&e);
      at(i).gone = known ? known->message() : e.what();
    }
  }

  std::vector<Node> nodes_;
  Clock::duration grace_;
  bool stuck_ = false;
};

/// The leader's own piece of the work, and its driver: a call that hangs keeps both.
struct OwnWork {
  std::shared_ptr<GpuDriver> driver;
  std::unique_ptr<GpuWork> work;  ///< goes before its driver
};

class GroupWork : public GpuWork {
 public:
  GroupWork(std::shared_ptr<Nodes> nodes, int count, std::shared_ptr<OwnWork> own)
      : nodes_{std::move(nodes)}, count_{count}, own_{std::move(own)} {}
  GroupWork(const GroupWork&) = delete;
  GroupWork& operator=(const GroupWork&) = delete;
  ~GroupWork() override {
    (void)nodes_->together(count_, {{"do", "drop"}}, [] { return GpuOutcome{}; });
  }

  /// The time of the slowest node.
  GpuOutcome run(int repeats, double& seconds) override {
    double slowest = 0;
    const auto ours = std::make_shared<double>(0);
    GpuOutcome outcome = nodes_->together(
        count_, {{"do", "run"}, {"repeats", repeats}},
        [own = own_, ours, repeats] { return own->work->run(repeats, *ours); },
        [&](const json& answer) { slowest = std::max(slowest, seconds_of(answer)); });
    if (outcome.error.empty()) seconds = std::max(*ours, slowest);
    return outcome;
  }
  GpuOutcome verify(std::string& wrong) override {
    std::string theirs;
    const auto ours = std::make_shared<std::string>();
    GpuOutcome outcome = nodes_->together(
        count_, {{"do", "verify"}}, [own = own_, ours] { return own->work->verify(*ours); },
        [&](const json& answer) { theirs = theirs.empty() ? answer.value("wrong", "") : theirs; });
    if (outcome.error.empty()) wrong = ours->empty() ? theirs : *ours;
    return outcome;
  }
  [[nodiscard]] bool verifies() const override { return own_->work->verifies(); }
  [[nodiscard]] std::map<std::string, std::string> labels() const override { return own_->work->labels(); }

 private:
  std::shared_ptr<Nodes> nodes_;
  int count_;
  std::shared_ptr<OwnWork> own_;
};

class Leader : public NodeGroup {
 public:
  Leader(std::shared_ptr<GpuDriver> local, std::vector<Node> nodes, std::vector<int> gpus, Duration grace)
      : local_{std::move(local)},
        nodes_{std::make_shared<Nodes>(std::move(nodes), grace)},
        gpus_{std::move(gpus)} {}
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;
  ~Leader() override { nodes_->end(); }

  [[nodiscard]] const std::vector<int>& gpus_of_nodes() const override { return gpus_; }
  [[nodiscard]] bool stuck() const override { return nodes_->stuck(); }
  GpuOutcome devices(std::vector<GpuFacts>& out) override { return local_->devices(out); }
  GpuReading read(int device) override { return local_->read(device); }
  [[nodiscard]] bool has(GpuTaskKind kind) const override { return local_->has(kind); }
  GpuOutcome unique_id(std::string& out) override { return local_->unique_id(out); }
  GpuOutcome join(const GpuMeeting& meeting) override { return local_->join(meeting); }

  GpuOutcome prepare(int device, const GpuTask& task, std::unique_ptr<GpuWork>& out) override {
    const auto number = task.numbers.find("nodes");
    if (number == task.numbers.end() || number->second < 2) return local_->prepare(device, task, out);
    const int count = static_cast<int>(number->second);
    if (count > nodes_->size()) return {"there are fewer nodes", false};
    if (GpuOutcome met = meet(count); !met.error.empty()) return met;
    const auto own = std::make_shared<OwnWork>();
    own->driver = local_;
    const json message{
        {"do", "prepare"}, {"pattern", task.pattern}, {"numbers", task.numbers}, {"seed", task.seed}};
    GpuOutcome outcome = nodes_->together(
        count, message, [own, device, task] { return own->driver->prepare(device, task, own->work); });
    // Owned in any case: letting go of it tells the others to let go of theirs.
    auto work = std::make_unique<GroupWork>(nodes_, count, own);
    if (outcome.error.empty()) out = std::move(work);
    return outcome;
  }

 private:
  /// Once for each number of nodes; a meeting that failed is not tried again.
  GpuOutcome meet(int count) {
    if (const auto at = met_.find(count); at != met_.end()) return at->second;
    GpuMeeting meeting;
    GpuOutcome outcome = local_->unique_id(meeting.id);
    if (outcome.error.empty()) {
      meeting.ranks = std::accumulate(gpus_.begin(), gpus_.begin() + count, 0);
      meeting.devices = gpus_.front();
      const json message{{"do", "join"},
                         {"id", to_hex(meeting.id)},
                         {"gpus", std::vector<int>(gpus_.begin(), gpus_.begin() + count)}};
      outcome = nodes_->together(count, message, [local = local_, meeting] { return local->join(meeting); });
    }
    return met_[count] = outcome;
  }

  std::shared_ptr<GpuDriver> local_;
  std::shared_ptr<Nodes> nodes_;
  std::vector<int> gpus_;
  std::map<int, GpuOutcome> met_;
};

/// One who calls is one of ours if it greets; anything else is let go.
struct Arrival {
  int rank = 0, gpus = 0;
  std::string error;
};
std::optional<Arrival> greeted(Channel& channel, int size) {
  try {
    const json hello = channel.receive(Duration{5});
    if (hello.value("greeting", "") != node_greeting) return std::nullopt;
    (void)whole_number(hello, "size", size, size);
    return Arrival{static_cast<int>(whole_number(hello, "rank", 1, size - 1)),
                   static_cast<int>(whole_number(hello, "gpus", 0, most_gpus_of_node)),
                   hello.value("error", "")};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

NodeGroup::~NodeGroup() = default;

std::shared_ptr<NodeGroup> NodeGroup::lead(std::shared_ptr<GpuDriver> local, Listener& listener, int size,
                                           Duration patience, const std::function<bool()>& interrupted,
                                           Duration grace) {
  std::vector<Node> nodes(static_cast<std::size_t>(size));
  std::vector<int> gpus(nodes.size(), 0);
  std::string reason;
  gpus[0] = usable_gpus(local.get(), reason);
  if (gpus[0] == 0) throw Error{"node 0: " + (reason.empty() ? std::string{"no GPU"} : reason)};
  int missing = size - 1;
  for (double waited = 0; missing > 0; waited += 0.2) {
    if (interrupted()) throw Error{"interrupted while waiting for the other nodes"};
    if (waited > patience.base())
      throw Error{fmt::format("{} of {} nodes did not come", missing, size),
                  {},
                  "every process needs the same --leader, and the port must be open between the nodes"};
    std::unique_ptr<Channel> channel = listener.accept(Duration{0.2});
    if (!channel) continue;
    const auto arrival = greeted(*channel, size);
    if (!arrival || nodes[static_cast<std::size_t>(arrival->rank)].channel) continue;
    if (arrival->gpus < 1) throw Error{fmt::format("node {}: {}", arrival->rank, arrival->error)};
    gpus[static_cast<std::size_t>(arrival->rank)] = arrival->gpus;
    nodes[static_cast<std::size_t>(arrival->rank)].channel = std::move(channel);
    --missing;
  }
  return std::make_shared<Leader>(std::move(local), std::move(nodes), std::move(gpus), grace);
}

}  // namespace rackcast
