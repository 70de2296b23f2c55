// Several nodes measured together, each played by a thread with a driver that measures nothing: who is told
// what, and what becomes of errors. Real sockets on the loopback address; no GPU, no NCCL, no mpirun.
#include "calibrate/gpu/node_group.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <map>
#include <nlohmann/json.hpp>

#include "calibrate/gpu/gpu_experiments.hpp"
#include "sim/base/error.hpp"
#include "tests/unit/calibrate/fake_driver.hpp"
#include "tests/unit/sim/error_text.hpp"

namespace rackcast {
namespace {

bool never() {
  return false;
}

/// A leader and followers; `drivers` are those of ranks 0, 1, ...
struct Cluster {
  explicit Cluster(std::vector<std::shared_ptr<FakeDriver>> all) : drivers{std::move(all)} {
    const int size = static_cast<int>(drivers.size());
    const NetworkAddress address{"127.0.0.1", std::to_string(listener.port())};
    for (int rank = 1; rank < size; ++rank)
      followers.push_back(std::async(std::launch::async, [this, address, rank, size] {
        return error_text([&] {
          follow(drivers[static_cast<std::size_t>(rank)].get(), "", address, rank, size, Duration{10}, never);
        });
      }));
    group = NodeGroup::lead(drivers[0], listener, size, Duration{10}, never);
  }

  /// What the followers ended with; empty if well.
  std::vector<std::string> end() {
    group.reset();
    std::vector<std::string> out;
    for (auto& follower : followers) out.push_back(follower.get());
    return out;
  }

  MeasureOutcome measure_collectives() {
    double now = 0;
    GpuSuite suite = gpu_suite(group, "", Effort::quick, 1, group->gpus_of_nodes());
    std::erase_if(suite.experiments, [](const Experiment& e) { return e.about.device != "nodes"; });
    return measure(std::move(suite.experiments), {.budget = Duration{1e6}},
                   {[&] { return now += 0.01; }, never});
  }

