#pragma once
/// The result document as the reports see it: "format": "rackcast-result", "version": 1.
///
/// load_result checks shape, types and version once, so the sections read plain fields. What a result may
/// leave out is optional or empty here, and its section then leaves it out too. Unknown keys are ignored: a
/// later program may add some without a new version. Schema: scenarios/schema/result.schema.json.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/plan_result.hpp"
#include "reports/serving_result.hpp"
#include "reports/site_result.hpp"

namespace rackcast {
class Json;
}

namespace rackcast::reports {

/// A predicted number with its 90 % interval, in `unit` ("s", "1/s", "1", ...). low <= value <= high.
struct Prediction {
  double value = 0, low = 0, high = 0;
  std::string unit;
};

struct Performance {
  std::optional<Prediction> time_to_train;       ///< s
  std::optional<Prediction> samples_per_s;       ///< 1/s
  std::optional<Prediction> scaling_efficiency;  ///< of perfect scaling from one GPU
  std::optional<Prediction> step_time;           ///< s
};

struct Answer {
  struct WhyNotFewer {
    std::int64_t nodes = 0;
    std::string fails, statement;
    std::optional<Prediction> time_to_train;
  };
  struct Conflict {
    std::string constraint, required, best, statement;
  };
  struct Change {
    std::string input, change, statement;
    std::optional<std::int64_t> nodes;  ///< none: still infeasible
  };

