#include "scenarios/format/global_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/networks/layer_arguments.hpp"
#include "models/networks/operator.hpp"
#include "models/networks/transformer.hpp"
#include "models/split/pipeline_schedule.hpp"
#include "scenarios/format/parallelism.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/names/graph_spec.hpp"
#include "sim/json/reader.hpp"
#include "sim/json/table_document.hpp"

namespace rackcast {

namespace {

constexpr double most_samples = 1e12;

/// Tokens of one sample of a language model; 0 for other networks.
double tokens_of(const Workload& network) {
  return network.transformer ? static_cast<double>(network.transformer->seq_len) : 0;
}

/// Samples that come in one piece: what all GPUs take at least, or in one pass.
double piece(const WorkloadSpec& spec, int gpus) {
  if (!spec.parallelism) return gpus * (spec.batch_is_default ? 1 : spec.batch_per_gpu);
  const Mesh p = fitting(*spec.parallelism, gpus);
  return p.data * p.micro_batch;
}

std::string pieces_text(const WorkloadSpec& spec, int gpus) {
  if (spec.parallelism) {
    const Mesh p = fitting(*spec.parallelism, gpus);
    return fmt::format("{} replicas with micro-batches of {}", p.data, p.micro_batch);
  }
  if (spec.batch_is_default) return fmt::format("{} GPUs", gpus);
  return fmt::format("{} GPUs with {:g} samples each", gpus, spec.batch_per_gpu);
}

}  // namespace

double sequences_of(const GlobalBatch& batch, const Workload& network) {
  if (batch.samples > 0) return batch.samples;
  const double each = tokens_of(network);
  if (each <= 0)
    throw Error{network.title + " takes no tokens", batch.where, "write \"global_batch\" in samples"};
  const double samples = batch.tokens / each;
  if (samples != std::floor(samples) || samples < 1)
    throw Error{
        fmt::format("{:.0f} tokens are no whole number of samples of {:.0f} tokens", batch.tokens, each),
        batch.where, fmt::format("for example {:.0f} tokens", each * std::max(1.0, std::round(samples)))};
  return samples;
}

GlobalBatch read_global_batch(const Json& json) {
  GlobalBatch out;
  out.where = json.where();
  if (json.kind() != JsonKind::object) {
    out.samples = static_cast<double>(
        checked_integer(json, "global_batch", 1, static_cast<std::int64_t>(most_samples)));
    return out;
  }
  ObjectReader in{json};
  out.tokens = static_cast<double>(in.integer("tokens", 1, static_cast<std::int64_t>(1000 * most_samples)));
  in.finish();
  return out;
}

bool deals_evenly(const WorkloadSpec& spec, const Workload& network, int gpus) {
  if (spec.graph && !takes_gpus(*spec.graph, gpus)) return false;
  if (!spec.global_batch) return true;
  const double samples = sequences_of(*spec.global_batch, network), each = piece(spec, gpus);
  if (std::fmod(samples, each) != 0) return false;
  if (!spec.parallelism) return true;
  const Mesh p = fitting(*spec.parallelism, gpus);
  return takes_micro_batches(p.schedule, p.pipeline, samples / each);
}

WorkloadSpec on_gpus(const WorkloadSpec& spec, const Workload& network, int gpus) {
  if (!spec.global_batch) return spec;
  const double samples = sequences_of(*spec.global_batch, network), each = piece(spec, gpus);
  if (std::fmod(samples, each) != 0) {
    const double below = std::floor(samples / each) * each;
    throw Error{fmt::format("a global batch of {} cannot be dealt out evenly to {}",
                            batch_text(network, samples), pieces_text(spec, gpus)),
                spec.global_batch->where,
                fmt::format("take a multiple of {:.0f}: {:.0f}{}; or another number of nodes", each,
                            below + each, below > 0 ? fmt::format(" or {:.0f}", below) : std::string{})};
  }
  WorkloadSpec out = spec;
  out.global_batch.reset();
  if (spec.parallelism) {
    const Mesh p = fitting(*spec.parallelism, gpus);
    check_micro_batches(p, samples / each, spec.global_batch->where);
    out.parallelism->micro_batches = samples / each;
    out.batch_per_gpu = out.parallelism->batch() / p.gpus();
  } else if (spec.batch_is_default) {
    out.batch_per_gpu = samples / gpus;
  } else {
    out.accumulation = samples / each;
  }
  out.batch_is_default = false;
  return out;
}

std::optional<double> largest_useful_batch(const WorkloadSpec& spec) {
  if (spec.critical_batch) return spec.critical_batch;
  if (spec.convergence) return spec.convergence->law.critical_batch;
  return std::nullopt;
}

std::string batch_text(const Workload& network, double samples) {
  std::string out = fmt::format("{} samples", grouped(samples));
  if (const double each = tokens_of(network); each > 0)
    out += fmt::format(" ({} tokens)", grouped(samples * each));
  return out;
}

doc::Reason batch_reason(const WorkloadSpec& asked, const Workload& network, double samples, int gpus) {
  const WorkloadSpec sized = on_gpus(asked, network, gpus);
  const auto tokens = [&network](std::optional<double> of) -> std::optional<double> {
    const double each = tokens_of(network);
    return of && each > 0 ? std::optional{*of * each} : std::nullopt;
  };
  std::optional<double> micro_batches, micro_batch, replicas, times_of_one;
  if (sized.parallelism) {
    const Mesh p = fitting(*sized.parallelism, gpus);
    micro_batches = p.micro_batches;
    micro_batch = p.micro_batch;
    replicas = p.data;
  }
  const double alone = sized.batch_per_gpu * sized.accumulation;
  if (!asked.global_batch && gpus > 1 && alone > 0) times_of_one = samples / alone;
  const auto useful = largest_useful_batch(asked);
  return doc::Reason{"batch",
                     {{"samples", samples},
                      {"tokens", tokens(samples)},
                      {"per_gpu", sized.batch_per_gpu},
                      {"gpus", gpus},
                      {"passes", sized.accumulation},
                      {"micro_batches", micro_batches},
                      {"micro_batch", micro_batch},
                      {"replicas", replicas},
                      {"fixed", asked.global_batch.has_value()},
                      {"times_of_one", times_of_one},
                      {"largest_useful", useful},
                      {"largest_useful_tokens", tokens(useful)}}};
}

}  // namespace rackcast
