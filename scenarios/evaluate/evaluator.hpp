#pragma once
/// Turns (cluster, workload) into predictions by simulating one training step, and remembers what it has
/// simulated: the planner asks for the same configuration many times.
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "models/step/training.hpp"
#include "scenarios/document/form/reason.hpp"
#include "scenarios/evaluate/failure_plan.hpp"
#include "scenarios/evaluate/input_report.hpp"
#include "scenarios/evidence/assumption.hpp"
#include "scenarios/evidence/estimate.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/names/run_control.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

struct RecordedStep;

class Catalog;
class Tracer;
struct Cluster;
struct CommData;
struct FrameworkProfile;
class GpuModelLibrary;
struct MemoryOptions;
struct MemoryUse;
struct LinkShare;
struct MeasuredComparison;
struct MeasuredRun;
struct SiteSpec;
struct SplitChoice;
struct StageKernels;
struct TableExchange;

/// What is asked of one workload on one cluster, or of several that run one after another on the same nodes;
/// the planner varies it.
struct Question {
  ClusterSpec cluster;
  WorkloadSpec workload;
  std::optional<int> gpus;  ///< use only this many GPUs, the first ones
  double samples = 0;       ///< in one epoch
  Bytes bytes_per_sample{0};
  StorageSpec storage;
  InputOptions input;
  double stored_factor = 1;                            ///< bytes on storage per byte of training data
  std::optional<FailureSpec> failures = std::nullopt;  ///< absent: nothing ever fails
  std::shared_ptr<const SiteSpec> site = {};  ///< null: without limits; its power cap slows the GPUs down
  std::optional<double> availability = std::nullopt;  ///< least share of the time in which training moves on
  std::vector<WorkloadSpec> then = {};  ///< further workloads on the same nodes, each after the one before
};

/// The scenario's question about one of its workloads, on the cluster of the scenario.
Question question(const Scenario& scenario, const WorkloadSpec& workload);

/// All that the scenario asks of its cluster: one question about all workloads where they run one after
/// another, else one question about each (scenario.hpp, WorkloadsRun).
std::vector<Question> questions(const Scenario& scenario);

/// A search whose deadline no size can meet goes on to larger ones while each is faster by this part.
inline constexpr double worthwhile = 0.05;

/// The question about each of its workloads alone, in the order in which they run.
std::vector<Question> one_by_one(const Question& question);

/// Spread of the independent parts of a prediction, as standard deviations of the logarithm of a rate.
struct Spread {
  double compute = 0, network = 0, input = 0;
  double scaling = 0;  ///< of the pace of nodes together, which a node alone does not have
};

/// Time to train with one part of the model at either end of its 90 % interval.
struct PartSwing {
  std::string name;   ///< "speed of kernels"
  double factor = 1;  ///< on its rate at the high end; 1 / factor at the low one
  Duration low{0}, high{0};
};

/// A GPU node type, resolved from the catalogue.
struct NodeFacts {
  std::string id, title, gpu_id, gpu_title;
  int gpus = 0;
  Bytes gpu_memory{0};
  std::optional<double> rack_units;  ///< nothing: the catalogue does not say
  std::optional<Power> max_power;
};

/// Rack units and rated power of so many nodes; nothing where the catalogue does not say.
std::optional<double> units_of(const NodeFacts& node, int nodes);
std::optional<double> kilowatts_of(const NodeFacts& node, int nodes);

/// The times of a question are those of all its workloads together, one after another; what else is asked (a
/// step, its epochs, its memory) is asked of its first workload: see one_by_one().
class Evaluator {
 public:
  /// Throws LimitReached wherever it has to simulate after a limit of `control` was reached.
  explicit Evaluator(const Catalog& catalog, const RunControl& control = {}, const Calibration& own = {});
  /// With what the owner of the scenario has measured (measured_run.hpp): learn() of its rows. Its clusters
  /// must be resolved.
  Evaluator(const Catalog& catalog, const RunControl& control, const Scenario& scenario);
  ~Evaluator();
  /// Runs `tasks` on control.threads threads, each with an evaluator of its own, and keeps their simulations,
  /// so that this evaluator need not repeat them. Results do not change: messages, notes and exceptions of
  /// tasks are dropped. Does nothing with one thread, and under limits, which count simulations in order.
  /// Tasks must not depend on each other.
  using Task = std::function<void(Evaluator&)>;
  /// `on_task` is told how many tasks are done, from one thread at a time, and never together with
  /// control.on_run and control.on_building.
  void rehearse(const std::vector<Task>& tasks, const std::function<void(std::size_t done)>& on_task = {});
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// The steady step of the phase with the most epochs. Cached. Throws Error for unknown names, with near
  /// matches, at the scenario's place.
  const TrainingRun& run(const Question& question, Tracer* tracer = nullptr);

