#pragma once
/// Failure rates of a node, from the catalogue (topologies/data/reliability).
///
/// The catalogue has two different kinds of figures:
///  - interruptions: a job that uses the node stops, whatever the cause (a bit that flipped, a driver, a
///    cable). Published per 8-GPU node of clusters with A100 and H100, recollection for older GPUs. A node
///    with n GPUs is taken to fail n / 8 times as often: GPUs cause 59 % of the interruptions of Llama 3.
///  - replacements: a part is swapped and its node is away for a repair. Yearly rates of components.
///
/// Clusters differ more from each other than generations of GPUs do. The spread is that of ln(rate) between
/// the three clusters whose rates are published: 6.5 and 2.34 per 1000 node days (RSC-1, RSC-2), 3.79 (Llama
/// 3).
#include <string>
#include <string_view>
#include <vector>

#include "sim/units/quantity.hpp"
#include "topologies/catalog/fact.hpp"

namespace rackcast {

class Catalog;
struct NodeSpec;

struct ComponentRate {
  std::string name;     ///< "GPU", "network port and cable"
  double count = 0;     ///< in one node
  double per_year = 0;  ///< replacements of one component
  Confidence confidence = Confidence::memory;
  std::string source, fact;
};

struct NodeReliability {
  Duration mtbf{0};  ///< of one node: between interruptions of a job that uses it
  Confidence confidence = Confidence::memory;
  std::string source, fact;
  double log_sigma = 0;  ///< of the interruption rate
  std::vector<ComponentRate> components;

  [[nodiscard]] Frequency interruptions() const { return 1 / mtbf; }
  /// Replacement rate of all components together, at most the rate of interruptions.
  [[nodiscard]] Frequency replacements() const;
};

NodeReliability node_reliability(const Catalog& catalog, const NodeSpec& node);

/// Operating times of a cluster from reliability/planning_defaults.
struct RepairDefaults {
  Duration detection{0}, restart{0}, repair{0};
};
RepairDefaults repair_defaults(const Catalog& catalog);

/// Interruptions of one 8-GPU node, from published clusters other than `without` ("llama3_405b",
/// "meta_rsc_clusters", or empty): the geometric mean, and the spread of ln(rate) over all of them.
struct PublishedRate {
  Frequency per_node{0};
  double log_sigma = 0;
};
PublishedRate published_interruptions(const Catalog& catalog, std::string_view without);

}  // namespace rackcast
