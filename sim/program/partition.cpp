#include "sim/program/partition.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace rackcast {

namespace {

__extension__ using WideSum = unsigned __int128;

/// The lowest and highest bit of the weights, as powers of two.
struct BitRange {
  int low = std::numeric_limits<int>::max();
  int high = std::numeric_limits<int>::min();
};
constexpr int mantissa_bits = 53;

std::uint64_t mantissa_of(double weight, int& exponent) {
  return static_cast<std::uint64_t>(std::ldexp(std::frexp(weight, &exponent), mantissa_bits));
}

BitRange bit_range(const InfluenceGraph& graph) {
  BitRange range;
  for (const auto& label : graph.labels) {
    int exponent = 0;
    const std::uint64_t mantissa = mantissa_of(label.weight, exponent);
    range.low = std::min(range.low, exponent - mantissa_bits + std::countr_zero(mantissa));
    range.high = std::max(range.high, exponent);
  }
  return range;
}

/// Weights as integers in units of 2^unit. A weight that is no multiple of the unit is rounded, the same way
/// wherever it appears.
template <class Sum>
std::vector<Sum> fixed_point(const InfluenceGraph& graph, int unit) {
  std::vector<Sum> out;
  for (const auto& label : graph.labels) {
    int exponent = 0;
    const std::uint64_t mantissa = mantissa_of(label.weight, exponent);
    const int by = exponent - mantissa_bits - unit;
    const Sum value = by >= 0    ? static_cast<Sum>(static_cast<Sum>(mantissa) << by)
                      : by > -64 ? static_cast<Sum>(mantissa >> -by)
                                 : 0;
    out.push_back(std::max(value, Sum{1}));
  }
  return out;
}

template <class Sum>
class Refiner {
 public:
  /// Weights are counted in units of 2^unit; all of them together fit a Sum.
  Refiner(const InfluenceGraph& graph, std::span<const std::uint32_t> colours, int unit)
      : graph_(graph), weight_(fixed_point<Sum>(graph, unit)), sum_(graph.vertices(), 0) {
    start_with(colours);
  }

  Partition run() {
    for (std::size_t next = 0; next < worklist_.size(); ++next) {
      queued_[worklist_[next]] = false;
      split_by(worklist_[next]);
      if (next > compact_after && next * 2 > worklist_.size()) {
        worklist_.erase(worklist_.begin(), worklist_.begin() + static_cast<std::ptrdiff_t>(next) + 1);
        next = static_cast<std::size_t>(-1);
      }
    }
    return numbered();
  }

 private:
  static constexpr std::size_t compact_after = 1 << 20;

  void start_with(std::span<const std::uint32_t> colours) {
    const std::size_t n = graph_.vertices();
    std::vector<std::uint32_t> count(n + 1, 0);
    for (const std::uint32_t colour : colours) ++count[colour];
    std::vector<std::uint32_t> cell_of_colour(n + 1, 0);
    std::uint32_t position = 0;
    for (std::size_t colour = 0; colour < n; ++colour) {
      if (count[colour] == 0) continue;
      cell_of_colour[colour] = add_cell(position, position + count[colour]);
      position += count[colour];
    }
    order_.resize(n);
    position_.resize(n);
    cell_.resize(n);
    std::vector<std::uint32_t> filled(begin_.size(), 0);
    for (std::uint32_t v = 0; v < n; ++v) {
      const std::uint32_t cell = cell_of_colour[colours[v]];
      cell_[v] = cell;
      position_[v] = begin_[cell] + filled[cell]++;
      order_[position_[v]] = v;
    }
    for (std::uint32_t cell = 0; cell < begin_.size(); ++cell) enqueue(cell);
  }

  std::uint32_t add_cell(std::uint32_t begin, std::uint32_t end) {
    begin_.push_back(begin);
    end_.push_back(end);
    marked_.push_back(0);
    queued_.push_back(false);
    return static_cast<std::uint32_t>(begin_.size() - 1);
  }

  void enqueue(std::uint32_t cell) {
    if (queued_[cell]) return;
    queued_[cell] = true;
    worklist_.push_back(cell);
  }

  /// Gathers the edges out of a cell by type; the cell may itself be split by them.
  void split_by(std::uint32_t splitter) {
    types_.clear();
    for (std::uint32_t p = begin_[splitter]; p < end_[splitter]; ++p) {
      const std::uint32_t v = order_[p];
      for (std::uint32_t e = graph_.first[v]; e < graph_.first[v + 1]; ++e) {
        const InfluenceGraph::Edge& edge = graph_.edges[e];
        const std::uint32_t type = graph_.labels[edge.label].type;
        if (by_type_.size() <= type) by_type_.resize(type + 1u);
        if (by_type_[type].empty()) types_.push_back(type);
        by_type_[type].push_back(edge);
      }
    }
    for (const std::uint32_t type : types_) {
      split_by(by_type_[type]);
      by_type_[type].clear();
    }
  }

