/// What Megatron-LM refuses stands in megatron/core/transformer/transformer_config.py (numbers of layers) and
/// megatron/core/pipeline_parallel/schedules.py (numbers of micro-batches), as of August 2026.
#include "scenarios/launch/megatron_stages.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// Layers of the stages when all but the last are as long as the longest.
struct StageLayers {
  std::int64_t each = 0, last = 0;
};

StageLayers layers_in_stages(std::int64_t layers, std::int64_t stages) {
  const std::int64_t each = (layers + stages - 1) / stages;
  return {each, layers - (stages - 1) * each};
}

/// The nearest number below `asked` and the nearest one above it, up to `most`, that `works`; empty: none.
template <class Works>
std::vector<std::int64_t> nearest_counts(std::int64_t asked, std::int64_t least, std::int64_t most,
                                         Works works) {
  std::vector<std::int64_t> out;
  for (std::int64_t n = asked - 1; n >= least && out.empty(); --n)
    if (works(n)) out.push_back(n);
  for (std::int64_t n = asked + 1; n <= most; ++n)
    if (works(n)) {
      out.push_back(n);
      break;
    }
  return out;
}

/// `"pipeline": 8 or 16`.
std::string numbers_hint(std::string_view key, const std::vector<std::int64_t>& numbers) {
  return fmt::format("\"{}\": {}", key, fmt::join(numbers, " or "));
}

void check_last_stage(const TrainingLaunch& launch) {
  const std::int64_t layers = launch.shape.layers, stages = launch.mesh.pipeline;
  const StageLayers cut = layers_in_stages(layers, stages);
  if (cut.last >= 1) return;
  const std::int64_t gpus = std::int64_t{launch.nodes} * launch.gpus_per_node;
  const auto works = [&](std::int64_t n) {
    return layers_in_stages(layers, n).last >= 1 &&
           gpus % (n * launch.mesh.tensor * launch.mesh.context) == 0;
  };
  throw Error{
      fmt::format("{} layers in {} stages of up to {} leave no layer to the last stage, and Megatron-LM "
                  "has no argument for it",
                  layers, stages, cut.each),
      launch.split_where, numbers_hint("pipeline", nearest_counts(stages, 1, layers, works))};
}

void check_parts(const TrainingLaunch& launch) {
  const StageLayers cut = layers_in_stages(launch.shape.layers, launch.mesh.pipeline);
  const auto works = [&](std::int64_t n) {
    return cut.each % n == 0 && cut.last % n == 0;
  };
  if (works(launch.mesh.interleave)) return;
  const std::string lengths =
      cut.each == cut.last ? fmt::format("{}", cut.each) : fmt::format("{} and {}", cut.each, cut.last);
  throw Error{
      fmt::format("stages of {} layers are not cut into {} parts of equal length, and Megatron-LM takes "
                  "no others",
                  lengths, launch.mesh.interleave),
      launch.split_where,
      numbers_hint("interleave", nearest_counts(launch.mesh.interleave, 1, cut.each, works))};
}

void check_interleaved_batch(const TrainingLaunch& launch) {
  const Mesh& mesh = launch.mesh;
  const auto stages = static_cast<std::int64_t>(mesh.pipeline);
  const auto batches = static_cast<std::int64_t>(std::llround(mesh.micro_batches));
  if (batches % stages == 0) return;
  const auto works = [&](std::int64_t n) {
    return n % stages == 0;
  };
  const std::vector<std::int64_t> taken = nearest_counts(batches, 1, batches + stages, works);
  std::vector<std::int64_t> whole;
  for (const std::int64_t n : taken)
    whole.push_back(std::llround(static_cast<double>(n) * mesh.micro_batch * mesh.data));
  throw Error{fmt::format("{} micro-batches of a replica are no multiple of the {} stages, and Megatron-LM "
                          "takes no others with \"interleave\"",
                          batches, stages),
              launch.split_where,
              fmt::format("{} micro-batches, a global batch of {}, or no \"interleave\"",
                          fmt::join(taken, " or "), fmt::join(whole, " or "))};
}

template <class Number>
std::string option_text(std::string_view option, Number value) {
  return fmt::format("--{} {}", option, value);
}

}  // namespace

std::vector<std::string> stage_arguments(const TrainingLaunch& launch) {
  const std::int64_t layers = launch.shape.layers, stages = launch.mesh.pipeline;
  check_last_stage(launch);
  std::vector<std::string> out{option_text("pipeline-model-parallel-size", stages)};
  if (layers % stages != 0)
    out.push_back(option_text("decoder-last-pipeline-num-layers", layers_in_stages(layers, stages).last));
  if (launch.mesh.interleave == 1) return out;
  check_parts(launch);
  check_interleaved_batch(launch);
  const std::int64_t parts = stages * launch.mesh.interleave;
  out.push_back(layers % parts == 0
                    ? option_text("num-layers-per-virtual-pipeline-stage", layers / parts)
                    : option_text("num-virtual-stages-per-pipeline-rank", launch.mesh.interleave));
  return out;
}

}  // namespace rackcast
