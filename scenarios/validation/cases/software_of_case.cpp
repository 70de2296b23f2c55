#include "scenarios/validation/cases/software_of_case.hpp"

#include <algorithm>
#include <limits>

#include "models/memory/memory.hpp"
#include "scenarios/validation/cases/input_of_case.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "scenarios/validation/settings/mlperf_training.hpp"
#include "scenarios/validation/settings/publications.hpp"
#include "scenarios/validation/settings/usual_settings.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {

bool precision_is_taken(const ValidationCase& c) {
  return !c.workload.precision && training_benchmark_of(c);
}

Precision precision_of(const ValidationCase& c) {
  if (precision_is_taken(c)) return training_benchmark_of(c)->precision;
  if (!c.workload.precision) throw Unpredictable{"precision not stated", "precision"};
  const std::string& name = *c.workload.precision;
  if (name == "mxfp8") return Precision::fp8;
  if (name == "nvfp4") return Precision::fp4;
  if (name == "fp64") throw Unpredictable{"fp64 networks have no model"};
  try {
    const Precision precision = parse_precision(name);
    // fp16_storage_only: 16-bit tensors and fp32 arithmetic, which is what `mixed` means before tensor cores.
    // Automatic mixed precision casts operator by operator; fp16 alone is a network whose tensors all are.
    const bool cast = precision == Precision::fp16 && text_in(c.workload.extra, "precision_recipe") == "amp";
    return cast || flag_in(c.workload.extra, "fp16_storage_only").value_or(false) ? Precision::mixed
                                                                                  : precision;
  } catch (const std::exception&) {
    throw Unpredictable{"precision \"" + name + "\" is not known"};
  }
}

namespace {

/// The script that the case states or shows.
std::string script_of(const ValidationCase& c) {
  if (const auto stated = text_in(c.workload.extra, "script")) return *stated;
  // Arguments that only the layers of Megatron-Core have (NVIDIA/Megatron-LM,
  // megatron/training/arguments.py).
  const bool core_layers =
      text_in(c.workload.extra, "transformer_impl") || text_in(c.workload.extra, "attention_backend");
  return core_layers && c.workload.framework == "megatron-lm" ? "use-mcore-models" : "";
}

/// The script that is usual where a case shows none. Mask R-CNN is trained in PyTorch by Facebook's
/// maskrcnn-benchmark, NVIDIA's examples among it (github.com/NVIDIA/DeepLearningExamples,
/// PyTorch/Segmentation/MaskRCNN).
std::string usual_script(const ValidationCase& c) {
  if (training_benchmark_of(c)) return "MLPerf " + c.workload.model;
  return c.workload.framework == "pytorch" && c.workload.model == "mask-rcnn" ? "maskrcnn-benchmark" : "";
}

/// The release that the case states or its publication implies.
std::string release_of(const ValidationCase& c, std::string_view first_container) {
  const std::string& stated = c.workload.framework_version;
  const auto& implied = publication_of(c).releases;
  if (const auto found = implied.find(c.workload.framework); stated.empty() && found != implied.end())
    return found->second;
  return version_on(c.workload.framework, stated, first_container);
}

}  // namespace

FrameworkQuery software_of_case(const ValidationCase& c, std::string_view first_container) {
  FrameworkQuery query;
  query.name = c.workload.framework;
  if (query.name == "tensorflow" && flag_in(c.workload.extra, "xla").value_or(false))
    query.name = "tensorflow-xla";
  query.version = release_of(c, first_container);
  query.cudnn = text_in(c.workload.extra, "cudnn").value_or("");
  query.script = script_of(c);
  if (const auto benchmark = training_benchmark_of(c)) {
    // NeMo is PyTorch's, and some results name the container.
    const bool named_by_container = query.name == "pytorch" && benchmark->framework == "nemo";
    if (query.name == "unknown" || named_by_container) query.name = benchmark->framework;
  }
  if (query.script.empty()) query.script = usual_script(c);
  query.training = c.workload.task != "inference";
  query.kernels = text_in(c.workload.extra, "kernels").value_or("");
  if (query.kernels == "cudnn") query.kernels.clear();
  query.channels_last =
      text_in(c.workload.extra, "layout") == "nhwc" || text_in(c.workload.extra, "memory_layout") == "nhwc";
  query.compiled = member_in(c.workload.extra, "compile") != nullptr;
  return query;
}