  /// Simulates the steps of the same phase again, folded, and records them in `tracer`. Ends early at a
  /// limit. Returns an empty text, or a sentence on why nothing was recorded.
  std::string trace(const Question& question, Tracer& tracer);

  /// One micro-batch on a GPU of the stage that sets the pace of a split network, and which stage that is.
  /// Throws Error where run() does.
  StageKernels slowest_stage(const Question& question, std::size_t* number = nullptr);

  /// The step of the question's workload in the form of a recorded one. Throws Error where run() does, and
  /// for what has no record (models/recorded/step_record.hpp).
  RecordedStep record(const Question& question);

  /// Epochs at the global batch of the question: what the workload asks for, under its law of convergence.
  double epochs(const Question& question);

  /// Number of optimizer steps: ceil(samples x epochs / global batch).
  double steps(const Question& question);
  /// Time to train all workloads of the question, failures and checkpoints included. `remember`: keeps the
  /// result.
  Duration time_to_train(const Question& question, bool remember = true);
  /// Time that no training on so many nodes can fall below: its steps, each as long as the kernels of the
  /// forward and backward pass on one GPU that waits for nobody. Zero where the kernels of a GPU depend on
  /// the number of GPUs (a split network, a stated global batch) or the epochs do (a law of convergence).
  /// Simulates one GPU alone, of each workload.
  Duration least_time(const Question& question);

  /// All figures with their 90 % intervals: each part is varied by 1.645 standard deviations on its own, and
  /// the figures are drawn with all of them together (scenarios/evidence/joint_spread.hpp). Where both what
  /// brings the samples and what the GPUs do move the time, each is varied with the other one much faster.
  /// Of several workloads each part varies in all of them together: the kernels that are slower than modelled
  /// in one are slower in the next. Their times add up, and the efficiency is the mean over the time; step
  /// and rate have no common figure and are left out.
  /// Without `efficiency` that figure is 0, and nothing is simulated for it.
  Prediction predict(const Question& question, bool efficiency = true);

  /// The rate of `fast` over that of `slow`, with its 90 % interval. What the runs share varies in both
  /// together: kernels, collectives, and the pace of nodes together where both have several. Of kernels on
  /// different GPUs, or in different precisions, a third varies in one alone.
  Estimate ratio_of_rates(const Question& fast, const Question& slow);

  /// What leaves through the ports of a node in one step of a network that every GPU has whole: through the
  /// busiest port, as often as there are ports. 0 for one node.
  Bytes sent_by_node(const Question& question);

  /// How full links are in a steady step of such a network (models/step/link_shares.hpp), in the epochs that
  /// take longest together; of several workloads, in that which takes longest. Empty for a network that is
  /// split over GPUs.
  std::vector<LinkShare> link_shares(const Question& question);

  /// The workload of the question that takes longest, alone.
  Question longest(const Question& question);

  /// The parts behind the interval of predict(), one at a time; those without spread are left out.
  std::vector<PartSwing> swings(const Question& question);

  /// Failures, checkpoints and goodput; nothing if nothing ever fails.
  std::optional<FailurePlan> failures(const Question& question, double rate_scale = 1);

  /// Number of spare nodes beside those of the question; 0 if nothing ever fails. Nodes that the job leaves
  /// idle count as spares first.
  int spares(const Question& question);
  /// The cluster with its spare nodes: what is bought, racked and wired.
  const Cluster& bought(const Question& question);

