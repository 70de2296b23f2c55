#include "sim/program/fold.hpp"

#include <algorithm>
#include <bit>

#include "sim/program/colours.hpp"
#include "sim/program/partition.hpp"
#include "sim/program/redundant_resources.hpp"

namespace rackcast {

namespace {

/// Numbers the pairs of type and weight.
class LabelBook {
 public:
  explicit LabelBook(std::vector<InfluenceGraph::Label>& labels) : labels_(labels) {}

  std::uint32_t of(std::uint32_t type, double weight) {
    if (by_type_.size() <= type) by_type_.resize(type + 1u);
    std::vector<std::uint32_t>& known = by_type_[type];
    for (const std::uint32_t label : known) {
      if (labels_[label].weight == weight) return label;
    }
    labels_.push_back({type, weight});
    known.push_back(static_cast<std::uint32_t>(labels_.size() - 1));
    std::swap(known.front(), known.back());  // the next one is likely to be the same
    return known.front();
  }

 private:
  std::vector<InfluenceGraph::Label>& labels_;
  std::vector<std::vector<std::uint32_t>> by_type_;
};

/// Who influences whom in a program: actors first, then resources.
class InfluenceBuilder {
 public:
  InfluenceBuilder(const FlowProgram& program, const std::vector<bool>& redundant)
      : program_(program), redundant_(redundant), book_(graph_.labels) {
    for (const Script& script : program.scripts) flow_slots_ = std::max(flow_slots_, script.flows());
  }

  InfluenceGraph build() {
    const auto actors = static_cast<std::uint32_t>(program_.actors.size());
    graph_.first.assign(actors + program_.resources.size() + 1, 0);
    each_edge([&](std::uint32_t from, std::uint32_t, std::uint32_t, double) { ++graph_.first[from + 1]; });
    for (std::size_t v = 1; v < graph_.first.size(); ++v) graph_.first[v] += graph_.first[v - 1];
    graph_.edges.resize(graph_.first.back());
    std::vector<std::uint32_t> next(graph_.first.begin(), graph_.first.end() - 1);
    each_edge([&](std::uint32_t from, std::uint32_t to, std::uint32_t type, double weight) {
      graph_.edges[next[from]++] = {to, book_.of(type, weight)};
    });
    return std::move(graph_);
  }

 private:
  template <class Visit>
  void each_edge(Visit&& visit) const {
    const auto actors = static_cast<std::uint32_t>(program_.actors.size());
    for (std::uint32_t a = 0; a < actors; ++a) {
      const ProgramActor& actor = program_.actors[a];
      const std::uint32_t slots = program_.scripts[actor.script].flows();
      for (std::uint32_t slot = 0; slot < slots; ++slot) {
        for (const Usage& use : program_.uses_of(program_.flows[actor.first_flow + slot])) {
          if (use.coefficient == 0 || redundant_[use.resource.index]) continue;
          visit(a, actors + use.resource.index, slot, use.coefficient);
          visit(actors + use.resource.index, a, flow_slots_ + slot, 1.0);
        }
        for (const ResourceId held : program_.holds_of(program_.flows[actor.first_flow + slot])) {
          visit(a, actors + held.index, 2 * flow_slots_ + slot, 1.0);
          visit(actors + held.index, a, 3 * flow_slots_ + slot, 1.0);
        }
      }
    }
    for (const ProgramSignal& s : program_.signals) {
      visit(s.from, s.to, 4 * flow_slots_ + s.slot * static_cast<std::uint32_t>(most_channels) + s.channel,
            static_cast<double>(s.permits));
    }
  }

  const FlowProgram& program_;
  const std::vector<bool>& redundant_;
  InfluenceGraph graph_;
  LabelBook book_;
  std::uint32_t flow_slots_ = 0;
};

/// Writes the quotient down as a program: a cell is what its lowest member is, and loads what all load.
class QuotientBuilder {
 public:
  QuotientBuilder(const FlowProgram& program, const std::vector<bool>& redundant, const Partition& partition)
      : from_(program), redundant_(redundant), partition_(partition) {
    const std::size_t actors = program.actors.size();
    // Cells are numbered by their lowest vertex and actors come first, hence cells of actors come first.
    actor_cells_ = 0;
    while (actor_cells_ < partition.cells() && partition.representative[actor_cells_] < actors)
      ++actor_cells_;
  }

  FoldedProgram build() {
    const auto actors = static_cast<std::uint32_t>(from_.actors.size());
    out_.program.scripts = from_.scripts;
    out_.program.resource_groups = from_.resource_groups;
    out_.program.durations = from_.durations;
    out_.actor_cell.assign(partition_.cell.begin(),
                           partition_.cell.begin() + static_cast<std::ptrdiff_t>(actors));
    for (std::size_t v = actors; v < partition_.cell.size(); ++v) {
      resource_cell_.push_back(partition_.cell[v] - actor_cells_);
    }
    add_cells();
    add_loads();
    add_signals();
    return std::move(out_);
  }

