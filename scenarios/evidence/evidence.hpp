#pragma once
/// Measured trainings beside what rackcast predicts for them: the part of the validation suite that travels
/// with the program, so that an answer can show how predictions of systems like it have turned out.
///
/// scenarios/evidence/data/training.json is written by `rackcast validate --cases DIR --evidence FILE`. Near
/// repeats (one system, network, software and metric at several batches) are one row: the one with the median
/// ratio of predicted to measured, with how many there are and how many lie within their interval. Cases that
/// a fit has used, bounds and what is not scored are left out.
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/evidence/predicted_figure.hpp"

namespace rackcast {

class Catalog;
struct Workload;

/// What counts when two trainings are compared.
struct TrainingTraits {
  std::string gpu;                ///< catalogue id
  int gpus = 0, nodes = 1;        ///< that take part
  double node_gbit = 0;           ///< of all ports of a node, Gbit/s; 0 on one node
  std::string model;              ///< "resnet50"
  std::string kind;               ///< see network_kind
  double flop_per_parameter = 0;  ///< forward, of one sample: arithmetic against gradients to exchange
  std::string precision, framework;
};

/// One row of the file.
struct ValidatedRun {
  std::string id;  ///< of the case that stands for the others
  TrainingTraits traits;
  std::string framework_version, data;  ///< data: "synthetic", "real", ...
  double batch_per_gpu = 0;             ///< 0: not stated
  std::string metric, unit, source;
  double measured = 0;
  PredictedFigure predicted;
  bool assumed = false;       ///< GPU or network of the source are an inference
  int like = 1, covered = 0;  ///< cases that this row stands for, and those within their 90 % interval

  /// Predicted over measured speed, whether the metric is a rate or a time; the interval likewise.
  [[nodiscard]] PredictedFigure speed_ratio() const;
};

/// "convolutional", "transformer", "recurrent" or "dense", by the operators.
std::string network_kind(const Workload& workload);

/// Whether a metric of the cases is a time; else it is a rate.
bool is_time(std::string_view metric);

/// Reads such a file. Throws Error where it is not one.
std::vector<ValidatedRun> read_evidence(std::string_view text, std::string name);
/// What travels inside the program.
std::vector<ValidatedRun> shipped_evidence();

/// A measured training and how far it is from the one in question.
struct NearRun {
  ValidatedRun run;
  double distance = 0;
  std::string system;              ///< "8 x NVIDIA Tesla P100 SXM2 16 GB"
  std::vector<std::string> same;   ///< "GPU", "network", ...
  std::vector<std::string> other;  ///< "fp32 instead of mixed precision"
};

/// How a group of rows has turned out.
struct EvidenceTally {
  int rows = 0, cases = 0, covered = 0;  ///< covered: cases within their 90 % interval
  double median_error = 0;               ///< of rows: |predicted / measured speed - 1|
};

struct Evidence {
  EvidenceTally all, same_architecture, same_gpu;
  std::vector<NearRun> nearest;  ///< the nearest first; one for each GPU, network and software
};

/// The `most` nearest of `runs`. The distance adds up
///   GPU: the same 0, the same architecture 1, another 3;
///   network: the same 0, the same family ("resnet") 0.5, the same kind 1 and a quarter for each doubling of
///   the arithmetic per parameter, another kind 4; size: half for each doubling of the GPUs, and a half where
///   one is inside a node and the other is not; precision 1 (a quarter among fp16, bf16 and mixed), software
///   0.5, another network between nodes 0.5.
/// These weights are a judgement of what a prediction rests on, not a fit. How well a run was predicted plays
/// no part: of equally near ones that which stands for more cases comes first.
Evidence nearest_runs(const Catalog& catalog, const std::vector<ValidatedRun>& runs,
                      const TrainingTraits& asked, std::size_t most = 6);

}  // namespace rackcast