namespace {

/// Empty for a GPU that is not stated or not known.
std::string first_container(const Catalog& catalog, const ValidationCase& c) {
  const std::vector<std::string> known = catalog.ids("gpus");
  if (!c.system.gpu || std::ranges::find(known, *c.system.gpu) == known.end()) return {};
  return gpu_spec(catalog, *c.system.gpu).line.first_container;
}

}  // namespace

void require_compiler(const ValidationCase& c) {
  const bool open = c.workload.precision == "mixed" && !flag_in(c.workload.extra, "xla");
  if (open && !with_usual(c, "xla").empty()) throw Unpredictable{"with XLA or without is not stated", "xla"};
}

FrameworkProfile profile_of(const Catalog& catalog, const ValidationCase& c) {
  require_compiler(c);
  try {
    return framework_profile(software_of_case(c, first_container(catalog, c)));
  } catch (const Error& e) {
    throw Unpredictable{e.message()};
  }
}

std::optional<bool> states_adam(const ValidationCase& c) {
  const auto stated = text_in(c.workload.extra, "optimizer");
  return stated ? std::optional{*stated != "sgd" && *stated != "momentum"} : std::nullopt;
}

bool trains_with_adam(const ValidationCase& c, const Workload& workload) {
  if (const auto stated = states_adam(c)) return *stated;
  return usual_optimizer(workload) == Optimizer::adam;
}

namespace {

/// Of several runs the numbers of their last epochs, each once; how often each came is not stated, so the
/// mean of the first and the last. Whether a script counts from 0 or 1 is known of translation scripts.
std::optional<double> epochs_of_runs(const ValidationCase& c) {
  const auto sentences = sentences_of_case(c);
  const Json* last = member_in(c.workload.extra, "last_eval_epoch");
  if (!sentences || last == nullptr || last->kind() != JsonKind::array || last->array().empty())
    return std::nullopt;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Json& epoch : last->array()) {
    if (epoch.kind() != JsonKind::number) return std::nullopt;
    low = std::min(low, epoch.number());
    high = std::max(high, epoch.number());
  }
  const double epochs = (low + high) / 2 - sentences->first_epoch + 1;
  return epochs > 0 ? std::optional{epochs} : std::nullopt;
}

double epochs_of(const ValidationCase& c) {
  const Json& extra = c.workload.extra;
  if (text_in(c.json, "length_from")) return 1;  // how many there are is another row's
  for (const std::string_view key : {"epochs", "last_eval_epoch"})
    if (const auto epochs = number_in(extra, key); epochs && *epochs > 0) return *epochs;
  if (const auto epochs = epochs_of_runs(c)) return *epochs;
  throw Unpredictable{"number of epochs not stated", "epochs"};
}

}  // namespace

RunLength length_of_run(const ValidationCase& c) {
  const Json& extra = c.workload.extra;
  if (const auto total = number_in(extra, "samples_to_target"); total && *total > 0) return {*total, 1};
  if (const auto tokens = number_in(extra, "tokens"); tokens && sequence_length(c))
    return {*tokens / *sequence_length(c), 1};
  auto per_epoch = number_in(extra, "samples_per_epoch");
  if (const auto sentences = sentences_of_case(c); !per_epoch && sentences) per_epoch = sentences->pairs;
  if (const auto tera = number_in(extra, "dataset_tb"); !per_epoch && tera)
    per_epoch = *tera * 1e12 / imagenet_image.base();  // images of the usual size
  if (!per_epoch || !(*per_epoch > 0)) throw Unpredictable{"samples per epoch not stated", "samples"};
  return {*per_epoch, c.metric == "epoch_time_s" ? 1.0 : epochs_of(c)};
}

}  // namespace rackcast
