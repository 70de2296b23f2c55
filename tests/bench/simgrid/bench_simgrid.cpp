// The same ring all-reduce in SimGrid and here: 100 MB in chunks over a full-bisection fat-tree of two
// levels, every chunk a flow, both with fluid max-min fairness and one simulated process per rank. Built
// where SimGrid's development package is installed; nothing else depends on it.
//
// SimGrid's plain flow model (CM02) without its TCP terms: latency, then bandwidth. Routes go to the spine
// with the number destination modulo spines on both sides.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "../child_run.hpp"
#include "sim/program/simulation.hpp"

using namespace rackcast;
namespace sg4 = simgrid::s4u;

namespace {

constexpr double payload = 100e6;
constexpr double bandwidth = 25e9;
constexpr double latency = 1e-6;  ///< per link

struct Shape {
  std::uint32_t ranks;
  std::uint32_t per_leaf;
  [[nodiscard]] std::uint32_t leaves() const { return ranks / per_leaf; }
};
Shape shape_of(std::uint32_t ranks) {
  return {ranks, std::min(32u, ranks / 2)};
}

FlowProgram program_of(const Shape& shape) {
  FlowProgram p;
  const std::uint32_t n = shape.ranks;
  const std::uint32_t spines = shape.per_leaf;
  const std::uint32_t out = p.add_resources("out", n, bandwidth).index;
  const std::uint32_t in = p.add_resources("in", n, bandwidth).index;
  const std::uint32_t up = p.add_resources("up", shape.leaves() * spines, bandwidth).index;
  const std::uint32_t down = p.add_resources("down", shape.leaves() * spines, bandwidth).index;
  const std::uint32_t script = p.add_script(
      Script("rank").repeat(2 * (std::uint64_t{n} - 1), true).flow(0, "chunk").signal(0).wait(0).end());
  for (std::uint32_t from = 0; from < n; ++from) {
    const std::uint32_t to = (from + 1) % n;
    std::vector<Usage> way{{{out + from}, 1}, {{in + to}, 1}};
    const std::uint32_t a = from / shape.per_leaf;
    const std::uint32_t b = to / shape.per_leaf;
    if (a != b) {
      way.push_back({{up + a * spines + to % spines}, 1});
      way.push_back({{down + b * spines + to % spines}, 1});
    }
    const Duration hops{latency * static_cast<double>(way.size())};
    p.add_actor({.script = script,
                 .first_flow = p.add_flow({.work = payload / n, .latency = hops}, way),
                 .number = from});
    p.add_signal({.from = from, .to = to});
  }
  return p;
}

double here(std::uint32_t ranks, bool fold) {
  ProgramOptions options;
  options.fold_space = options.fold_time = fold;
  return simulate(program_of(shape_of(ranks)), options).end.base();
}

void rank(std::uint32_t me, std::uint32_t n) {
  sg4::Mailbox* const mine = sg4::Mailbox::by_name(std::to_string(me));
  sg4::Mailbox* const right = sg4::Mailbox::by_name(std::to_string((me + 1) % n));
  static int token = 0;
  for (std::uint32_t step = 0; step < 2 * (n - 1); ++step) {
    const sg4::CommPtr sending =
        right->put_async(&token, static_cast<std::uint64_t>(std::llround(payload / n)));
    mine->get<int>();
    sending->wait();
  }
}

double in_simgrid(std::uint32_t ranks) {
  const Shape shape = shape_of(ranks);
  int argc = 1;
  std::string name = "bench_simgrid";
  char* argv[] = {name.data(), nullptr};
  sg4::Engine engine(&argc, argv);
  sg4::Engine::set_config("network/model:CM02");
  sg4::Engine::set_config("network/TCP-gamma:1e15");
  sg4::Engine::set_config("network/crosstraffic:0");
  sg4::NetZone* const zone = sg4::create_full_zone("AS0");
  std::vector<sg4::Host*> hosts;
  const auto link = [&](const std::string& id) {
    return zone->create_link(id, bandwidth)->set_latency(latency)->seal();
  };
  std::vector<sg4::Link*> out, in, up, down;
  for (std::uint32_t i = 0; i < ranks; ++i) {
    hosts.push_back(zone->create_host(fmt::format("h{}", i), 1e9)->seal());
    out.push_back(link(fmt::format("out{}", i)));
    in.push_back(link(fmt::format("in{}", i)));
  }
  for (std::uint32_t i = 0; i < ranks; ++i) {
    up.push_back(link(fmt::format("up{}", i)));
    down.push_back(link(fmt::format("down{}", i)));
  }
  for (std::uint32_t from = 0; from < ranks; ++from) {
    const std::uint32_t to = (from + 1) % ranks;
    std::vector<sg4::LinkInRoute> way{sg4::LinkInRoute(out[from])};
    if (from / shape.per_leaf != to / shape.per_leaf) {
      way.emplace_back(up[from / shape.per_leaf * shape.per_leaf + to % shape.per_leaf]);
      way.emplace_back(down[to / shape.per_leaf * shape.per_leaf + to % shape.per_leaf]);
    }
    way.emplace_back(in[to]);
    zone->add_route(hosts[from]->get_netpoint(), hosts[to]->get_netpoint(), nullptr, nullptr, way, false);
  }
  zone->seal();
  for (std::uint32_t i = 0; i < ranks; ++i) {
    sg4::Actor::create(fmt::format("rank{}", i), hosts[i], rank, i, ranks);
  }
  engine.run();
  return sg4::Engine::get_clock();
}

/// Each in a child of its own, one after the other; the time that counts is the CPU time here.
void against_simgrid(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  bench::ChildCost ours, theirs;
  for (auto _ : state) {
    theirs = bench::run_in_child([=] { return in_simgrid(ranks); });
    ours = bench::run_in_child([=] { return here(ranks, false); });
    state.SetIterationTime(ours.cpu_seconds);
  }
  if (std::abs(ours.result / theirs.result - 1) > 0.01)
    state.SkipWithError("results differ by more than 1 %");
  state.counters["simgrid_ms"] = 1e3 * theirs.cpu_seconds;
  state.counters["times_faster"] = theirs.cpu_seconds / ours.cpu_seconds;
  state.counters["simulated_ms"] = 1e3 * ours.result;
  state.counters["simgrid_simulated_ms"] = 1e3 * theirs.result;
  state.counters["MB"] = static_cast<double>(ours.peak_bytes) / 1e6;
  state.counters["simgrid_MB"] = static_cast<double>(theirs.peak_bytes) / 1e6;
}
BENCHMARK(against_simgrid)
    ->Arg(64)
    ->Arg(256)
    ->Arg(1024)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
