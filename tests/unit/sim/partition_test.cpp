#include "sim/program/partition.hpp"

#include <doctest/doctest.h>

#include <map>
#include <tuple>

#include "sim/base/random.hpp"

using namespace rackcast;

namespace {

struct Edge {
  std::uint32_t from, to, type;
  double weight = 1;
};

InfluenceGraph graph_of(std::uint32_t vertices, const std::vector<Edge>& edges) {
  InfluenceGraph g;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    for (const Edge& e : edges) {
      if (e.from != v) continue;
      g.labels.push_back({e.type, e.weight});
      g.edges.push_back({e.to, static_cast<std::uint32_t>(g.labels.size() - 1)});
    }
    g.first.push_back(static_cast<std::uint32_t>(g.edges.size()));
  }
  return g;
}

std::vector<std::uint32_t> cells(std::uint32_t vertices, const std::vector<Edge>& edges,
                                 std::vector<std::uint32_t> colours = {}) {
  colours.resize(vertices, 0);
  return coarsest_stable_partition(graph_of(vertices, edges), colours).cell;
}

using Cells = std::vector<std::uint32_t>;

/// The definition, turn by turn: a vertex's new colour is its old one and the weights by type and colour.
Cells by_definition(std::uint32_t vertices, const std::vector<Edge>& edges, Cells colour) {
  for (std::uint32_t turn = 0; turn <= vertices; ++turn) {
    std::vector<std::map<std::pair<std::uint32_t, std::uint32_t>, double>> in(vertices);
    for (const Edge& e : edges) in[e.to][{e.type, colour[e.from]}] += e.weight;
    std::map<std::pair<std::uint32_t, std::map<std::pair<std::uint32_t, std::uint32_t>, double>>,
             std::uint32_t>
        numbers;
    Cells next;
    for (std::uint32_t v = 0; v < vertices; ++v) {
      next.push_back(numbers.emplace(std::pair{colour[v], in[v]}, static_cast<std::uint32_t>(numbers.size()))
                         .first->second);
    }
    colour = next;
  }
  return colour;
}

}  // namespace

TEST_CASE("vertices without influences are told apart by their colours") {
  CHECK(cells(4, {}, {2, 0, 2, 0}) == Cells{0, 1, 0, 1});
}

TEST_CASE("a ring is one cell; one vertex of another colour tells all others apart by their distance") {
  const std::vector<Edge> ring = {{0, 1, 0}, {1, 2, 0}, {2, 3, 0}, {3, 0, 0}};
  CHECK(cells(4, ring) == Cells{0, 0, 0, 0});
  CHECK(cells(4, ring, {1, 0, 0, 0}) == Cells{0, 1, 2, 3});
}

TEST_CASE("only what acts on a vertex counts, not what it acts on") {
  // 0 -> 1: vertex 0 is like 2, since nothing acts on either.
  CHECK(cells(3, {{0, 1, 0}}) == Cells{0, 1, 0});
}

TEST_CASE("weights add up and types do not") {
  CHECK(cells(5, {{0, 2, 0, 0.5}, {1, 2, 0, 0.5}, {0, 3, 0, 1.0}, {0, 4, 1, 1.0}}) == Cells{0, 0, 1, 1, 2});
}

TEST_CASE("the order in which equal weights come does not matter") {
  // 0.1 + 0.2 + 0.3 differs from 0.3 + 0.2 + 0.1 in floating point.
  CHECK(
      cells(
          3,
          {{0, 1, 0, 0.1}, {0, 1, 0, 0.2}, {0, 1, 0, 0.3}, {0, 2, 0, 0.3}, {0, 2, 0, 0.2}, {0, 2, 0, 0.1}}) ==
      Cells{0, 1, 1});
}

TEST_CASE("random graphs come out as the definition says") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, "partition");
    const auto n = static_cast<std::uint32_t>(2 + random.below(12));
    std::vector<Edge> edges;
    for (std::uint64_t e = random.below(3 * n); e > 0; --e) {
      edges.push_back({static_cast<std::uint32_t>(random.below(n)),
                       static_cast<std::uint32_t>(random.below(n)),
                       static_cast<std::uint32_t>(random.below(2)), random.below(2) == 0 ? 1.0 : 2.0});
    }
    Cells colours;
    for (std::uint32_t v = 0; v < n; ++v) colours.push_back(static_cast<std::uint32_t>(random.below(2)));
    CHECK(cells(n, edges, colours) == by_definition(n, edges, colours));
  }
}
