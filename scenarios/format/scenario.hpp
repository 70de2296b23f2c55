#pragma once
/// A scenario: what data, which networks, on which kind of cluster, by when. Read once, checked, then const.
/// The format is documented by scenarios/schema/scenario.schema.json (`rackcast schema`) and by the commented
/// files that `rackcast init` writes.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/memory/memory.hpp"
#include "models/networks/low_rank.hpp"
#include "models/networks/operator.hpp"
#include "models/networks/recomputation.hpp"
#include "scenarios/format/campaign_spec.hpp"
#include "scenarios/format/convergence_spec.hpp"
#include "scenarios/format/data_spec.hpp"
#include "scenarios/format/failure_spec.hpp"
#include "scenarios/format/global_batch.hpp"
#include "scenarios/format/input_options.hpp"
#include "scenarios/format/measured_spec.hpp"
#include "scenarios/format/parallelism.hpp"
#include "scenarios/format/search_spec.hpp"
#include "scenarios/format/service_spec.hpp"
#include "scenarios/format/site_spec.hpp"
#include "scenarios/names/calibration.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"
#include "sim/units/quantity.hpp"
#include "topologies/fabrics/fabric_options.hpp"

namespace rackcast {

struct GraphSpec;

struct StorageSpec {
  std::string array;  ///< catalogue id below storage, or "none": samples are already in memory
  int count = 1;      ///< drives and groups of a node count per node
  Where where;
  double speed = 1;  ///< on every rate that the catalogue says; for what faster storage would be worth
};

struct WorkloadSpec {
  std::string model;    ///< name or file; of a network that the scenario describes itself, its title
  std::string network;  ///< the text of such a network; else empty
  double epochs = 0;
  double batch_per_gpu = 0;
  double accumulation = 1;  ///< passes of batch_per_gpu to a step: stated, or what on_gpus() found
  std::optional<GlobalBatch> global_batch;  ///< of all GPUs; absent: it grows with them
  Precision precision = Precision::fp32;
  Where precision_where;
  std::optional<std::array<std::int64_t, 3>> image;  ///< height, width, channels; absent: the network's own
  std::optional<std::int64_t> tokens;                ///< of a sequence; absent: the network's own
  Where sample_where;
  std::string framework, framework_version;  ///< empty: the generic profile
  std::string framework_script, cudnn;       ///< empty: as the framework is used mostly
  std::string convolutions;                  ///< who computes them: "native"; empty: the library
  bool channels_last = false;                ///< the script keeps images as the kernels want them
  bool compiled = false;                     ///< a compiler fuses the operators (torch.compile)
  std::optional<Optimizer> optimizer;        ///< absent: what such networks are trained with mostly
  bool updates = true;                       ///< false: a step ends behind the backward pass
  std::string exchange;                      ///< of gradients (exchange_choice.hpp); empty: the framework's
  std::optional<Mesh> parallelism;           ///< a transformer split over GPUs
  /// Its mesh is searched, and `parallelism` has what is fixed of it; null: it is as stated.
  std::shared_ptr<const AutoSplit> split_search;
  std::shared_ptr<const GraphSpec> graph;         ///< its recorded step; null: the step is modelled
  Recomputation recompute = Recomputation::none;  ///< of a network that every GPU has whole
  LowRankSpec adapters;                           ///< rank 0: all weights are trained
  std::optional<TablePlacement> tables;           ///< of a recommender; absent: split, as frameworks do
  std::optional<double> critical_batch;        ///< samples of the global batch beyond which more do not help
  std::optional<ConvergenceSpec> convergence;  ///< absent: the epochs are those of every batch
  bool epochs_is_default = false, batch_is_default = false, precision_is_default = false;
  Where where;
};

/// Nodes of a cluster that are slower than the others during the last `epochs` epochs.
struct StragglerSpec {
  Stragglers group;
  std::optional<double> epochs;  ///< absent: in all epochs
};

/// Either a node, or a cluster of the catalogue. A cluster's node, number of nodes and network count where
/// the scenario states nothing else.
struct ClusterSpec {
  std::string node;   ///< catalogue id of the node; empty for a named cluster until resolve_clusters
  std::string gpu;    ///< for templates that take any GPU ("workstation"); else empty
  std::string named;  ///< catalogue id below clusters; else empty
  int nodes = 1;
  bool nodes_given = false;
  std::optional<int> gpus_per_job;   ///< a job uses only this many GPUs, the first ones; absent: all
  std::optional<int> gpus_per_node;  ///< and only the first ones of each node; absent: all
  FabricOptions fabric;
  Json fabric_text;  ///< as the scenario has it; null if it has none
  std::vector<StragglerSpec> stragglers = {};
  Where where;
};

/// GPUs of a node that a job uses, where the node has `in_node`.
int used_in_node(const ClusterSpec& cluster, int in_node);

struct GoalSpec {
  Duration deadline{0};
  int max_nodes = 1024;
  std::optional<Duration> date;           ///< since the first recording day: train what is usable then
  std::optional<Duration> retrain_every;  ///< and again
  Objective objective = Objective::fewest_nodes;
  Where objective_where;
  std::optional<double> availability;     ///< least share of the time in which training moves forward
  std::vector<std::string> alternatives;  ///< further node types to size for the same goal
  Where where;
};

/// A published figure that the report sets beside rackcast's own.
struct PublishedRow {
  std::string label, model, source, note;
  std::string text;  ///< the time as the scenario writes it: "9.1 years"
  ClusterSpec cluster;
  std::optional<Precision> precision;  ///< the workload's if absent
  std::optional<int> gpus;             ///< fewer than the cluster has, e.g. one GPU of a box
  std::optional<double> global_batch;  ///< samples in a step of the published run, where the source says
  Duration time{0};
};

/// How several workloads share the cluster.
enum class WorkloadsRun : std::uint8_t {
  one_after_another,  ///< on the same nodes: their times add up, and the deadline is for all of them
  each_on_its_own,    ///< each has the whole cluster and the whole deadline for itself
};
std::string_view to_string(WorkloadsRun run);

struct Scenario {
  std::string file, name, description;
  std::string start;  ///< ISO date on which the work begins; empty: not given
  std::uint64_t seed = 1;
  DataSpec data;
  StorageSpec storage;
  InputOptions input;
  std::vector<WorkloadSpec> workloads;
  WorkloadsRun workloads_run = WorkloadsRun::one_after_another;
  ClusterSpec cluster;
  std::optional<GoalSpec> goal;
  SearchSpec search;
  std::optional<CampaignSpec> campaign;
  std::optional<FailureSpec> failures;   ///< absent: nothing ever fails
  std::shared_ptr<const SiteSpec> site;  ///< null: the scenario has none
  std::vector<PublishedRow> published;
  std::optional<ServiceSpec> serving;  ///< then there are no data, no storage and no workloads
  Calibration calibration;             ///< the user's own measurements of parts; mostly empty
  std::vector<MeasuredSpec> measured;  ///< and of whole runs; mostly empty
  Json text;                           ///< after "extends" and --set