  bool feasible = false;
  std::optional<std::int64_t> nodes, gpus;  ///< nodes is there when feasible
  std::int64_t spares = 0;                  ///< bought beside `nodes`, for failed ones
  std::string node, node_title;             ///< catalogue name and the name for people
  std::string workload, binding_constraint, statement;
  std::optional<double> rack_units, power_kw;
  std::optional<double> deadline_probability;  ///< that all is done in time, by the model's error alone
  std::optional<WhyNotFewer> why_not_fewer;
  std::vector<Conflict> conflicts;
  std::vector<Change> changes;
};

/// One rung from data to nodes: its value, and how it follows from the rungs and inputs before it.
struct LadderRung {
  std::string label, unit, text, how;
  std::optional<double> value;
};

struct StepBreakdown {
  struct Part {
    std::string name;
    double seconds = 0;
  };
  std::vector<Part> parts;  ///< what one step waits for, in order; they add up to total
  double total_s = 0;
  std::string binds, statement;
};

/// The way of the data of one workload.
struct InputPath {
  struct Stage {
    std::string name;
    double samples_per_s = 0;
    std::optional<double> low = {}, high = {};  ///< 90 % interval; none of a link
  };
  /// Epochs that run alike; the shares of the samples that each level serves.
  struct Epochs {
    double after = 0, epochs = 0, page_cache = 0, ssd_cache = 0, storage = 0;
    std::optional<double> step_s, samples_per_s, read_bytes_per_s;
    std::string binds;
  };
  struct WriteBack {
    std::optional<double> checkpoint_bytes, write_s, stall_s, time_factor, bytes_per_s;
    std::optional<double> writers = {}, busiest_bytes = {};  ///< where several nodes write a part each
  };
  std::optional<double> required_bytes_per_s, available_bytes_per_s;
  std::string binds, next, statement;
  std::vector<Stage> funnel;  ///< in the order in which a sample meets them
  std::vector<Epochs> epochs;
  std::optional<double> working_set_bytes, page_cache_bytes, ssd_cache_bytes;  ///< of one node
  std::optional<WriteBack> write_back;
};

/// A fleet's data in time; days count from the first recording day.
struct DataGrowth {
  struct Point {
    double day = 0;
    std::optional<double> recorded_bytes, stored_bytes, usable_bytes;
  };
  struct Retraining {
    double day = 0, samples = 0, time_to_train_s = 0;
    bool in_time = true;
  };
  /// What the deadline takes when so much has been recorded.
  struct Planned {
    double day = 0, samples = 0, bytes = 0, storage = 0;  ///< storage: systems
    std::optional<std::int64_t> nodes;                    ///< none: not within the limits
    std::optional<std::int64_t> low, high;                ///< 90 % interval; no `high`: not within the limits
    bool asked = false;                                   ///< the question of the scenario
    std::int64_t spares = 0;                              ///< beside `nodes`
  };
  std::optional<double> capacity_bytes, full_day, date_day;
  std::vector<Point> series;
  std::vector<Retraining> retraining;
  std::vector<Planned> plan;  ///< ascending days
};

/// How many samples a target error needs, from measured points.
struct LearningNeed {
  double samples = 0;
  std::optional<double> low, high, target_error, a, b, c, times_largest_point;
};

/// Failures of a job, what they cost, and what keeps the cost low.
struct Reliability {
  struct Share {
    std::string name;
    double fraction = 0;
  };
  struct Component {
    std::string name, confidence, source;
    double per_node = 0, failures_per_year = 0;
  };
  struct ByInterval {
    double interval_s = 0;
    Prediction goodput;
  };
  std::string statement, node_mtbf_source, interval_rule;
  Prediction goodput, job_mttf, interruptions;
  std::int64_t nodes = 0, spares = 0, spares_for_95 = 0;
  bool spares_given = false;
  double node_mtbf_s = 0, interval_s = 0, checkpoint_bytes = 0, write_s = 0, stall_s = 0, restored_s = 0,
         detection_s = 0, restart_s = 0, repair_s = 0, nodes_in_repair = 0;
  std::vector<Share> shares;
  std::vector<Component> components;
  std::vector<ByInterval> by_interval;  ///< ascending
};

struct ScalingPoint {
  std::int64_t nodes = 0, gpus = 0;
  std::optional<Prediction> samples_per_s, time_to_train;
  std::optional<double> efficiency;
  std::string binds;
};

struct PublishedComparison {
  std::string label, published_text, source, note;
  double published_s = 0;
  std::optional<Prediction> predicted;
  std::optional<double> ratio;      ///< predicted / published
  std::optional<double> perfect_s;  ///< one GPU's predicted time over the number of GPUs
};

/// How predictions of measured systems like the answer have turned out.
struct Evidence {
  struct Tally {
    std::int64_t rows = 0, cases = 0, covered = 0;  ///< covered: within their 90 % interval
    double median_error = 0;
  };
  struct Run {
    std::string id, system, model, framework, framework_version, precision, data, metric, source;
    std::optional<double> batch_per_gpu;
    double distance = 0, measured = 0;
    Prediction predicted;    ///< in the unit of the measurement
    Prediction speed_ratio;  ///< predicted over measured speed
    std::vector<std::string> same, differs;
    bool system_assumed = false;         ///< GPU or network are an inference from the source
    std::int64_t like = 1, covered = 0;  ///< cases that it stands for, and those within their interval
  };
  Tally all, same_architecture, same_gpu;
  std::vector<Run> nearest;  ///< the nearest first
};

/// One repeating step; times are in seconds since its begin.
struct Timeline {
  struct Span {
    std::string name;
    double start = 0, seconds = 0;
  };
  struct Lane {
    std::string name;
    std::vector<Span> spans;
  };
  /// A link or server: from each moment on this share of its rate is in use.
  struct Share {
    std::string name;
    double mean = 0;
    std::vector<std::pair<double, double>> points;
  };
  double length = 0;
  std::vector<Lane> lanes;
  std::vector<Share> shares;
};

/// A drawing of the machine as simple shapes, in pixels.
struct MachineDrawing {
  struct Shape {
    enum class Kind { rect, line, arc, text };
    Kind kind = Kind::rect;
    std::string style;            ///< letters: what the shape stands for
    double width = 1;             ///< of a line or arc
    std::vector<double> numbers;  ///< rect: x y width height; line: points; arc: x y x y depth; text: x y
    std::string anchor, words;    ///< of a text
  };
  std::string of, title, words;  ///< of: "node", "network"
  double width = 0, height = 0;
  std::vector<Shape> shapes;
};

struct Alternative {
  std::string node, title, binding_constraint, statement;
  bool feasible = false;
  std::optional<std::int64_t> nodes, gpus;
  std::int64_t spares = 0;  ///< beside `nodes`
  std::optional<Prediction> time_to_train;
  std::optional<double> rack_units, power_kw;
};

/// Time to train with one input at either end, all else as asked.
struct Sensitivity {
  std::string input, kind, low_text, high_text;
  double low_s = 0, high_s = 0;  ///< at the low and at the high end of the input
};

/// Of a language model.
struct Utilisation {
  std::optional<Prediction> tokens_per_s, tokens_per_s_per_gpu;  ///< 1/s
  std::optional<Prediction> mfu, hfu;                            ///< shares of the peak arithmetic
};

struct WorkloadResult {
  std::string model, title, precision;
  std::string parallelism;  ///< split over GPUs, for people; empty: none
  std::optional<double> memory_bytes_per_gpu;
  std::optional<Utilisation> utilisation;
  std::optional<double> parameters, forward_flop_per_sample, samples, epochs, batch_per_gpu, global_batch,
      steps;
  Answer answer;
  Performance performance;
  std::vector<LadderRung> ladder;
  std::optional<StepBreakdown> step;
  std::optional<InputPath> input;
  std::optional<Reliability> reliability;
  std::vector<ScalingPoint> scaling;
  std::vector<PublishedComparison> published;
  std::optional<Evidence> evidence;
  std::optional<Timeline> timeline;
  std::vector<Alternative> alternatives;
  std::vector<Sensitivity> sensitivity;
};

struct Assumption {
  enum class Confidence { verified, fit, scenario, defaulted, memory, low };
  std::string name, value, source, where;
  Confidence confidence = Confidence::memory;
};
std::string_view to_string(Assumption::Confidence confidence);  ///< "verified", ..., "default"

/// Which formula is behind a number.
struct MethodStep {
  std::string quantity, formula, source;
};

struct ResultDocument {
  enum class Kind { size, simulate };
  Kind kind = Kind::size;
  std::string program, version, commit, command;
  struct {
    std::string file, name, description, seed;
    std::string text;                            ///< the merged scenario, pretty JSON; empty if not recorded
    std::optional<std::chrono::sys_days> start;  ///< of the work; nothing: not given
  } scenario;
  std::optional<double> deadline_s;
  /// How several workloads share the cluster and the deadline; of one there is nothing to say.
  struct {
    std::string statement;
    bool adds_up = false;  ///< one after another: their times add up, and the deadline is for all of them
  } premise;
  Answer answer;
  Performance performance;  ///< of what takes longest on the cluster of the answer
  std::vector<WorkloadResult> workloads;
  std::vector<Alternative> alternatives;  ///< of all workloads together, where their times add up
  std::vector<Sensitivity> sensitivity;   ///< likewise

  /// What has an answer of its own: all workloads as one, where their times add up, else each workload.
  [[nodiscard]] std::vector<WorkloadResult> asked() const;
  std::vector<MethodStep> method;
  std::optional<DataGrowth> growth;
  std::optional<LearningNeed> learning;
  std::optional<Site> site;
  std::vector<MachineDrawing> drawings;
  std::optional<Plan> plan;  ///< of "size"
  std::optional<Serving> serving;
  std::vector<Assumption> assumptions;
  std::vector<std::string> warnings;
};

/// Reads a result document; `name` is the file in messages. Throws Error, pointing at the place, if it is not
/// JSON, not a rackcast result, of another version, or if a part is missing or of the wrong type.
ResultDocument load_result(const std::string& text, std::string name);
/// The same of a text that is parsed already: `json` is that of `text`.
ResultDocument load_result(const Json& json, const std::string& text);

}  // namespace rackcast::reports
