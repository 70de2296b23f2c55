#pragma once
/// The scenario's "search": the objective of `rackcast size`, and the dimensions that it may vary.
///
/// A dimension that is not given keeps the scenario's own value. Node type, network and storage are chosen
/// once for the whole cluster; the split over GPUs, batch, precision, framework and exchange for each
/// workload by itself.
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/networks/operator.hpp"
#include "scenarios/format/parallelism.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"
#include "topologies/fabrics/fabric_options.hpp"

namespace rackcast {

struct StorageSpec;

enum class Objective {
  fewest_nodes,
  lowest_cost,    ///< purchase and operation over the years of depreciation
  lowest_energy,  ///< of training every workload once, at the site's feed
  fastest,        ///< time of all workloads one after another, or of the slowest on its own
};
inline constexpr std::array<std::string_view, 4> objective_names{"fewest-nodes", "lowest-cost",
                                                                 "lowest-energy", "fastest"};
std::string_view to_string(Objective objective);
/// Throws Error at the value's place, with the known names.
Objective read_objective(const Json& json);

/// A value of a dimension and its place for messages.
template <class T>
struct Choice {
  T value{};
  Where where = {};
};

struct FrameworkName {
  std::string name, version;
};

/// The values of each dimension. Empty: the search does not vary it.
struct SearchSpec {
  Where where;
  std::vector<Choice<std::string>> node;
  std::vector<int> nodes;         ///< ascending
  std::vector<int> gpus_per_job;  ///< ascending; the nodes follow
  std::vector<Choice<FabricOptions>> fabric;
  std::vector<double> oversubscription;
  std::vector<StorageSpec> storage;
  std::vector<int> batch_per_gpu;
  std::vector<Choice<Precision>> precision;
  std::vector<Choice<FrameworkName>> framework;
  std::vector<std::string> exchange;
  std::vector<Choice<Mesh>> parallelism;  ///< of each workload, in the place of its own

  [[nodiscard]] std::size_t designs() const;   ///< combinations of what is chosen for the cluster
  [[nodiscard]] std::size_t variants() const;  ///< of what is chosen for a workload
};

inline constexpr std::size_t most_values = 4096;     ///< of a range
inline constexpr std::size_t most_choices = 10'000;  ///< designs times variants

/// How the scenario's reader reads what a dimension shares with it.
struct SearchReaders {
  std::function<std::string(const Json&)> name_or_file;
  std::function<StorageSpec(const Json&)> storage;
  std::function<FabricOptions(const Json&)> fabric;
};

/// A dimension is a list, or for numbers a range {"from", "to", "step" or "times"}. Throws Error at the place
/// of an empty list, a value that is there twice, a range that is empty or of more than `most_values`, and of
/// more than `most_choices` combinations. Names of hardware are resolved later.
SearchSpec read_search(const Json& json, const SearchReaders& readers);

}  // namespace rackcast
