#pragma once
/// What the evaluator has resolved and simulated so far. Private to scenarios/evaluate/evaluator*.cpp.
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/collectives/cluster.hpp"
#include "models/data_path/input_path.hpp"
#include "models/data_path/storage.hpp"
#include "models/frameworks/framework.hpp"
#include "models/gpu/cost.hpp"
#include "models/split/split_training.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/evaluate/ledger.hpp"
#include "scenarios/evaluate/measured_run.hpp"
#include "scenarios/evaluate/question_input.hpp"
#include "scenarios/evaluate/step_key.hpp"
#include "scenarios/measured/posterior.hpp"
#include "scenarios/splits/split_search.hpp"
#include "sim/base/error.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

/// Multipliers of the rates of each part, for intervals.
struct Scales {
  double compute = 1, network = 1, input = 1;
  double failures = 1;  ///< of the failure rate; does not change a step
  /// These are the factors themselves. Otherwise they multiply what the owner's measurements say of them.
  bool absolute = false;
};

/// An error about a name points at the scenario's place for it.
template <class Function>
auto at(const Where& where, Function&& function) {
  try {
    return function();
  } catch (const LimitReached&) {
    throw;
  } catch (const Error& e) {
    if (e.where().line) throw;
    throw Error{e.message(), where, e.hint(), e.kind()};
  }
}

class SharedRuns;

struct Evaluator::Impl {
  Impl(const Catalog& c, const RunControl& asked, const Calibration& own,
       std::shared_ptr<SharedRuns> taken_from = {});
  ~Impl();

  const Catalog& catalog;
  InputPathFacts host;
  GpuModelLibrary kernels;  ///< the shipped fits and the scenario's own
  std::shared_ptr<const CommData> comm = shipped_comm_data();
  Calibration own;  ///< of the scenario
  /// By curve (its file, GPUs and nodes) and node.
  std::map<std::tuple<std::string, int, int, NodeKey>, CommRefinement> refinements;
  Ledger ledger;
  std::map<NodeKey, NodeSpec> nodes;
  std::map<NetworkKey, Workload> workloads;
  std::map<SoftwareKey, FrameworkProfile> frameworks;
  std::map<std::string, FrameworkProfile> tried_profiles;                ///< by id: numbers of a fit
  std::map<std::pair<std::string, LoweringOptions>, GpuCostModel> gpus;  ///< by GPU and software
  std::set<std::pair<std::string, LoweringOptions>> noted_gpus;  ///< those whose kernels an answer rests on
  std::map<std::string, std::vector<Precision>> trains_in;       ///< by GPU
  std::map<std::pair<std::string, double>, StorageFacts> storages;  ///< by array and speed
  struct HeldCluster {
    Cluster cluster;
    std::uint64_t asked = 0;  ///< when it was last asked for
  };
  std::map<ClusterKey, HeldCluster> clusters;
  std::uint64_t clusters_asked = 0;  ///< how often
  std::map<StepKey, TrainingRun> runs;
  std::map<SplitChoiceKey, std::shared_ptr<const SplitChoice>> splits;
  /// By node, GPU, count and failures.
  std::map<std::tuple<std::string, std::string, int, FailureKey>, int> spares;
  std::shared_ptr<SharedRuns> shared;               ///< null: everything is simulated here
  std::vector<std::unique_ptr<Evaluator>> workers;  ///< of rehearse(), one for each thread
  RunControl control;
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  std::uint64_t events = 0;     ///< simulated so far
  std::size_t simulations = 0;  ///< runs of them, where nothing is shared
  bool partial = false;
  std::vector<std::pair<int, Duration>> known_times;
  std::shared_ptr<const Posterior> posterior;  ///< null: nothing was measured
  std::vector<MeasuredRun> measured;           ///< what it rests on, in the order of the scenario
  std::vector<Observation> observed;           ///< the same, as the posterior took them

  /// Of the clusters that were used longest ago, until the others have `most` devices and links together. The
  /// newest `keep` stay.
  void free_clusters(std::size_t most, std::size_t keep);
  [[nodiscard]] Limits remaining() const;
  /// Throws LimitReached when the time is over or somebody has interrupted the work.
  void look_at_clock();

