#pragma once
/// The choices of a search: designs of the cluster, sizes of each design, and variants of each workload.
/// Example: a design is DGX-2 with InfiniBand, a size is 4 nodes, a variant is ResNet-50 with batch 256.
#include <optional>
#include <string>
#include <vector>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"

namespace rackcast {

/// One size of a design.
struct PlanSize {
  int nodes = 1, gpus = 1;
  std::optional<int> gpus_per_job;
  double of_most = 0;  ///< nodes and spares over goal.max_nodes; 0: the scenario lists the sizes itself
};

/// Node type, network and storage, and the split of each network over GPUs, at any of its sizes.
struct Design {
  ClusterSpec cluster;  ///< nodes and gpus_per_job: of no meaning
  StorageSpec storage;
  NodeFacts node;
  std::string network;                    ///< what sets it apart from other designs, for people; may be empty
  std::vector<PlanSize> sizes;            ///< ascending
  std::size_t asked = 0;                  ///< number of sizes up to goal.max_nodes; the others lie past it
  std::vector<Choice<Mesh>> splits = {};  ///< of each workload, instead of its own; empty: none

  [[nodiscard]] ClusterSpec at(std::size_t size) const;
  /// A variant of a workload, by its place in the scenario, as this design runs it.
  [[nodiscard]] WorkloadSpec with_split(std::size_t workload, WorkloadSpec variant) const;
};

struct PlanSpace {
  std::vector<Design> designs;                      ///< the scenario's own first, where it is among them
  std::vector<std::vector<WorkloadSpec>> variants;  ///< of each workload
};

/// The designs and variants among which the search of the scenario chooses. Throws Error at the place of a
/// name that neither the catalogue nor models/data/workloads has, and of a precision in which none of the
/// GPUs trains.
PlanSpace plan_space(Evaluator& evaluator, const Scenario& scenario);

/// The question that the evaluator answers for one variant of a workload on a design at a size.
Question question_of(const Scenario& scenario, const Design& design, std::size_t size, std::size_t workload,
                     const WorkloadSpec& variant);

/// The scenario with this design, size and these variants in the place of its own.
Scenario with_choice(const Scenario& scenario, const PlanSpace& space, std::size_t design, std::size_t size,
                     const std::vector<std::size_t>& variants);

}  // namespace rackcast
