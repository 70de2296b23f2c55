// Laws of the fluid network over random runs: arrivals, latencies, caps, capacity changes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/base/random.hpp"
#include "sim/engine/fluid.hpp"

using namespace rackcast;

namespace {

struct Flow {
  double work;
  double start;
  double latency;
  double weight;
  double cap;
  std::vector<Usage> uses;
};

struct Change {
  double when;
  std::uint32_t resource;
  double capacity;
};

struct Case {
  std::vector<double> capacities;
  std::vector<ResourceId> twins;  ///< the network is told that these are mostly used alike
  std::vector<Flow> flows;
  std::vector<Change> changes;
};

struct Outcome {
  std::vector<double> ends;
  std::vector<double> served;
  double highest_use = 0;  ///< of any resource at any moment looked at, over its capacity
  double end = 0;
};

Case random_case(std::uint64_t seed) {
  RandomStream random(seed, "fluid");
  Case c;
  const std::uint64_t resources = 1 + random.below(12);
  for (std::uint64_t r = 0; r < resources; ++r)
    c.capacities.push_back(random.below(2) == 0 ? 100 : random.uniform(10, 500));
  const std::uint64_t flows = 1 + random.below(40);
  for (std::uint64_t f = 0; f < flows; ++f) {
    Flow flow{.work = random.below(3) == 0 ? 100 : random.uniform(1, 1000),
              .start = random.below(2) == 0 ? std::floor(random.uniform(0, 5)) : random.uniform(0, 5),
              .latency = random.below(2) == 0 ? 0 : random.uniform(0, 1),
              .weight = random.below(2) == 0 ? 1 : random.uniform(0.2, 5),
              .cap = random.below(4) == 0 ? random.uniform(5, 100) : no_cap,
              .uses = {}};
    const std::uint64_t uses = 1 + random.below(3);
    for (std::uint64_t u = 0; u < uses; ++u) {
      flow.uses.push_back(
          {{static_cast<std::uint32_t>(random.below(resources))}, random.below(2) == 0 ? 1 : 0.5});
    }
    c.flows.push_back(flow);
  }
  const std::uint64_t changes = random.below(4);
  for (std::uint64_t i = 0; i < changes; ++i) {
    const auto resource = static_cast<std::uint32_t>(random.below(resources));
    const double when = random.uniform(0, 8);
    c.changes.push_back({when, resource, random.below(2) == 0 ? 0 : random.uniform(10, 200)});
    c.changes.push_back({when + random.uniform(0, 3), resource, random.uniform(10, 200)});
  }
  return c;
}

/// Has every component solved again at the end of this instant.
void touch_all(Network& network, std::size_t resources) {
  for (std::uint32_t r = 0; r < resources; ++r) {
    const double capacity = network.capacity({r});
    network.set_capacity({r}, capacity + 1);
    network.set_capacity({r}, capacity);
  }
}

Process touch_at(Engine& engine, Network& network, Duration start, Duration latency, std::size_t resources) {
  co_await engine.sleep(start);
  co_await engine.sleep(latency);
  touch_all(network, resources);
}

Process send(Engine& engine, Network& network, const Flow& flow, double& end, std::size_t touched) {
  co_await engine.sleep(Duration{flow.start});
  co_await network.run({.work = flow.work,
                        .uses = flow.uses,
                        .weight = flow.weight,
                        .rate_cap = flow.cap,
                        .latency = Duration{flow.latency}});
  touch_all(network, touched);
  end = engine.time().base();
}

Process change(Engine& engine, Network& network, Change change) {
  co_await engine.sleep(Duration{change.when});
  network.set_capacity({change.resource}, change.capacity);
}

/// Looks every 50 ms how much passed through each resource at most.
Process watch(Engine& engine, Network& network, const Case& c, double& highest) {
  std::vector<double> before(c.capacities.size(), 0);
  for (;;) {
    co_await engine.sleep(Duration{0.05});
    for (std::uint32_t r = 0; r < c.capacities.size(); ++r) {
      double most = c.capacities[r];
      for (const Change& change : c.changes)
        most = change.resource == r ? std::max(most, change.capacity) : most;
      const double now = network.served({r});
      highest = std::max(highest, (now - before[r]) / (most * 0.05));
      before[r] = now;
    }
  }
}

Outcome simulate(const Case& c, bool full_solve = false) {
  Engine engine;
  Network network(engine);
  for (std::size_t r = 0; r < c.capacities.size(); ++r) {
    network.add_resource("r" + std::to_string(r), Bandwidth{c.capacities[r]});
  }
  network.set_twins(c.twins);
  const std::size_t touched = full_solve ? c.capacities.size() : 0;
  Outcome outcome;
  outcome.ends.resize(c.flows.size(), -1);
  for (std::size_t f = 0; f < c.flows.size(); ++f) {
    const Flow& flow = c.flows[f];
    engine.spawn("flow/" + std::to_string(f), send(engine, network, flow, outcome.ends[f], touched));
    if (full_solve)
      engine.spawn("touch", touch_at(engine, network, Duration{flow.start}, Duration{flow.latency}, touched));
  }
  for (const Change& one : c.changes) {
    engine.spawn("change", change(engine, network, one));
    if (full_solve) engine.spawn("touch", touch_at(engine, network, Duration{one.when}, {}, touched));
  }
  engine.spawn("watch", watch(engine, network, c, outcome.highest_use), {.daemon = true});
  engine.run();
  outcome.end = engine.time().base();
  for (std::uint32_t r = 0; r < c.capacities.size(); ++r) outcome.served.push_back(network.served({r}));
  return outcome;
}

constexpr double rounding = 1e-9;

/// Flows over all of some resources but a few, over a few of them alone, and over others.
Case case_of_twins(std::uint64_t seed) {
  Case c = random_case(seed);
  RandomStream random(seed, "twins");
  const auto others = static_cast<std::uint32_t>(c.capacities.size());
  const auto twins = 2 + static_cast<std::uint32_t>(random.below(10));
  for (std::uint32_t r = others; r < others + twins; ++r) {
    c.capacities.push_back(200);
    c.twins.push_back({r});
  }
  for (Flow& flow : c.flows) {
    const double usual = random.below(3) == 0 ? 0 : 1;
    std::vector<double> use(twins, usual);
    for (std::uint64_t exceptions = random.below(3); exceptions > 0; --exceptions)
      use[random.below(twins)] = random.below(3) == 0 ? 0 : random.uniform(0.1, 9);
    for (std::uint32_t r = 0; r < twins; ++r)
      if (use[r] > 0) flow.uses.push_back({{others + r}, use[r]});
  }
  return c;
}

}  // namespace

