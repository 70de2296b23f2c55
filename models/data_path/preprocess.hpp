#pragma once
/// From stored bytes to a sample that the GPU can take: decode and augment, on cores or on the GPU.
///
///   CPU           rate = min(cores, workers per GPU x GPUs) x rate per core x (reference size / size) x NUMA
///   GPU kernels   each sample takes GPU time from training; a part (Huffman decoding) stays on the cores
///   GPU engine    a fixed-function decoder beside the SMs (from A100 on): a rate of its own, no GPU time
///
/// Rates per core are those of models/data/data_path/record_kinds.json, at a reference size of each kind;
/// cost grows in proportion to the size (pixels, seconds, points, frames, bytes).
#include <string>
#include <string_view>
#include <vector>

#include "models/step/training.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// The rate at which one core decodes records of one kind.
struct RecordKind {
  std::string name;            ///< "jpeg", "raw", "audio", "text", "lidar", "video", "volume"
  std::string unit;            ///< what its size counts: "megapixels", "seconds", ...
  double reference = 1;        ///< size of the record that the rate is for, in units
  Frequency rate_per_core{0};  ///< records per second
  double log_sigma = 0;        ///< ln(high/low) of the known range taken as a 90 % interval
  bool from_memory = true;
  std::string source;
};

/// Throws Error that lists the kinds for an unknown name.
RecordKind record_kind(std::string_view name);
std::vector<std::string> record_kind_names();

enum class Decoder { cpu, gpu, gpu_engine };

struct PreprocessSpec {
  RecordKind kind;
  double size = 0;  ///< of one record, in units of the kind; 0: the reference
  Decoder decoder = Decoder::cpu;
  double cores_per_node = 0;
  int workers_per_gpu = 0;  ///< loader threads or processes; 0: as many as there are cores
  int gpus_per_node = 1;
  int nodes = 1;
  int sockets = 1;
  bool pinned = true;       ///< loaders run on the socket of their GPU
  FlopRate gpu_peak{0};     ///< fp32, of one GPU: GPU decoding is scaled by it
  bool has_engine = false;  ///< the GPU has a JPEG engine
};

struct PreprocessCost {
  std::vector<InputStage> stages;
  Duration gpu_time{0};  ///< per sample, on the GPU that trains
};

/// Throws Error (invalid input) for more workers than cores, a node without known cores, a negative size, a
/// decoder that the GPU or the kind of record does not have.
PreprocessCost preprocess_cost(const PreprocessSpec& spec);

}  // namespace rackcast
