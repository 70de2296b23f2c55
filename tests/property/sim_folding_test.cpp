// Folded against in full, event by event: random programs, real nodes and fat-trees, symmetric and with
// defects. The marks of every actor must agree within 1e-9 of the time.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "models/collectives/cluster.hpp"
#include "sim/base/random.hpp"
#include "sim/program/simulation.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

constexpr double tolerance = 1e-9;

std::uint32_t pick(RandomStream& random, std::size_t below) {
  return static_cast<std::uint32_t>(random.below(below));
}

/// The worst relative difference of any mark; infinite if there are not the same marks.
double difference(const FlowProgram& program, const ProgramResult& a, const ProgramResult& b) {
  double worst = 0;
  for (std::uint32_t i = 0; i < program.actors.size(); ++i) {
    const std::vector<Mark> x = a.marks(i);
    const std::vector<Mark> y = b.marks(i);
    if (x.size() != y.size()) return no_cap;
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (x[k].label != y[k].label) return no_cap;
      const double apart = std::abs(static_cast<double>(x[k].time.ticks - y[k].time.ticks));
      worst = std::max(worst, apart / static_cast<double>(std::max<std::int64_t>(1, y[k].time.ticks)));
    }
  }
  return worst;
}

/// Runs both and compares; gives the folded run.
ProgramResult check_folding(const FlowProgram& program) {
  ProgramOptions in_full;
  in_full.fold_space = in_full.fold_time = false;
  const ProgramResult full = simulate(program, in_full);
  ProgramResult folded = simulate(program);
  CHECK(difference(program, folded, full) <= tolerance);
  CHECK(folded.end.base() == doctest::Approx(full.end.base()).epsilon(tolerance));
  CHECK(folded.cells <= full.cells);
  return folded;
}

/// `members` ranks with a port each, in groups that share a trunk, on a ring or paired; loaders beside them;
/// a barrier at the end of each lap, which takes its time.
FlowProgram random_program(RandomStream& random) {
  FlowProgram p;
  const std::uint32_t groups = 1 + pick(random, 4);
  const std::uint32_t size = 1 + pick(random, 5);
  const std::uint32_t n = groups * size;
  const std::uint32_t steps = 1 + pick(random, 5);
  // A read takes a part of its rank's port, however fast it is.
  const double held = random.below(2) == 0 ? 0 : 0.25;
  const std::uint32_t port = p.add_resources("port", n, 100, held).index;
  const std::uint32_t trunk = p.add_resources("trunk", groups, random.below(2) == 0 ? 1000 : 120).index;
  const std::uint32_t disk = p.add_resources("disk", 1, random.uniform(50, 500)).index;
  const double share = random.below(2) == 0 ? 1.0 : 1.0 / 3;
  Script script("rank");
  script.repeat(3 + random.below(20), true).wait(2).signal(2).sleep(0, "compute").mark(0);
  script.repeat(steps, true).flow(0, "chunk").signal(0).wait(0).mark(1).end();
  script.signal(1).wait(1).mark(2).end();
  const std::uint32_t rank = p.add_script(script);
  const std::uint32_t load =
      p.add_script(Script("loader").repeat(forever).wait(0).flow(0).signal(0).end().permits(0, 2).daemon());
  // The barrier takes two times in turn: if they differ, two laps are a period.
  Script barriers("barrier");
  barriers.repeat(forever).wait(0, n).sleep(0).signal(0).wait(0, n).sleep(1).signal(0).end().daemon();
  const std::uint32_t meet = p.add_script(barriers);
  const std::uint32_t compute = p.add_duration(Duration{random.uniform(0.01, 0.2)});
  const std::uint32_t pause = p.add_duration(0.1 * p.durations[compute]);
  p.add_duration(p.durations[pause] * (random.below(2) == 0 ? 1.0 : 1.5));
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t to = (i + 1) % n;
    std::vector<Usage> way{{{port + i}, 1}, {{port + to}, share}};
    if (i / size != to / size) way.push_back({{trunk + i / size}, 1});
    p.add_actor({.script = rank,
                 .first_duration = compute,
                 .first_flow = p.add_flow({.work = 10, .latency = Duration{1e-3}}, way),
                 .number = i});
    p.add_signal({.from = i, .slot = 0, .to = to, .channel = 0});
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::array<Usage, 2> read{{{{disk}, 1}, {{trunk + i / size}, 1}}};
    const std::array<ResourceId, 1> holds{{{port + i}}};
    const std::uint32_t loader =
        p.add_actor({.script = load, .first_flow = p.add_flow({.work = 3}, read, holds), .number = i});
    p.add_signal({.from = loader, .slot = 0, .to = i, .channel = 2});
    p.add_signal({.from = i, .slot = 2, .to = loader, .channel = 0});
  }
  const std::uint32_t barrier = p.add_actor({.script = meet, .first_duration = pause});
  for (std::uint32_t i = 0; i < n; ++i) {
    p.add_signal({.from = i, .slot = 1, .to = barrier, .channel = 0});
    p.add_signal({.from = barrier, .slot = 0, .to = i, .channel = 1});
  }
  return p;
}