  /// Several workloads whose times add up.
  [[nodiscard]] bool adds_up() const {
    return workloads.size() > 1 && workloads_run == WorkloadsRun::one_after_another;
  }
};

/// Reads a scenario: follows "extends" (relative to the file, at most 16 deep, cycles are errors), lays each
/// `--set path=value` over it, checks ranges, and rejects unknown keys. Names of models and hardware are
/// resolved later, against the catalogue. Throws Error.
Scenario load_scenario(const std::string& path, const std::vector<std::string>& sets = {});

/// The same from a parsed text. A scenario that serves is refused here: most commands are about training.
Scenario read_scenario(const Json& text, const std::string& file);

/// A scenario with "serving". Throws Error for what belongs to training.
Scenario read_serving_scenario(const Json& text, const std::string& file);

/// The text of a scenario, with "extends" and --set, and whether it serves instead of training.
Json load_scenario_text(const std::string& path, const std::vector<std::string>& sets = {});
/// The same of a text that is in no file; "extends" is relative to the folder of `name`.
Json read_scenario_text(std::string text, const std::string& name, const std::vector<std::string>& sets = {});
bool serves(const Json& text);

/// The scenario with every named cluster replaced by its node, number of nodes and network. Throws Error on
/// an unknown name, at its place.
Scenario resolve_clusters(Scenario scenario, const Catalog& catalog);

}  // namespace rackcast
