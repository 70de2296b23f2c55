#pragma once
/// What `size` and `simulate` found: the one document that crosses from here to the reports.
/// Its form is scenarios/document/result.hpp (`rackcast schema result`).
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/step/link_shares.hpp"
#include "models/step/training.hpp"
#include "scenarios/document/training.hpp"
#include "scenarios/evaluate/failure_plan.hpp"
#include "scenarios/evaluate/input_report.hpp"
#include "scenarios/evaluate/measured_run.hpp"
#include "scenarios/evaluate/step_timeline.hpp"
#include "scenarios/evidence/assumption.hpp"
#include "scenarios/evidence/estimate.hpp"
#include "scenarios/evidence/evidence.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/limits/limits.hpp"
#include "scenarios/plan/plan.hpp"
#include "scenarios/result/growth_report.hpp"
#include "scenarios/result/machine_drawing.hpp"
#include "scenarios/site/site_report.hpp"
#include "scenarios/splits/split_search.hpp"

namespace rackcast {

struct Change {
  std::string input, change;
  std::optional<doc::Reason> why = {};     ///< there is no answer
  std::optional<int> nodes = {};           ///< the answer then; nothing: there is none
  std::optional<int> most_nodes = {};      ///< no count up to this one is enough
  std::optional<double> probability = {};  ///< that the answer as it is meets the deadline
  bool less_memory = false;
};

struct Smaller {
  int nodes = 0;
  std::string fails;
  std::optional<doc::Reason> why;  ///< where it is not a matter of time alone
  Estimate time_to_train;
  std::string workload = {};  ///< that needs most; empty: all of them, or the only one
};

/// What a number of nodes takes.
struct KnownTime {
  int nodes = 0;
  Duration time{0};
};

struct Answer {
  bool feasible = false;
  int nodes = 0, gpus = 0;
  int gpus_in_nodes = 0;  ///< whether they take part or not
  int spares = 0;         ///< bought beside `nodes`, for failed ones
  std::string node, node_title, workload, binding_constraint;
  std::string binds;                 ///< the step of that workload there
  std::optional<double> rack_units;  ///< of the nodes alone, spares included; nothing: not in the catalogue
  std::optional<double> power_kw;    ///< rated, likewise
  std::optional<double> deadline_probability;  ///< that all is done in time, by the model's error alone
  std::optional<Smaller> why_not_fewer;
  std::vector<KnownTime> known_times;  ///< when a limit ended the simulation
  std::vector<Conflict> conflicts;
  std::vector<Change> changes;
};

struct ScalingRow {
  int nodes = 0, gpus = 0;
  Prediction prediction;
  std::string binds;
};

struct PublishedComparison {
  PublishedRow published;
  Estimate predicted;
  double ratio = 0;       ///< predicted over published
  double efficiency = 1;  ///< of the simulated scaling from one GPU; the table assumes 1
  int gpus = 0;
  double global_batch = 0;  ///< samples in a simulated step
};

struct Alternative {
  std::string node, title, binding_constraint;
  std::optional<doc::Reason> why;  ///< there is no answer
  bool feasible = false;
  int nodes = 0, gpus = 0, spares = 0;
  Estimate time_to_train;
  std::optional<double> rack_units, power_kw;  ///< as of Answer
};

/// Failures of the job, what they cost, and what keeps the cost low.
struct ReliabilityReport {
  FailurePlan plan;
  struct ByInterval {
    Duration interval{0};
    Estimate goodput;
  };
  Estimate goodput, mttf, interruptions;  ///< interruptions of the whole training
  std::vector<ByInterval> by_interval;    ///< around the interval of the plan, which is one of them
};

/// Time to train with one input at either end of its range, all other inputs as asked.
struct SensitivityRow {
  std::string input, kind;          ///< kind: "model" (its 90 % interval) or "range" (of the scenario)
  std::string low_text, high_text;  ///< the ends of the input
  Duration low{0}, high{0};         ///< time at them
};

/// What a step takes: the samples, and where their number comes from.
struct BatchReport {
  doc::Reason what;
  std::optional<double> largest_useful;  ///< samples; nothing if nobody says
  bool stated = false;                   ///< the scenario gives it, so it does not grow with the GPUs
};

/// Of a language model (models/split/utilisation.hpp). Shares are of the peak of the GPUs' units for its
/// precision.
struct Utilisation {
  Estimate tokens_per_s, tokens_per_s_per_gpu, mfu, hfu;
  double tokens_per_sample = 0;
  Flop model_flop_per_token{0}, hardware_flop_per_token{0};
  FlopRate peak{0};  ///< of one GPU
};

struct WorkloadResult {
  WorkloadSpec spec;  ///< with the batch of each GPU on the answer's cluster
  std::string title;
  double parameters = 0, samples = 0, global_batch = 0, steps = 0;
  Flop forward_flop{0};
  BatchReport batch;
  Answer answer;
  Prediction prediction;
  TrainingRun run;
  std::string no_timeline;                       ///< why the step is not drawn
  std::optional<doc::Reason> collisions;         ///< what static routes cost (answer/collisions.hpp)
  std::optional<doc::Reason> superlinear;        ///< why it scales by more than 1 (result/superlinear.hpp)
  std::optional<Utilisation> utilisation;        ///< of a language model
  std::shared_ptr<const SplitChoice> split;      ///< of a network whose split is searched
  Bytes memory_per_gpu{0};                       ///< that training takes
  std::optional<double> memory_fits_odds;        ///< that this is enough, of a split network
  std::optional<InputReport> input;              ///< nothing if samples are in memory
  std::optional<ReliabilityReport> reliability;  ///< nothing if nothing ever fails
  std::vector<doc::LadderRung> ladder;
  std::vector<ScalingRow> scaling;
  std::vector<PublishedComparison> published;
  Evidence evidence;  ///< how predictions of systems like this have turned out
  StepTimeline timeline;
  std::vector<LinkShare> links;  ///< how full they are in a step; empty for a split network
  std::vector<Alternative> alternatives;
  std::vector<SensitivityRow> sensitivity;  ///< the widest swing first
};

struct Result {
  std::string kind;  ///< "size" or "simulate"
  std::string command;
  Scenario scenario;
  /// Of each workload on the cluster of the answer, of several workloads; 0: not known.
  std::optional<std::vector<Duration>> times;
  Answer answer;
  Prediction prediction;  ///< of what takes longest on the cluster of the answer
  std::vector<WorkloadResult> workloads;
  std::size_t slowest = 0;  ///< workload that takes longest on the cluster of the answer
  /// Of all workloads together, where they run one after another; else each workload has its own.
  std::vector<Alternative> alternatives;
  std::vector<SensitivityRow> sensitivity;
  std::optional<PlanReport> plan;            ///< of "size"
  std::optional<GrowthReport> growth;        ///< of a fleet's data, on the chosen cluster
  std::optional<SiteReport> site;            ///< of the chosen cluster
  std::vector<MachineDrawing> drawings;      ///< of the chosen cluster
  std::vector<MeasuredComparison> measured;  ///< what the owner measured beside the model
  std::vector<Assumption> assumptions;
  std::vector<doc::Reason> warnings;
  bool partial = false;  ///< a limit ended the simulation: this is what was known by then
};

/// The result document as indented JSON; the same result gives the same bytes.
std::string to_json_text(const Result& result);

}  // namespace rackcast