  std::vector<std::shared_ptr<FakeDriver>> drivers;
  Listener listener{NetworkAddress{"127.0.0.1", "0"}};
  std::vector<std::future<std::string>> followers;
  std::shared_ptr<NodeGroup> group;
};

std::vector<std::shared_ptr<FakeDriver>> drivers(std::initializer_list<int> gpus) {
  std::vector<std::shared_ptr<FakeDriver>> out;
  for (const int count : gpus) {
    out.push_back(std::make_shared<FakeDriver>());
    out.back()->count = count;
  }
  return out;
}

TEST_CASE("all nodes run the same calls equally often, and the slowest counts") {
  Cluster cluster{drivers({8, 8, 4})};
  cluster.drivers[2]->seconds_each = 3e-5;
  const MeasureOutcome out = cluster.measure_collectives();
  CHECK(out.not_measured.empty());
  // five collectives, four sizes, over two and three nodes
  CHECK(out.measurements.size() == 40);
  std::map<double, double> ranks;
  for (const Measurement& m : out.measurements) {
    ranks[m.numbers.at("nodes")] = m.numbers.at("ranks");
    CHECK(m.samples[0] == doctest::Approx(m.numbers.at("nodes") == 2 ? 1e-5 : 3e-5));
    CHECK(*m.verified);
  }
  CHECK(ranks == std::map<double, double>{{2, 16}, {3, 20}});
  CHECK(cluster.end() == std::vector<std::string>{"", ""});
  CHECK(cluster.drivers[0]->repeats == cluster.drivers[1]->repeats);
  CHECK(cluster.drivers[1]->prepared == 40);
  CHECK(cluster.drivers[2]->prepared == 20);
  for (const auto& driver : cluster.drivers) CHECK(driver->alive == 0);
  CHECK(cluster.drivers[2]->tasks[0].numbers.at("ranks") == 20);
}

TEST_CASE("each node joins once for each number of nodes, at its place among the ranks") {
  Cluster cluster{drivers({8, 4, 2})};
  (void)cluster.measure_collectives();
  (void)cluster.end();
  std::string id;
  (void)cluster.drivers[0]->unique_id(id);
  const auto place = [&](std::size_t node, int ranks) {
    for (const GpuMeeting& m : cluster.drivers[node]->meetings)
      if (m.ranks == ranks) {
        CHECK(m.id == id);
        return fmt::format("{}+{}", m.first_rank, m.devices);
      }
    return std::string{"none"};
  };
  CHECK(place(0, 12) == "0+8");
  CHECK(place(1, 12) == "8+4");
  CHECK(place(2, 12) == "none");
  CHECK(place(2, 14) == "12+2");
  CHECK(cluster.drivers[1]->meetings.size() == 2);
}

TEST_CASE("an error of one node is listed with its number, and the others let go of the work") {
  Cluster cluster{drivers({2, 2})};
  cluster.drivers[1]->prepare_error = "cudaMalloc: out of memory";
  const MeasureOutcome out = cluster.measure_collectives();
  CHECK(out.measurements.empty());
  CHECK(out.not_measured[0].reason == "node 1: cudaMalloc: out of memory");
  CHECK(cluster.end() == std::vector<std::string>{""});
  CHECK(cluster.drivers[0]->alive == 0);
}

TEST_CASE("a wrong result on another node counts") {
  Cluster cluster{drivers({2, 2})};
  cluster.drivers[1]->wrong = "element 3 is 5, expected 4";
  const MeasureOutcome out = cluster.measure_collectives();
  CHECK(out.measurements.empty());
  CHECK(out.not_measured[0].reason.find("element 3 is 5") != std::string::npos);
}

TEST_CASE("a meeting that fails is not tried again") {
  Cluster cluster{drivers({2, 2})};
  cluster.drivers[1]->join_error = "ncclCommInitRank: unhandled system error";
  const MeasureOutcome out = cluster.measure_collectives();
  CHECK(out.not_measured.size() == 20);
  CHECK(out.not_measured.back().reason == "node 1: ncclCommInitRank: unhandled system error");
  (void)cluster.end();
  CHECK(cluster.drivers[1]->meetings.size() == 1);
}

/// Joins only when the test lets it.
struct Hanging : FakeDriver {
  std::promise<void> released;
  std::shared_future<void> end = released.get_future().share();
  GpuOutcome join(const GpuMeeting&) override {
    end.wait();
    return {};
  }
};

TEST_CASE("a call that hangs because another node failed in it is left alone") {
  for (const bool leader_hangs : {true, false}) {
    CAPTURE(leader_hangs);
    const auto hanging = std::make_shared<Hanging>();
    const auto failing = std::make_shared<FakeDriver>();
    failing->join_error = "cudaSetDevice: device is busy";
    const std::shared_ptr<FakeDriver> leader = leader_hangs ? hanging : failing,
                                      other = leader_hangs ? failing : hanging;
    Listener listener{NetworkAddress{"127.0.0.1", "0"}};
    const NetworkAddress address{"127.0.0.1", std::to_string(listener.port())};
    auto follower = std::async(std::launch::async, [&] {
      return error_text([&] { follow(other.get(), "", address, 1, 2, Duration{10}, never); });
    });
    auto group = NodeGroup::lead(leader, listener, 2, Duration{10}, never, Duration{0.05});
    GpuTask task{.kind = GpuTaskKind::collective, .pattern = "all_reduce"};
    task.numbers = {{"nodes", 2}, {"ranks", 2}, {"bytes", 4096}};
    std::unique_ptr<GpuWork> work;
    const GpuOutcome outcome = group->prepare(0, task, work);
    CHECK(outcome.error == (leader_hangs
                                ? "node 1: cudaSetDevice: device is busy; this node is stuck in the call"
                                : "cudaSetDevice: device is busy"));
    CHECK(outcome.fatal == leader_hangs);
    CHECK(group->stuck());
    hanging->released.set_value();  // lets its thread end
    group.reset();
    (void)follower.get();
  }
}

TEST_CASE("a node that goes away ends what needs it, and nothing else") {
  const auto all = drivers({2});
  Listener listener{NetworkAddress{"127.0.0.1", "0"}};
  const NetworkAddress address{"127.0.0.1", std::to_string(listener.port())};
  auto stranger = std::async(std::launch::async, [&] {
    // Somebody else who calls first is let go.
    { Channel::connect(address, Duration{10}, never).send({{"greeting", "hello"}}); }
    Channel channel = Channel::connect(address, Duration{10}, never);
    channel.send(
        {{"greeting", "rackcast calibrate 1"}, {"rank", 1}, {"size", 2}, {"gpus", 2}, {"error", ""}});
    (void)channel.receive();  // and goes without an answer
  });
  const auto group = NodeGroup::lead(all[0], listener, 2, Duration{10}, never);
  GpuTask task{.kind = GpuTaskKind::collective, .pattern = "all_reduce"};
  task.numbers = {{"nodes", 2}, {"ranks", 4}, {"bytes", 4096}};
  std::unique_ptr<GpuWork> work;
  CHECK(group->prepare(0, task, work).error == "node 1: the other node is gone");
  CHECK(work == nullptr);
  stranger.get();
  CHECK(group->prepare(0, task, work).error == "node 1: the other node is gone");
  task.numbers.erase("nodes");
  CHECK(group->prepare(0, task, work).error.empty());
}

TEST_CASE("a node without a GPU ends the start on both sides") {
  const auto all = drivers({2, 0});
  Listener listener{NetworkAddress{"127.0.0.1", "0"}};
  const NetworkAddress address{"127.0.0.1", std::to_string(listener.port())};
  auto other = std::async(std::launch::async, [&] {
    return error_text([&] { follow(all[1].get(), "", address, 1, 2, Duration{10}, never); });
  });
  CHECK(error_text([&] {
          NodeGroup::lead(all[0], listener, 2, Duration{10}, never);
        }).find("node 1: no GPU") != std::string::npos);
  CHECK(other.get().find("no GPU") != std::string::npos);
}

TEST_CASE("who does not come is waited for and then reported") {
  const auto all = drivers({2});
  Listener listener{NetworkAddress{"127.0.0.1", "0"}};
  CHECK(error_text([&] {
          NodeGroup::lead(all[0], listener, 3, Duration{0.1}, never);
        }).find("2 of 3 nodes did not come") != std::string::npos);
  const int port = listener.port();
  CHECK(error_text([&] {
          Listener{NetworkAddress{"127.0.0.1", std::to_string(port)}};
        }).find("cannot listen") != std::string::npos);
}

TEST_CASE("addresses and launchers") {
  CHECK(NetworkAddress::parse("node01:29500").host == "node01");
  CHECK(NetworkAddress::parse("[::1]:1").host == "::1");
  for (const char* bad : {"node01", ":1", "node01:", "node01:x", "node01:65536", "node01:123456"})
    CHECK_THROWS_AS(NetworkAddress::parse(bad), Error);
  std::map<std::string, std::string> variables;
  const auto launched = [&] {
    return launched_as([&](const char* name) {
      const auto at = variables.find(name);
      return at == variables.end() ? nullptr : at->second.c_str();
    });
  };
  CHECK_FALSE(launched());
  variables = {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}};  // a batch script, not a step
  CHECK_FALSE(launched());
  variables["SLURM_STEP_NUM_TASKS"] = "4";
  variables["SLURM_STEP_TASKS_PER_NODE"] = "1(x4)";
  CHECK(launched()->size == 4);
  CHECK(launched()->local_size == 1);
  variables = {
      {"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
  CHECK(launched()->rank == 3);
  CHECK(launched()->local_size == 2);
  variables["OMPI_COMM_WORLD_RANK"] = "4";
  CHECK_THROWS_AS(launched(), Error);
  variables = {{"PMI_RANK", "1"}, {"PMI_SIZE", "x"}};
  CHECK_FALSE(launched());
}

}  // namespace
}  // namespace rackcast