TEST_CASE("that resources are twins changes no time and nothing that passes through them") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const Case told = case_of_twins(seed);
    Case untold = told;
    untold.twins.clear();
    const Outcome with = simulate(told), without = simulate(untold);
    for (std::size_t f = 0; f < told.flows.size(); ++f)
      CHECK(with.ends[f] == doctest::Approx(without.ends[f]).epsilon(rounding));
    for (std::size_t r = 0; r < told.capacities.size(); ++r)
      CHECK(with.served[r] == doctest::Approx(without.served[r]).epsilon(rounding));
    CHECK(with.highest_use <= 1 + rounding);
  }
}

TEST_CASE("what passes through a resource is the work of those who used it, and never more than fits") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const Case c = random_case(seed);
    const Outcome outcome = simulate(c);
    std::vector<double> expected(c.capacities.size(), 0);
    for (const Flow& flow : c.flows) {
      for (const Usage& use : flow.uses) expected[use.resource.index] += use.coefficient * flow.work;
    }
    for (std::size_t r = 0; r < expected.size(); ++r) {
      CHECK(outcome.served[r] == doctest::Approx(expected[r]).epsilon(rounding));
    }
    CHECK(outcome.highest_use <= 1 + rounding);
  }
}

TEST_CASE("solving only what was touched gives the times of solving everything") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const Case c = random_case(seed);
    const Outcome touched = simulate(c);
    const Outcome full = simulate(c, true);
    for (std::size_t f = 0; f < c.flows.size(); ++f) {
      CHECK(touched.ends[f] == doctest::Approx(full.ends[f]).epsilon(rounding));
    }
  }
}

TEST_CASE("the same run twice gives the same bits") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    const Case c = random_case(seed);
    CHECK(simulate(c).ends == simulate(c).ends);
  }
}

TEST_CASE("rates times k with starts and latencies over k give times over k") {
  constexpr double k = 8;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const Case c = random_case(seed);
    Case fast = c;
    for (double& capacity : fast.capacities) capacity *= k;
    for (Flow& flow : fast.flows) {
      flow.start /= k;
      flow.latency /= k;
      flow.cap *= k;
    }
    for (Change& one : fast.changes) {
      one.when /= k;
      one.capacity *= k;
    }
    const Outcome slow_outcome = simulate(c);
    const Outcome fast_outcome = simulate(fast);
    for (std::size_t f = 0; f < c.flows.size(); ++f) {
      CHECK(fast_outcome.ends[f] * k == doctest::Approx(slow_outcome.ends[f]).epsilon(rounding));
    }
  }
}

TEST_CASE("renumbering resources and flows leaves the times alone") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const Case c = random_case(seed);
    const auto last = static_cast<std::uint32_t>(c.capacities.size() - 1);
    Case mirrored = c;
    std::reverse(mirrored.capacities.begin(), mirrored.capacities.end());
    std::reverse(mirrored.flows.begin(), mirrored.flows.end());
    for (Flow& flow : mirrored.flows) {
      for (Usage& use : flow.uses) use.resource.index = last - use.resource.index;
    }
    for (Change& one : mirrored.changes) one.resource = last - one.resource;
    const Outcome outcome = simulate(c);
    Outcome other = simulate(mirrored);
    std::reverse(other.ends.begin(), other.ends.end());
    for (std::size_t f = 0; f < c.flows.size(); ++f) {
      CHECK(outcome.ends[f] == doctest::Approx(other.ends[f]).epsilon(rounding));
    }
    CHECK(outcome.end == doctest::Approx(other.end).epsilon(rounding));
  }
}