  const NodeSpec& node(const ClusterSpec& cluster);
  std::optional<Error> refused(const ClusterSpec& cluster, const WorkloadSpec& w);
  const Workload& workload(const WorkloadSpec& spec);
  const FrameworkProfile& framework(const ClusterSpec& cluster, const WorkloadSpec& spec);
  const GpuCostModel& gpu(const ClusterSpec& cluster, const WorkloadSpec& w);
  const StorageFacts& storage(const StorageSpec& spec);
  /// What a curve of the scenario says of collectives on this cluster; nothing if none was measured on such a
  /// one. Curves of one node speak for one node, those of several for several.
  std::optional<CommRefinement> refinement(const Question& q);
  const Cluster& cluster(const Question& q);
  /// Nodes without a GPU of the job, or a parameter server.
  int idle_nodes(const Question& q);
  /// GPUs of the question, without building its cluster.
  int ranks(const Question& q);
  /// What the input path rests on; the storage must not be "none".
  /// The question with the best split, if it is searched, and with the batch of each GPU that its global
  /// batch gives, kept in `kept`; itself where it states neither. All others take a question that has been
  /// through this.
  const Question& sized(const Question& q, std::optional<Question>& kept);
  /// Among which meshes a search for so many GPUs chooses. Throws Error at the place of what divides nothing.
  SplitSpace split_space(const Question& q, int gpus);
  /// Of a workload whose split is searched. Remembered. Throws Error where no mesh divides the GPUs.
  std::shared_ptr<const SplitChoice> split_choice(const Question& q);
  /// Its workload with the best split; its global batch stays.
  WorkloadSpec with_best_split(const Question& q);
  InputContext input(const Question& q);
  /// Of the GPUs' compute, in (0, 1].
  double speed_under_cap(const Question& q);
  /// Samples of one step.
  double global_batch(const Question& q);
  /// What the workload asks for, under its law of convergence.
  double epochs(const Question& q);
  /// Cold epochs and warm ones; one phase where samples are in memory.
  std::vector<EpochPhase> phases(const Question& q);
  /// The same, cut where stragglers come in: each with the question as it stands then.
  std::vector<std::pair<EpochPhase, Question>> stretches(const Question& q);
  ExchangeSpec exchange(const Question& q);
  TrainingSpec spec(const Question& q, const EpochHits& hits);
  /// Before anything is measured: of a run of this question at the modelled factors.
  FactorVector prior_spread(const Question& q, const TrainingRun& modelled);
  FactorBelief belief(const Question& q, const TrainingRun& modelled);
  /// Of the stretch with the most epochs.
  FactorBelief belief(const Question& q);
  /// Of the factors as they are believed now.
  Spread spread(const Question& q);
  RunTraits traits(const Question& q);
  /// `scales` times what is believed of the factors of this question.
  Scales learned(const Question& q, const EpochHits& hits, const Scales& scales);
  /// ln(samples/s) with these factors.
  double log_rate(const Question& q, const FactorVector& log_factors);
  /// The run as an observation, linearised where the posterior so far believes it is.
  Observation observe(const MeasuredRun& run);
  /// `save_every`: steps between saves, where they are so close that they do not cost the same each alone.
  const TrainingRun& run(const Question& q, const EpochHits& hits, const Scales& scales,
                         Tracer* tracer = nullptr, std::uint64_t save_every = 0);
  /// What the state is saved to, if it is.
  SaveSpec save(const Question& q, std::uint64_t every);
  StepKey step_key(const Question& q, const TrainingSpec& training);
  /// Adds the saves to a step that is composed of formulas and not simulated: each save takes as long as it
  /// would alone on the storage.
  void charge_saves(const Question& q, const SaveSpec& save, TrainingRun& run);
  /// The run with saves at such intervals of training time; 0: none.
  const TrainingRun& run_saving(const Question& q, const EpochHits& hits, const Scales& scales,
                                Duration interval);
  /// The step of a network that no single GPU holds, simulated as a graph; its saves are in closed form.
  /// `why_not_traced`: empty where the tracer has it.
  TrainingRun split_over_gpus(const Question& q, const Cluster& machine, const TrainingSpec& training,
                              Tracer* tracer, std::string* why_not_traced = nullptr);
  /// A recorded step on this cluster; its saves are in closed form.
  TrainingRun replayed(const Question& q, const Cluster& machine, const TrainingSpec& training,
                       Tracer* tracer);
  /// Adds what storage holds up and saves take to a step that is simulated without them.
  static void add_storage(TrainingRun& run, const TrainingSpec& training, int nodes);
  /// Within what is left of the limits; taken from `shared` where it is there.
  TrainingRun simulated(const StepKey& key, const Question& q, TrainingSpec& training, Tracer* tracer);
  TrainingRun simulate(const Question& q, TrainingSpec& training, Tracer* tracer);
  /// The stretch with the most epochs.
  const TrainingRun& steady(const Question& q, const Scales& scales, Tracer* tracer = nullptr);
  /// That stretch.
  std::pair<EpochPhase, Question> longest(const Question& q);
  /// Nothing if nothing ever fails.
  std::optional<FailurePlan> failures(const Question& q, const Scales& scales);
  /// Between checkpoints: what the scenario says, else what its failures ask for; 0: none are written.
  Duration save_interval(const Question& q);
  double waiting_for_storage(const Question& q);
  /// Time to train: all phases, checkpoints and failures included.
  double seconds(const Question& q, const Scales& scales);
};

/// The split network of a question. Throws Error for a network that is no transformer, and for slower nodes.
SplitTraining split_training_of(const Question& question, const Cluster& machine,
                                const TrainingSpec& training);
SplitStep split_step_of(const Cluster& machine, const TrainingSpec& training, const SplitTraining& split);

}  // namespace rackcast
