// Steps that were recorded: what is read of their files, and what is refused.
#include "models/recorded/recorded_step.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "models/recorded/chakra_file.hpp"
#include "models/recorded/kineto_file.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"
#include "sim/base/input_file.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

namespace rackcast {
namespace {

const std::string kineto = std::string{RACKCAST_SOURCE_DIR} + "/tests/data/traces/kineto_two_gpus.json";

RecordedTask kernel_of_record(std::uint64_t id, double seconds, std::vector<std::size_t> after = {}) {
  RecordedTask out;
  out.id = id;
  out.name = "forward: kernel " + std::to_string(id);
  out.time = Duration{seconds};
  out.queue = "kernels";
  out.after = std::move(after);
  return out;
}

/// Two ranks that each compute, sum 8 MB and update.
RecordedStep small_record() {
  RecordedStep step;
  step.world = 2;
  step.groups["pair"] = {0, 1};
  for (int r = 0; r < 2; ++r) {
    RecordedRank& rank = step.ranks.emplace_back();
    rank.rank = r;
    rank.tasks.push_back(kernel_of_record(3, 1e-3 * (r + 1)));
    rank.tasks.back().flop = Flop{1e9};
    rank.tasks.back().traffic = Bytes{1e6};
    RecordedTask& sum = rank.tasks.emplace_back();
    sum.id = 4;
    sum.name = "sum";
    sum.kind = RecordedKind::collective;
    sum.payload = Bytes{8e6};
    sum.group = "pair";
    sum.queue = "collectives of group pair";
    sum.after = {0};
    rank.tasks.push_back(kernel_of_record(5, 1e-3, {0, 1}));
  }
  return step;
}

/// The files of the record, with what `change` makes of the bytes of the last one.
template <class Change>
std::vector<std::string> written(const TemporaryFolder& folder, const RecordedStep& step, Change change) {
  std::vector<std::string> out;
  auto files = chakra_files(step);
  files.back().second = change(files.back().second);
  for (const auto& [name, bytes] : files) {
    out.push_back(folder / name);
    write_file_atomically(out.back(), bytes);
  }
  return out;
}

std::string unchanged(const std::string& bytes) {
  return bytes;
}

}  // namespace

TEST_CASE("what is written as Chakra traces is read again") {
  const TemporaryFolder folder;
  const RecordedStep before = small_record(), after = read_chakra(written(folder, before, unchanged));
  CHECK(after.world == 2);
  CHECK(after.groups == before.groups);
  REQUIRE(after.ranks.size() == 2);
  for (std::size_t r = 0; r < 2; ++r) {
    CHECK(after.ranks[r].rank == before.ranks[r].rank);
    REQUIRE(after.ranks[r].tasks.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      const RecordedTask &a = after.ranks[r].tasks[i], &b = before.ranks[r].tasks[i];
      CHECK(a.id == b.id);
      CHECK(a.name == b.name);
      CHECK(a.kind == b.kind);
      CHECK(a.time == b.time);
      CHECK(a.flop == b.flop);
      CHECK(a.traffic == b.traffic);
      CHECK(a.payload == b.payload);
      CHECK(a.group == b.group);
      CHECK(a.queue == b.queue);
      CHECK(a.after == b.after);
    }
  }
}

TEST_CASE("a Chakra trace that is broken says what is wrong, and where") {
  const TemporaryFolder folder;
  const auto fault = [&](const RecordedStep& step, auto change) -> std::string {
    try {
      (void)read_chakra(written(folder, step, change));
    } catch (const Error& e) {
      CHECK(e.kind() == ErrorKind::invalid_input);
      return e.what();
    }
    return "no error";
  };
  const auto holds = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  const RecordedStep good = small_record();
  int whole = 0;
  for (std::size_t length = 1; length < chakra_files(good).back().second.size(); ++length)
    if (fault(good, [&](const std::string& bytes) { return bytes.substr(0, length); }) == "no error") ++whole;
  CHECK(whole == 1);  // without the last node, the file is one of a shorter step
  holds(fault(good, [](const std::string&) { return std::string{"\x1f\x8b 123"}; }), "gunzip");
  holds(fault(good, [](const std::string&) { return std::string{}; }), "no node");
  RecordedStep step = good;
  step.ranks[1].tasks[1].payload = Bytes{9e6};
  holds(fault(step, unchanged), "collective 1 of group \"pair\" is all_reduce of 9000000 bytes");
  step = good;
  step.ranks[1].tasks.pop_back();
  step.ranks[1].tasks.pop_back();
  holds(fault(step, unchanged), "0 collectives of group \"pair\", and 1");
  step = good;
  step.ranks.pop_back();
  step.world = 1;
  step.groups.clear();
  step.ranks[0].tasks[1].group.clear();
  holds(fault(step, unchanged), "stands for one rank, and has collectives");
  step = good;
  step.ranks[1].rank = 0;
  holds(fault(step, unchanged), "et.0.et");
  step = good;
  step.groups["pair"] = {0, 7};
  holds(fault(step, unchanged), "rank 7 of 2 ranks");
  step = good;
  step.ranks[0].tasks[1].kind = RecordedKind::send;
  step.ranks[0].tasks[1].peer = 1;
  step.ranks[1].tasks[1].kind = RecordedKind::send;
  holds(fault(step, unchanged), "which receives 0");
}

TEST_CASE(
    "a Chakra trace as the converter of PyTorch traces writes it: the host's nodes, callers and streams") {
  const RecordedStep step =
      read_chakra({std::string{RACKCAST_SOURCE_DIR} + "/tests/data/traces/chakra_four_ranks.et"});
  CHECK(step.world == 4);
  CHECK_FALSE(step.is_data_parallel());
  const auto& tasks = step.ranks.front().tasks;
  REQUIRE(tasks.size() == 9);
  CHECK(tasks[0].kind == RecordedKind::host);
  CHECK(tasks[2].queue == "kernels of stream 7");
  CHECK(tasks[2].phase == RecordedPhase::forward);
  CHECK(tasks[4].phase == RecordedPhase::backward);
  CHECK(tasks[5].operation == Collective::reduce_scatter);
  CHECK(tasks[5].group == "pair");
  CHECK(tasks[6].group.empty());
  CHECK(tasks[8].phase == RecordedPhase::optimizer);
  CHECK(read_chakra({std::string{RACKCAST_SOURCE_DIR} + "/tests/data/traces/chakra_four_ranks.et"}, {}, 8)
            .world == 8);
}

TEST_CASE("nodes of a trace are put in order, and a circle is refused") {
  RecordedRank rank;
  rank.file = "et.0.et";
  for (const std::uint64_t id : {7U, 8U, 9U}) rank.tasks.push_back(kernel_of_record(id, 1e-3));
  RecordedRank again = rank;
  set_order(rank, {{9}, {}, {8}}, {0, 0, 0});
  CHECK(rank.tasks[0].id == 8);
  CHECK(rank.tasks[1].id == 9);
  CHECK(rank.tasks[2].id == 7);
  CHECK(rank.tasks[2].after == std::vector<std::size_t>{1});
  RecordedRank third = again;
  CHECK_THROWS_WITH_AS(set_order(again, {{9}, {}, {7}}, {0, 0, 0}), doctest::Contains("holds up 2 nodes"),
                       Error);
  CHECK_THROWS_WITH_AS(set_order(third, {{4}, {}, {}}, {0, 0, 0}),
                       doctest::Contains("waits for node 4, which the file does not have"), Error);
}

TEST_CASE("a trace of PyTorch's profiler: the last step, its queues, parts and waits") {
  const RecordedStep step = read_kineto({kineto});
  CHECK(step.world == 2);
  CHECK(step.is_data_parallel());
  REQUIRE(step.ranks.size() == 1);
  const auto& tasks = step.ranks.front().tasks;
  std::vector<const RecordedTask*> on_gpu;
  Duration host{0};
  for (const RecordedTask& task : tasks) {
    if (task.kind == RecordedKind::host)
      host += task.time;
    else
      on_gpu.push_back(&task);
  }
  // 205 us until the last launch, 105 us behind it without the 690 us of waiting for the GPU.
  CHECK(host.base() == doctest::Approx(310e-6));
  REQUIRE(on_gpu.size() == 8);
  CHECK(on_gpu[0]->name.starts_with("Memcpy"));
  CHECK(on_gpu[1]->matrix);
  CHECK_FALSE(on_gpu[2]->matrix);
  CHECK(on_gpu[3]->phase == RecordedPhase::backward);
  CHECK(on_gpu[4]->kind == RecordedKind::collective);
  CHECK(on_gpu[4]->payload.base() == doctest::Approx(20e6));
  CHECK(on_gpu[4]->group.empty());
  CHECK(on_gpu[7]->phase == RecordedPhase::optimizer);
  const auto waits_for = [&](const RecordedTask* task, const RecordedTask* before) {
    return std::ranges::any_of(task->after, [&](std::size_t i) { return &tasks[i] == before; });
  };
  CHECK(waits_for(on_gpu[4], on_gpu[3]));
  CHECK_FALSE(waits_for(on_gpu[5], on_gpu[4]));  // back-propagation goes on
  CHECK(waits_for(on_gpu[6], on_gpu[5]));
  CHECK(waits_for(on_gpu[7], on_gpu[6]));
}

TEST_CASE("a file that is no trace of PyTorch's profiler is refused") {
  const TemporaryFolder folder;
  const std::string file = folder / "trace.json";
  const auto refused = [&](std::string text, const char* part) {
    write_file_atomically(file, text);
    CHECK_THROWS_WITH_AS((void)read_kineto({file}), doctest::Contains(part), Error);
  };
  refused("{}", "\"traceEvents\" is missing");
  refused(R"({"traceEvents": []})", "no kernel that was launched in the step");
  refused(R"({"traceEvents": [5]})", "an event is an object");
  refused(R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": -1, "args": {}}]})",
          "negative length");
  std::string text = read_file(kineto);
  refused(text.substr(0, text.size() / 2), "the text ends inside");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    for (std::size_t at = 0; (at = changed.find(from, at)) != std::string::npos; at += to.size())
      changed.replace(at, from.size(), to);
    REQUIRE(changed != text);
    return changed;
  };
  refused(with("\"Collective name\": \"allreduce\", ", ""), "does not say what it exchanges");
  refused(with("\"allreduce\"", "\"gather\""), "has no model");
  refused(with("\"dtype\": \"Float\"", "\"dtype\": \"Fancy\""), "whose width is unknown");
}

}  // namespace rackcast