  /// The largest share of a step in which the GPUs wait for samples, over all epochs, or of an interval
  /// between saves in which they wait for the save.
  double waiting_for_storage(const Question& question);

  /// The input path; nothing if samples are already in memory.
  std::optional<InputReport> input(const Question& question);

  /// How gradients are combined: as the scenario states, else the framework's own way for this number of
  /// nodes.
  ExchangeSpec exchange(const Question& question);

  /// The question with the best split of each workload whose split is searched ("parallelism": "auto"), on
  /// its own cluster; others as they are. All figures are of this one: whoever reads the mesh of a workload
  /// asks for it. Throws Error where no mesh divides the GPUs and the global batch.
  Question with_split(const Question& question);
  /// What the search found; null where the split of the workload is as stated.
  std::shared_ptr<const SplitChoice> split_choice(const Question& question);
  /// Whether so many GPUs can be dealt out: replicas get equal shares of a stated global batch, and a search
  /// over splits has something to choose. Throws Error at a fixed key that divides nothing of the network.
  bool takes(const Question& question, int gpus);

  NodeFacts node(const ClusterSpec& cluster);
  /// The Error that a simulation would throw if the cluster's GPU cannot train in the workload's precision,
  /// at the scenario's place; nothing if it can.
  std::optional<Error> precision_refusal(const ClusterSpec& cluster, const WorkloadSpec& spec);
  const Workload& workload(const WorkloadSpec& spec);
  /// What each GPU holds while it trains, as input of models/memory/memory.hpp.
  MemoryOptions memory(const Question& question);
  /// Throws Error at the workload where the network cannot be split so.
  MemoryUse memory_use(const Question& question);
  /// Peak rate of one GPU in the workload's precision (models/split/utilisation.hpp); 0 if it has no unit for
  /// it.
  FlopRate peak_rate(const Question& question);
  /// The exchange of a step with split tables, at the expected rates.
  TableExchange table_exchange(const Question& question);
  /// From now on all predictions are conditioned on these runs (scenarios/measured/posterior.hpp) and on no
  /// others. Throws Error at the row of a run that cannot be built.
  void learn(std::vector<MeasuredRun> runs);
  /// Each of them beside the model, and what it does to the time to train of these questions together.
  std::vector<MeasuredComparison> compare_measured(const std::vector<Question>& answer);

  /// From now on the profile with this id has the numbers of this one, collectives have these facts, and
  /// kernels these models: how a fit tries them. What was simulated is forgotten.
  void replace_profile(const FrameworkProfile& profile);
  void replace_collectives(std::shared_ptr<const CommData> facts);
  void replace_kernels(const GpuModelLibrary& models);
  /// Devices and links of clusters that are kept for the next question about them; they take about half a GB.
  static constexpr std::size_t most_held = 500'000;
  /// Held until give_back().
  const Cluster& cluster(const Question& question);
  /// Frees the clusters that were used longest ago, until the remaining ones have `most` devices and links
  /// together. The one that was used last stays if `keep_last`. What was simulated on them is kept.
  /// References that cluster() and bought() returned are then of no use.
  void give_back(std::size_t most = most_held, bool keep_last = true);
  [[nodiscard]] std::size_t clusters_held() const;
  [[nodiscard]] const Catalog& catalog() const;
  [[nodiscard]] const RunControl& control() const;
  /// Capacity of the storage system, of local drives what the nodes hold together (their parts) or each (the
  /// whole set); nothing if the catalogue does not say.
  std::optional<Bytes> storage_capacity(const Question& question);
  Spread spread(const Question& question);

  /// Did a limit end a simulation?
  [[nodiscard]] bool partial() const;
  /// Times to train that have been found so far, by number of nodes, in the order of asking.
  [[nodiscard]] const std::vector<std::pair<int, Duration>>& known_times() const;
  /// What has been taken from catalogue, fits and defaults so far, in order of first use.
  [[nodiscard]] const std::vector<Assumption>& assumptions() const;
  [[nodiscard]] const std::vector<doc::Reason>& warnings() const;

 private:
  struct Impl;
  explicit Evaluator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rackcast