 private:
  void add_cells() {
    const auto actors = static_cast<std::uint32_t>(from_.actors.size());
    for (std::uint32_t cell = 0; cell < partition_.cells(); ++cell) {
      const std::uint32_t member = partition_.representative[cell];
      if (cell < actor_cells_) {
        out_.program.actors.push_back(from_.actors[member]);
        out_.program.actors.back().count = 0;
      } else {
        out_.program.resources.push_back(from_.resources[member - actors]);
        out_.program.resources.back().count = 0;
      }
    }
    for (std::size_t a = 0; a < actors; ++a) {
      out_.program.actors[out_.actor_cell[a]].count += from_.actors[a].count;
    }
    for (std::size_t r = 0; r < from_.resources.size(); ++r) {
      out_.program.resources[resource_cell_[r]].count += from_.resources[r].count;
    }
  }

  struct Load {
    std::uint32_t cell, slot, resource;
    double coefficient;
  };

  /// What the flows of all actors put on the one resource that stands for its cell.
  void add_loads() {
    std::vector<Load> loads;
    for (std::uint32_t a = 0; a < from_.actors.size(); ++a) {
      const ProgramActor& actor = from_.actors[a];
      for (std::uint32_t slot = 0; slot < from_.scripts[actor.script].flows(); ++slot) {
        for (const Usage& use : from_.uses_of(from_.flows[actor.first_flow + slot])) {
          const std::uint32_t r = use.resource.index;
          if (use.coefficient == 0 || redundant_[r] || !stands_for_its_cell(r)) continue;
          loads.push_back({out_.actor_cell[a], slot, resource_cell_[r], use.coefficient});
        }
      }
    }
    std::stable_sort(loads.begin(), loads.end(), [](const Load& x, const Load& y) {
      return std::tie(x.cell, x.slot, x.resource) < std::tie(y.cell, y.slot, y.resource);
    });
    auto next = loads.begin();
    for (std::uint32_t cell = 0; cell < actor_cells_; ++cell) {
      ProgramActor& actor = out_.program.actors[cell];
      const std::uint32_t first = actor.first_flow;
      actor.first_flow = static_cast<std::uint32_t>(out_.program.flows.size());
      for (std::uint32_t slot = 0; slot < from_.scripts[actor.script].flows(); ++slot) {
        std::vector<Usage> uses;
        for (; next != loads.end() && next->cell == cell && next->slot == slot; ++next) {
          if (uses.empty() || uses.back().resource.index != next->resource) {
            uses.push_back({{next->resource}, 0});
          }
          uses.back().coefficient += next->coefficient;
        }
        std::vector<ResourceId> held;
        for (const ResourceId r : from_.holds_of(from_.flows[first + slot]))
          held.push_back({resource_cell_[r.index]});
        std::ranges::sort(held);
        held.erase(std::unique(held.begin(), held.end()), held.end());
        out_.program.add_flow(from_.flows[first + slot].arguments, uses, held);
      }
    }
  }

  [[nodiscard]] bool stands_for_its_cell(std::uint32_t resource) const {
    const auto vertex = static_cast<std::uint32_t>(from_.actors.size()) + resource;
    return partition_.representative[partition_.cell[vertex]] == vertex;
  }

  /// What one receiver of each cell gets from all the senders of a cell together.
  void add_signals() {
    std::vector<ProgramSignal>& out = out_.program.signals;
    for (const ProgramSignal& s : from_.signals) {
      if (partition_.representative[partition_.cell[s.to]] != s.to) continue;
      out.push_back({partition_.cell[s.from], s.slot, partition_.cell[s.to], s.channel, s.permits});
    }
    const auto key = [](const ProgramSignal& s) {
      return std::tie(s.from, s.slot, s.to, s.channel);
    };
    std::sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (kept != 0 && key(out[kept - 1]) == key(out[i])) {
        out[kept - 1].permits += out[i].permits;
      } else {
        out[kept++] = out[i];
      }
    }
    out.resize(kept);
  }

  const FlowProgram& from_;
  const std::vector<bool>& redundant_;
  const Partition& partition_;
  std::uint32_t actor_cells_ = 0;
  std::vector<std::uint32_t> resource_cell_;
  FoldedProgram out_;
};

}  // namespace

FoldedProgram fold(const FlowProgram& program) {
  const std::vector<bool> redundant = redundant_resources(program);
  const InfluenceGraph graph = InfluenceBuilder(program, redundant).build();
  const Partition partition = coarsest_stable_partition(graph, colours_of(program));
  return QuotientBuilder(program, redundant, partition).build();
}

}  // namespace rackcast