/// Slow links, slow ranks, more data for one.
void add_defects(FlowProgram& p, RandomStream& random, std::uint64_t count) {
  for (; count > 0; --count) {
    const std::uint32_t resource = pick(random, p.resources.size());
    const std::uint32_t actor = pick(random, p.actors.size());
    const double capacity = p.resources[resource].capacity;
    switch (random.below(3)) {
      case 0:  // a slow link
        p.resources[resource].capacity = capacity * random.uniform(0.2, 0.9);
        break;
      case 1:  // a slow rank
        if (p.scripts[p.actors[actor].script].durations() == 0) break;
        p.durations.push_back(p.durations[p.actors[actor].first_duration] * random.uniform(1.1, 3));
        for (std::uint32_t i = 1; i < p.scripts[p.actors[actor].script].durations(); ++i)
          p.durations.push_back(p.durations[p.actors[actor].first_duration + i]);
        p.actors[actor].first_duration =
            static_cast<std::uint32_t>(p.durations.size()) - p.scripts[p.actors[actor].script].durations();
        break;
      default:  // uneven data
        p.flows[p.actors[actor].first_flow % p.flows.size()].arguments.work *= random.uniform(1.1, 2);
    }
  }
}

/// Data-parallel steps on the rings of a real cluster: compute, `steps` chunks around every ring, a barrier.
FlowProgram ring_steps(const Cluster& cluster, std::uint64_t laps, std::uint64_t steps) {
  FlowProgram p;
  const Topology& t = cluster.topology;
  Router router{t};
  for (std::size_t link = 0; link < t.links().size(); ++link) {
    const auto id = static_cast<LinkId>(link);
    p.resources.push_back({t.bandwidth(id).base(), static_cast<std::uint32_t>(t.link(id).link_class),
                           static_cast<std::uint32_t>(link), 1});
  }
  for (const LinkClass& c : t.link_classes()) p.resource_groups.push_back(c.name);
  std::uint32_t streams = 0;
  for (const Ring& ring : cluster.rings) streams += static_cast<std::uint32_t>(ring.gpus.size());
  Script script("stream");
  script.repeat(laps, true)
      .sleep(0, "compute")
      .mark(0)
      .repeat(steps)
      .flow(0, "chunk")
      .signal(0)
      .wait(0)
      .end();
  script.mark(1).signal(1).wait(1).end();
  const std::uint32_t stream = p.add_script(script);
  const std::uint32_t compute = p.add_duration(Duration{0.1});
  for (const Ring& ring : cluster.rings) {
    const std::vector<Route> hops = ring.hops(router);
    const auto n = static_cast<std::uint32_t>(ring.gpus.size());
    const auto first = static_cast<std::uint32_t>(p.actors.size());
    for (std::uint32_t i = 0; i < n; ++i) {
      std::vector<Usage> way;
      for (const Hop& hop : hops[i].hops) way.push_back({{static_cast<std::uint32_t>(hop.link)}, hop.share});
      const std::uint32_t flow =
          p.add_flow({.work = 1e9 * ring.payload_share, .latency = hops[i].latency}, way);
      p.add_actor({.script = stream, .first_duration = compute, .first_flow = flow, .number = first + i});
      p.add_signal({.from = first + i, .slot = 0, .to = first + (i + 1) % n, .channel = 0});
    }
  }
  const std::uint32_t barrier = p.add_actor(
      {.script = p.add_script(Script("barrier").repeat(forever).wait(0, streams).signal(0).end().daemon())});
  for (std::uint32_t i = 0; i < streams; ++i) {
    p.add_signal({.from = i, .slot = 1, .to = barrier, .channel = 0});
    p.add_signal({.from = barrier, .slot = 0, .to = i, .channel = 1});
  }
  return p;
}

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Cluster cluster(const std::string& node, int nodes) {
  return make_cluster(catalog(), node_spec(catalog(), {.node = node}), {.nodes = nodes, .fabric = {}});
}

}  // namespace

TEST_CASE("random programs fold without a trace, symmetric or with one to five defects") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "folding");
    FlowProgram program = random_program(random);
    if (seed % 3 != 0) add_defects(program, random, 1 + random.below(5));
    check_folding(program);
  }
}

TEST_CASE("real nodes fold without a trace, symmetric or with one to five defects") {
  for (const char* node : {"dgx1_p100", "dgx1v_16gb", "dgx2", "dgx_a100_640gb", "dgx_h100", "ibm_ac922_4gpu",
                           "dell_c4140_k", "svail_titanx8", "gb200_nvl72_rack"}) {
    CAPTURE(node);
    const Cluster one = cluster(node, 1);
    const FlowProgram symmetric = ring_steps(one, 12, 5);
    const ProgramResult folded = check_folding(symmetric);
    CHECK(folded.laps < 12);
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      CAPTURE(seed);
      RandomStream random(seed, node);
      FlowProgram broken = symmetric;
      add_defects(broken, random, 1 + random.below(5));
      check_folding(broken);
    }
  }
}

TEST_CASE("fat-trees of up to 64 nodes fold without a trace, symmetric or with one to five defects") {
  for (const int nodes : {2, 8, 32, 64}) {
    CAPTURE(nodes);
    const Cluster tree = cluster("dgx1v_16gb", nodes);
    const FlowProgram symmetric = ring_steps(tree, 4, 3);
    const ProgramResult folded = check_folding(symmetric);
    CHECK(folded.cells <= symmetric.actors.size() / 2 + 1);
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      CAPTURE(seed);
      RandomStream random(seed, "fat-tree");
      FlowProgram broken = symmetric;
      add_defects(broken, random, 1 + random.below(5));
      check_folding(broken);
    }
  }
}
