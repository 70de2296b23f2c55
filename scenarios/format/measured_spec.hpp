#pragma once
/// Measurements of the owner: "measured" of a scenario. A row names a run and one figure of it.
///
/// A key that a row leaves out (node, network, software, storage) has the value of the scenario. A measured
/// run has no slow nodes, also where the scenario has some.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/networks/operator.hpp"
#include "scenarios/format/global_batch.hpp"
#include "sim/base/error.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

struct Scenario;
struct WorkloadSpec;

enum class MeasuredMetric {
  samples_per_s,  ///< of all GPUs
  tokens_per_s,   ///< of all GPUs
  step_time,      ///< seconds of one optimizer step
  // Of a scenario that serves.
  output_tokens_per_s,    ///< of the GPUs that share a copy of the network
  time_per_output_token,  ///< seconds
  time_to_first_token,    ///< seconds, of a request that waits for no other
};
std::string_view to_string(MeasuredMetric metric);

/// Relative standard deviation of a measurement that states none: runs of one configuration on one machine
/// and with one version of the software differ by a few per cent.
inline constexpr double default_measured_spread = 0.03;

struct MeasuredSpec {
  std::string workload;                     ///< model; empty: the only one
  std::string node, gpu, exchange, source;  ///< empty: as in the scenario
  int nodes = 1;
  std::optional<int> gpus, gpus_per_node;  ///< absent: all of the nodes
  std::optional<double> batch_per_gpu;     ///< absent: as in the scenario
  std::optional<GlobalBatch> global_batch;
  std::optional<double> requests;  ///< in flight, of a scenario that serves
  std::optional<Precision> precision;
  bool synthetic = false;  ///< samples came from memory, not from the storage
  MeasuredMetric metric = MeasuredMetric::samples_per_s;
  double value = 0;                         ///< in base units
  double spread = default_measured_spread;  ///< relative standard deviation
  Where where, workload_where, count_where;
};

/// Reads the rows of a scenario that trains. Throws Error at the place of what is missing, out of range or
/// contradictory, and of a row that repeats another.
std::vector<MeasuredSpec> read_measured(const Json& json);

/// The same of a scenario that serves.
std::vector<MeasuredSpec> read_measured_serving(const Json& json);

/// The workload of the scenario that the row speaks of. Throws Error at the row where it names none, an
/// unknown one, or one of several with the same name and precision.
const WorkloadSpec& workload_of(const Scenario& scenario, const MeasuredSpec& row);

/// Whether two rows are about the same run and figure.
bool same_run(const MeasuredSpec& a, const MeasuredSpec& b);

/// Other rows of the same run and figure whose values differ from that of `row` by more than both spreads
/// explain: outside of 99 % of a normal distribution of ln(value).
std::vector<std::size_t> conflicting_rows(const std::vector<MeasuredSpec>& rows, std::size_t row);

}  // namespace rackcast
