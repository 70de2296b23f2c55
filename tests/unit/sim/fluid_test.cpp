#include "sim/engine/fluid.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "sim/base/error.hpp"

using namespace rackcast;

namespace {

struct Flow {
  double work = 0;
  std::vector<Usage> uses{};
  double start = 0;
  double weight = 1;
  double cap = no_cap;
  double latency = 0;
  double end = -1;
};

Process send(Engine& engine, Network& network, Flow& flow) {
  co_await engine.sleep(Duration{flow.start});
  const Activity activity{.work = flow.work,
                          .uses = flow.uses,
                          .weight = flow.weight,
                          .rate_cap = flow.cap,
                          .latency = Duration{flow.latency}};
  co_await network.run(activity);
  flow.end = engine.time().base();
}

void simulate(Engine& engine, Network& network, std::vector<Flow>& flows) {
  for (std::size_t i = 0; i < flows.size(); ++i) {
    engine.spawn("flow/" + std::to_string(i), send(engine, network, flows[i]));
  }
  engine.run();
}

Process change(Engine& engine, Network& network, ResourceId id, double when, double capacity) {
  co_await engine.sleep(Duration{when});
  network.set_capacity(id, capacity);
}

Process wait_for(Engine& engine, Network& network, ActivityId id, double& when) {
  co_await network.wait(id);
  when = engine.time().base();
}

}  // namespace

TEST_CASE("two flows on one link get half each, and the rest gets all when one is done") {
  Engine engine;
  Network network(engine);
  const ResourceId link = network.add_resource("link", Bandwidth{100});
  std::vector<Flow> flows{{.work = 100, .uses = {{link}}}, {.work = 300, .uses = {{link}}}};
  simulate(engine, network, flows);
  CHECK(flows[0].end == 2);  // 100 B at 50 B/s
  CHECK(flows[1].end == 4);  // 100 B at 50 B/s, then 200 B at 100 B/s
  CHECK(network.served(link) == doctest::Approx(400));
}

TEST_CASE("a flow that arrives later slows the first one down") {
  Engine engine;
  Network network(engine);
  const ResourceId link = network.add_resource("link", Bandwidth{100});
  std::vector<Flow> flows{{.work = 300, .uses = {{link}}}, {.work = 100, .uses = {{link}}, .start = 1}};
  simulate(engine, network, flows);
  CHECK(flows[1].end == 3);  // 1 s + 100 B at 50 B/s
  CHECK(flows[0].end == 4);  // 100 B in the first second, 100 B by 3 s, 100 B at full rate
}

TEST_CASE("weights share a link in proportion") {
  Engine engine;
  Network network(engine);
  const ResourceId link = network.add_resource("link", Bandwidth{100});
  std::vector<Flow> flows{{.work = 75, .uses = {{link}}, .weight = 3}, {.work = 75, .uses = {{link}}}};
  simulate(engine, network, flows);
  CHECK(flows[0].end == 1);    // 75 B/s
  CHECK(flows[1].end == 1.5);  // 25 B by 1 s, then 50 B at 100 B/s
}

TEST_CASE("a rate cap leaves the rest to the others") {
  Engine engine;
  Network network(engine);
  const ResourceId link = network.add_resource("link", Bandwidth{100});
  std::vector<Flow> flows{{.work = 20, .uses = {{link}}, .cap = 20}, {.work = 80, .uses = {{link}}}};
  simulate(engine, network, flows);
  CHECK(flows[0].end == 1);
  CHECK(flows[1].end == 1);
}

TEST_CASE("latency passes before the link is used") {
  Engine engine;
  Network network(engine);
  const ResourceId link = network.add_resource("link", Bandwidth{100});
  std::vector<Flow> flows{{.work = 100, .uses = {{link}}}, {.work = 100, .uses = {{link}}, .latency = 0.5}};
  simulate(engine, network, flows);
  CHECK(flows[0].end == 1.5);  // 50 B alone, 50 B at half rate
  CHECK(flows[1].end == 2);    // starts at 0.5, 50 B by 1.5, 50 B alone
}

