#include "models/data_path/preprocess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/data_files.hpp"
#include "models/data_path/input_path.hpp"
#include "sim/base/error.hpp"
#include "sim/base/normal.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

namespace {

double fact(const Json& file, const char* key) {
  return file.require("facts").require(key).require("value").number();
}

double cores_at_work(const PreprocessSpec& spec) {
  if (!(spec.cores_per_node > 0))
    throw Error{
        "the number of CPU cores of the node is not known", {}, "say it: \"input\": { \"cores\": 40 }"};
  if (spec.workers_per_gpu <= 0) return spec.cores_per_node;
  const double workers = static_cast<double>(spec.workers_per_gpu) * spec.gpus_per_node;
  if (workers > spec.cores_per_node) {
    throw Error{
        fmt::format("{} loader workers per GPU on {} GPUs are {:g}, more than the {:g} cores of a node",
                    spec.workers_per_gpu, spec.gpus_per_node, workers, spec.cores_per_node),
        {},
        fmt::format("at most {:g} per GPU", std::floor(spec.cores_per_node / spec.gpus_per_node))};
  }
  return workers;
}

}  // namespace

std::vector<std::string> record_kind_names() {
  std::vector<std::string> names{"jpeg"};
  const Json file = parse_model_data("data_path/record_kinds.json");
  for (const auto& [name, value] : file.require("kinds").object())
    if (name != "jpeg") names.push_back(name);
  return names;
}

RecordKind record_kind(std::string_view name) {
  const Json file = parse_model_data("data_path/record_kinds.json");
  const Json* entry = file.require("kinds").find(name);
  if (!entry) {
    throw Error{fmt::format("unknown kind of record \"{}\"", name),
                {},
                fmt::format("one of {}", fmt::join(record_kind_names(), ", "))};
  }
  RecordKind kind;
  kind.name = name;
  kind.unit = entry->require("unit").string();
  kind.reference = entry->require("reference").number();
  if (name == "jpeg") {
    const InputPathFacts host = input_path_facts();
    kind.rate_per_core = host.decode_per_core;
    kind.log_sigma = host.decode_log_sigma;
    kind.source = host.decode_source;
    kind.from_memory = host.decode_confidence == "memory";
    return kind;
  }
  kind.rate_per_core = Frequency{entry->require("rate_per_core").number()};
  kind.log_sigma =
      std::log(entry->require("high").number() / entry->require("low").number()) / (2 * half_of_90_percent);
  kind.source = entry->require("source").string();
  kind.from_memory = entry->require("confidence").string() == "memory";
  return kind;
}

PreprocessCost preprocess_cost(const PreprocessSpec& spec) {
  if (spec.size < 0) throw Error{"the size of a record cannot be negative"};
  const double scale = (spec.size > 0 ? spec.size : spec.kind.reference) / spec.kind.reference;
  const bool on_gpu = spec.decoder != Decoder::cpu;
  const bool image = spec.kind.name == "jpeg" || spec.kind.name == "video";
  if (on_gpu && !image)
    throw Error{
        fmt::format("no GPU decoder for records of kind {}", spec.kind.name), {}, "use \"decoder\": \"cpu\""};
  if (spec.decoder == Decoder::gpu_engine && !spec.has_engine)
    throw Error{"this GPU has no JPEG engine",
                {},
                "use \"decoder\": \"gpu\" or \"cpu\", or a GPU whose entry has \"jpeg_engine\""};
  const Json file = parse_model_data("data_path/record_kinds.json");

  PreprocessCost cost;
  double cpu_part = 1;
  const double gpus = static_cast<double>(spec.gpus_per_node) * spec.nodes;
  if (spec.decoder == Decoder::gpu) {
    if (!(spec.gpu_peak > FlopRate{0})) throw Error{"the fp32 peak of the GPU is not known"};
    cpu_part = fact(file, "gpu_decode_core_part");
    const double rate =
        fact(file, "gpu_decode_rate") * (spec.gpu_peak.base() / fact(file, "gpu_decode_reference_peak"));
    cost.gpu_time = Duration{scale / rate};
  } else if (spec.decoder == Decoder::gpu_engine) {
    cpu_part = 0;
    cost.stages.push_back(
        {"decode engine", "the GPUs' decode engines", gpus * fact(file, "gpu_engine_rate"), scale});
  }
  if (cpu_part > 0) {
    double cores = cores_at_work(spec) * spec.nodes;
    if (!spec.pinned && spec.sockets > 1) cores *= fact(file, "unpinned_rate");
    cost.stages.push_back({"host cores",
                           spec.kind.name == "jpeg"
                               ? "image decoding on the CPU cores"
                               : fmt::format("{} decoding on the CPU cores", spec.kind.name),
                           cores * spec.kind.rate_per_core.base(), scale * cpu_part});
  }
  return cost;
}

}  // namespace rackcast