  void split_by(const std::vector<InfluenceGraph::Edge>& influences) {
    touched_.clear();
    touched_cells_.clear();
    for (const auto& edge : influences) {
      Sum& sum = sum_[edge.target];
      if (sum == 0) touched_.push_back(edge.target);
      sum += weight_[edge.label];
    }
    for (const std::uint32_t v : touched_) mark(v);
    for (const std::uint32_t cell : touched_cells_) split(cell);
    for (const std::uint32_t v : touched_) sum_[v] = 0;
  }

  /// Moves a vertex to the marked front of its cell.
  void mark(std::uint32_t v) {
    const std::uint32_t cell = cell_[v];
    if (end_[cell] - begin_[cell] == 1) return;
    if (marked_[cell] == 0) touched_cells_.push_back(cell);
    const std::uint32_t to = begin_[cell] + marked_[cell]++;
    const std::uint32_t from = position_[v];
    if (from == to) return;
    const std::uint32_t other = order_[to];
    order_[from] = other;
    order_[to] = v;
    position_[other] = from;
    position_[v] = to;
  }

  /// Cuts a cell into the vertices of equal sums; the largest part keeps the number.
  void split(std::uint32_t cell) {
    const std::uint32_t begin = begin_[cell];
    const std::uint32_t end = end_[cell];
    const std::uint32_t middle = begin + std::exchange(marked_[cell], 0);
    const bool alike = std::ranges::all_of(std::span{order_}.subspan(begin, middle - begin),
                                           [&](std::uint32_t v) { return sum_[v] == sum_[order_[begin]]; });
    if (alike && middle == end) return;
    if (!alike) sort_marked(begin, middle);
    parts_.clear();
    for (std::uint32_t p = begin; p < middle; ++p) {
      if (p == begin || sum_[order_[p]] != sum_[order_[p - 1]]) parts_.push_back(p);
    }
    if (middle != end) parts_.push_back(middle);
    parts_.push_back(end);
    std::size_t largest = 0;
    for (std::size_t i = 1; i + 1 < parts_.size(); ++i) {
      if (parts_[i + 1] - parts_[i] > parts_[largest + 1] - parts_[largest]) largest = i;
    }
    begin_[cell] = parts_[largest];
    end_[cell] = parts_[largest + 1];
    for (std::size_t i = 0; i + 1 < parts_.size(); ++i) {
      if (i == largest) continue;
      const std::uint32_t part = add_cell(parts_[i], parts_[i + 1]);
      for (std::uint32_t p = parts_[i]; p < parts_[i + 1]; ++p) cell_[order_[p]] = part;
      enqueue(part);
    }
  }

  void sort_marked(std::uint32_t begin, std::uint32_t middle) {
    std::ranges::sort(
        std::span{order_}.subspan(begin, middle - begin),
        [&](std::uint32_t a, std::uint32_t b) { return sum_[a] != sum_[b] ? sum_[a] < sum_[b] : a < b; });
    for (std::uint32_t p = begin; p < middle; ++p) position_[order_[p]] = p;
  }

  [[nodiscard]] Partition numbered() const {
    constexpr std::uint32_t none = 0xffffffff;
    Partition out;
    out.cell.resize(cell_.size());
    std::vector<std::uint32_t> number(begin_.size(), none);
    for (std::uint32_t v = 0; v < cell_.size(); ++v) {
      std::uint32_t& n = number[cell_[v]];
      if (n == none) {
        n = static_cast<std::uint32_t>(out.size.size());
        out.representative.push_back(v);
        out.size.push_back(0);
      }
      out.cell[v] = n;
      ++out.size[n];
    }
    return out;
  }

  const InfluenceGraph& graph_;
  std::vector<Sum> weight_;  ///< per label
  std::vector<Sum> sum_;     ///< per vertex: weight from the present splitter; zero in between
  std::vector<std::uint32_t> order_, position_, cell_;
  std::vector<std::uint32_t> begin_, end_, marked_;  ///< per cell, in order_
  std::vector<bool> queued_;
  std::vector<std::uint32_t> worklist_;
  std::vector<std::vector<InfluenceGraph::Edge>> by_type_;
  std::vector<std::uint32_t> types_, touched_, touched_cells_, parts_;
};

}  // namespace

Partition coarsest_stable_partition(const InfluenceGraph& graph, std::span<const std::uint32_t> colours) {
  const BitRange bits = bit_range(graph);
  const int carry = static_cast<int>(std::bit_width(graph.edges.size()));
  if (graph.labels.empty() || bits.high - bits.low + carry <= 64) {
    return Refiner<std::uint64_t>(graph, colours, bits.low).run();
  }
  const int lowest_that_fits = bits.high + carry - 128;
  return Refiner<WideSum>(graph, colours, std::max(bits.low, lowest_that_fits)).run();
}

}  // namespace rackcast