TEST_CASE("an activity is held by the tightest of several resources of different kinds") {
  Engine engine;
  Network network(engine);
  const ResourceId disk = network.add_resource("disk", Bandwidth{2000});
  const ResourceId nic = network.add_resource("nic", Bandwidth{1000});
  const ResourceId cores = network.add_units("cores", 8);
  // One unit of work is a sample: 10 B over disk and nic, 0.1 core-seconds. disk 200/s, nic 100/s, cores
  // 80/s.
  std::vector<Flow> flows{{.work = 160, .uses = {{disk, 10}, {nic, 10}, {cores, 0.1}}}};
  simulate(engine, network, flows);
  CHECK(flows[0].end == 2);
  CHECK(network.served(disk) == doctest::Approx(1600));
  CHECK(network.served(cores) == doctest::Approx(16));
}

TEST_CASE("coefficients of a resource that is named twice add up") {
  Engine engine;
  Network network(engine);
  const ResourceId bus = network.add_resource("bus", Bandwidth{100});
  std::vector<Flow> flows{{.work = 100, .uses = {{bus}, {bus}}}};
  simulate(engine, network, flows);
  CHECK(flows[0].end == 2);
}

TEST_CASE("an exchange may load every link of a cluster") {
  Engine engine;
  Network network{engine};
  std::vector<Flow> flows{{.work = 100}, {.work = 100}};
  for (int link = 0; link < 100'000; ++link) {
    const ResourceId id = network.add_units("link", link == 77'777 ? 10 : 20);
    for (Flow& flow : flows) flow.uses.push_back({id, 1});
  }
  flows[1].uses.push_back(flows[1].uses.front());  // named twice, out of order
  simulate(engine, network, flows);
  CHECK(flows[0].end == doctest::Approx(20));
  CHECK(flows[1].end == doctest::Approx(20));
}

TEST_CASE("work without resources takes its latency, or runs at its cap") {
  Engine engine;
  Network network(engine);
  std::vector<Flow> flows{{.work = 100, .latency = 3}, {.work = 100, .cap = 50}, {.work = 0}};
  simulate(engine, network, flows);
  CHECK(flows[0].end == 3);
  CHECK(flows[1].end == 2);
  CHECK(flows[2].end == 0);
}

TEST_CASE("a capacity change acts in mid-flight, and what failed goes on when repaired") {
  Engine engine;
  Network network(engine);
  const ResourceId link = network.add_resource("link", Bandwidth{100});
  std::vector<Flow> flows{{.work = 300, .uses = {{link}}}};
  engine.spawn("degrade", change(engine, network, link, 1, 50));
  engine.spawn("fail", change(engine, network, link, 2, 0));
  engine.spawn("repair", change(engine, network, link, 5, 150));
  simulate(engine, network, flows);
  CHECK(flows[0].end == 6);  // 100 B by 1 s, 150 B by 2 s, nothing until 5 s, 150 B in the last second
}

TEST_CASE("an earlier end after a capacity rise leaves no trace in the end time of the run") {
  Engine engine;
  Network network(engine);
  const ResourceId link = network.add_resource("link", Bandwidth{1});
  std::vector<Flow> flows{{.work = 100, .uses = {{link}}}};
  engine.spawn("upgrade", change(engine, network, link, 1, 99));
  simulate(engine, network, flows);
  CHECK(engine.time().base() == 2);
}

TEST_CASE("a stalled activity is named in the deadlock report") {
  Engine engine;
  Network network(engine);
  const ResourceId link = network.add_resource("node3/nic/tx", Bandwidth{100});
  engine.spawn("fail", change(engine, network, link, 1, 0));
  std::vector<Flow> flows{{.work = 300, .uses = {{link}}}};
  CHECK_THROWS_WITH_AS(
      simulate(engine, network, flows),
      doctest::Contains("process \"flow/0\" waits for an activity with 200 of work left, stalled "
                        "on \"node3/nic/tx\""),
      Error);
}

TEST_CASE("a deadlock report names every process, twenty at most") {
  const auto report = [](std::size_t count) {
    Engine engine;
    Network network(engine);
    const ResourceId link = network.add_resource("link", Bandwidth{100});
    engine.spawn("fail", change(engine, network, link, 1, 0));
    std::vector<Flow> flows(count, Flow{.work = 300, .uses = {{link}}});
    try {
      simulate(engine, network, flows);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::internal);
      return error.message();
    }
    return std::string{};
  };
  const std::string two = report(2), many = report(1000);
  CHECK(two.starts_with("deadlock after 1 s of simulated time: no event is pending, but 2 processes wait\n"));
  CHECK(two.find("\n  process \"flow/0\" waits for ") != std::string::npos);
  CHECK(two.find("\n  process \"flow/1\" waits for ") != std::string::npos);
  CHECK(many.find("process \"flow/19\"") != std::string::npos);
  CHECK(many.find("process \"flow/20\"") == std::string::npos);
  CHECK(many.ends_with("and 980 more"));
}

TEST_CASE(
    "issue 23, item 36: an activity that ends past the clock's range is the input's doing, and names what "
    "holds it up") {
  Engine engine;  // picoseconds: 106 days
  Network network(engine);
  const ResourceId fast = network.add_resource("nic", Bandwidth{1e9});
  const ResourceId slow = network.add_resource("storage", Bandwidth{1});
  std::vector<Flow> flows{{.work = 1e9, .uses = {{fast}, {slow}}}};  // 1e9 s = 31.7 years
  try {
    simulate(engine, network, flows);
    FAIL_CHECK("no error");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::invalid_input);
    const std::string text = error.what();
    CHECK(text.find("past the end of the clock, 107 days") != std::string::npos);
    CHECK(text.find("takes 31.7 years, held up by \"storage\"") != std::string::npos);
  }
}

TEST_CASE("several may wait for one activity") {
  Engine engine;
  Network network(engine);
  const ResourceId link = network.add_resource("link", Bandwidth{100});
  const std::array<Usage, 1> uses{{{link}}};
  const ActivityId both = network.start({.work = 150, .uses = uses});
  const ActivityId other = network.start({.work = 50, .uses = uses});
  std::array<double, 3> when{};
  engine.spawn("a", wait_for(engine, network, both, when[0]));
  engine.spawn("b", wait_for(engine, network, both, when[1]));
  engine.spawn("c", wait_for(engine, network, other, when[2]));
  engine.run();
  CHECK(when == std::array<double, 3>{2, 2, 1});  // 50 B each at half rate, then 100 B alone
  CHECK(!network.in_flight(both));
  CHECK(network.served(link) == doctest::Approx(200));
}

TEST_CASE("values out of range are errors") {
  Engine engine;
  Network network(engine);
  const ResourceId link = network.add_resource("link", Bandwidth{100});
  const std::array<Usage, 1> good{{{link}}};
  const std::array<Usage, 1> negative{{{link, -1}}};
  const std::array<Usage, 1> unknown{{{ResourceId{7}}}};
  CHECK_THROWS_AS(network.start({.work = -1, .uses = good}), Error);
  CHECK_THROWS_AS(network.start({.work = 1, .uses = good, .weight = 0}), Error);
  CHECK_THROWS_AS(network.start({.work = 1, .uses = good, .rate_cap = 0}), Error);
  CHECK_THROWS_AS(network.start({.work = 1, .uses = good, .latency = Duration{-1}}), Error);
  CHECK_THROWS_AS(network.start({.work = 1, .uses = negative}), Error);
  CHECK_THROWS_AS(network.start({.work = 1, .uses = unknown}), Error);
  CHECK_THROWS_AS(network.add_resource("bad", Bandwidth{-1}), Error);
  CHECK_THROWS_AS(network.set_capacity(link, 0.0 / 0.0), Error);
}
