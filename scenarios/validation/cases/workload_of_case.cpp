#include "scenarios/validation/cases/workload_of_case.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "models/memory/memory.hpp"
#include "models/networks/workload.hpp"
#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/cases/split_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "scenarios/validation/settings/publications.hpp"
#include "sim/base/error.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

std::optional<std::int64_t> count(const Json& object, std::string_view key) {
  const auto number = number_in(object, key);
  if (!number || !(*number >= 0) || *number > 1e9 || std::floor(*number) != *number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

}  // namespace

std::optional<std::array<std::int64_t, 3>> image_of_case(const ValidationCase& c) {
  const Json& input = c.workload.input;
  if (input.kind() != JsonKind::string) return std::nullopt;
  int height = 0, width = 0, channels = 0;
  char rest = 0;
  if (std::sscanf(input.string().c_str(), "%5dx%5dx%5d%c", &height, &width, &channels, &rest) != 3)
    return std::nullopt;
  return std::array<std::int64_t, 3>{height, width, channels};
}

namespace {

/// What the scripts of the framework run under the name of the network.
std::string scripts_network(const ValidationCase& c) {
  const std::string& model = c.workload.model;
  std::string variant = text_in(c.workload.extra, "model_variant").value_or("");
  if (model == "alexnet" && variant == "caffenet") return variant;
  if (model == "alexnet" && variant == "one-weird-trick") return "alexnet-owt";
  FrameworkQuery software = software_of_case(c, "");
  software.kernels.clear();  // whoever computes them, the network is the same
  const auto networks = framework_profile(software).networks;
  const auto found = networks.find(model);
  return found != networks.end() ? found->second : model;
}

}  // namespace

std::string network_name_of_case(const ValidationCase& c) {
  const std::string name = scripts_network(c);
  if (name.empty()) throw Unpredictable{"model not stated"};
  if (name.find('/') != std::string::npos || name.ends_with(".json"))
    throw Unpredictable{"model \"" + name + "\" is not among the networks"};
  return name;
}

namespace {

/// Words that are divided over the GPUs of a tensor-parallel group, rounded down.
std::int64_t divided_vocabulary(std::int64_t words, const ValidationCase& c) {
  const auto group = static_cast<std::int64_t>(ways_of_case(c, "tp"));
  return std::max<std::int64_t>(1, words / group) * group;
}

TransformerShape shape_of(const ValidationCase& c) {
  const Json& t = c.workload.transformer;
  TransformerShape s;
  struct Field {
    std::string_view key;
    std::int64_t TransformerShape::*member;
  };
  constexpr std::array fields{Field{"layers", &TransformerShape::layers},
                              Field{"hidden", &TransformerShape::hidden},
                              Field{"heads", &TransformerShape::heads},
                              Field{"vocab", &TransformerShape::vocab},
                              Field{"kv_heads", &TransformerShape::kv_heads},
                              Field{"head_dim", &TransformerShape::head_dim},
                              Field{"ffn", &TransformerShape::ffn},
                              Field{"experts", &TransformerShape::experts},
                              Field{"top_k", &TransformerShape::top_k},
                              Field{"moe_ffn", &TransformerShape::moe_ffn},
                              Field{"shared_experts", &TransformerShape::shared_experts},
                              Field{"dense_layers", &TransformerShape::dense_layers},
                              Field{"q_lora_rank", &TransformerShape::q_lora_rank},
                              Field{"kv_lora_rank", &TransformerShape::kv_lora_rank},
                              Field{"qk_nope_head_dim", &TransformerShape::qk_nope_head_dim},
                              Field{"qk_rope_head_dim", &TransformerShape::qk_rope_head_dim},
                              Field{"v_head_dim", &TransformerShape::v_head_dim}};
  for (const Field& field : fields) s.*field.member = count(t, field.key).value_or(0);
  if (s.layers > 2000 || s.hidden > 1'000'000 || s.ffn > 10'000'000 || s.vocab > 100'000'000 ||
      s.heads > 100'000)
    throw Unpredictable{"transformer larger than any that was built"};
  s.seq_len = static_cast<std::int64_t>(sequence_length(c).value_or(0));
  s.gated_mlp = flag_in(t, "gated_mlp").value_or(false);
  s.causal = flag_in(t, "causal").value_or(true);
  if (const auto words = publication_of(c).vocabulary) s.vocab = divided_vocabulary(*words, c);
  s.tied_output = flag_in(c.workload.extra, "tied_embeddings").value_or(false);
  s.parallel_block = flag_in(t, "parallel_block").value_or(false);
  s.layer_norm = !s.gated_mlp;  // RMS norm came with gated MLPs (Llama)
  s.biases = !s.gated_mlp;
  return s;
}

bool is_plain_transformer(const ValidationCase& c) {
  return number_in(c.workload.transformer, "layers") && number_in(c.workload.transformer, "hidden");
}

}  // namespace

std::optional<TransformerShape> transformer_of_case(const ValidationCase& c) {
  if (!is_plain_transformer(c)) return std::nullopt;
  return shape_of(c);
}

std::optional<SentenceBatches> sentences_of_case(const ValidationCase& c) {
  const auto set = text_in(c.workload.extra, "dataset");
  if (!set || c.workload.task != "training") return std::nullopt;
  return sentence_batches({.network = scripts_network(c),
                           .set = *set,
                           .framework = c.workload.framework,
                           .version = c.workload.framework_version,
                           .cut = number_in(c.workload.input, "max_seq_len"),
                           .gpus = c.system.gpus.value_or(1)});
}

std::optional<double> sequence_length(const ValidationCase& c) {
  // Without padding the mean is what is computed.
  if (flag_in(c.workload.extra, "padding_removed").value_or(false)) {
    if (const auto mean = number_in(c.workload.extra, "mean_seq_len")) return std::round(*mean);
  }
  for (const Json* from : {&c.workload.input, &c.workload.transformer, &c.workload.extra}) {
    const auto tokens = number_in(*from, "seq_len");
    if (tokens && *tokens >= 1 && *tokens <= 4e6) return tokens;
  }
  if (const auto sentences = sentences_of_case(c)) return static_cast<double>(sentences->length());
  return std::nullopt;
}

double counted_tokens(const ValidationCase& c) {
  if (const auto sentences = sentences_of_case(c)) return sentences->counted;
  const auto length = sequence_length(c);
  if (!length) throw Unpredictable{"sequence length not stated", "seq_len"};
  return *length;
}

std::string workload_key(const ValidationCase& c) {
  std::string key = scripts_network(c);
  if (is_plain_transformer(c)) {
    for (const auto& [name, value] : c.workload.transformer.object())
      if (value.kind() == JsonKind::number) key += "/" + name + std::to_string(value.number());
    key += "/words" + std::to_string(shape_of(c).vocab);
    key += "/tied" + std::to_string(flag_in(c.workload.extra, "tied_embeddings").value_or(false));
    key += "/gated" + std::to_string(flag_in(c.workload.transformer, "gated_mlp").value_or(false));
  }
  if (const auto image = image_of_case(c))
    for (const std::int64_t side : *image) key += "/" + std::to_string(side);
  if (const auto tokens = sequence_length(c)) key += "/seq" + std::to_string(*tokens);
  return key;
}

Workload workload_of_case(const ValidationCase& c) {
  try {
    if (is_plain_transformer(c)) return transformer_workload(shape_of(c));
    WorkloadOptions options;
    options.image = image_of_case(c);
    if (const auto tokens = sequence_length(c)) options.seq_len = static_cast<std::int64_t>(*tokens);
    return load_workload(network_name_of_case(c), options);
  } catch (const Error& e) {
    throw Unpredictable{e.message()};
  }
}

namespace {

/// Samples in a batch that is made of tokens; nothing where the case does not say of how many.
std::optional<double> batch_of_tokens(const ValidationCase& c) {
  auto tokens = number_in(c.workload.input, "tokens_per_gpu");
  if (const auto sentences = sentences_of_case(c); sentences && sentences->filling > 0) {
    if (!tokens && c.workload.precision == "fp32") tokens = sentences->wide_tokens;
    if (!tokens && c.workload.precision == "mixed") tokens = sentences->tokens;
    if (!tokens) return std::nullopt;
    try {
      return sentences->pairs_in(*tokens);
    } catch (const Error& e) {
      throw Unpredictable{e.message()};
    }
  }
  const auto length = sequence_length(c);
  return tokens && length ? std::optional{*tokens / *length} : std::nullopt;
}

}  // namespace

double batch_of_case(const ValidationCase& c) {
  const ValidationCase::Workload& w = c.workload;
  double batch = 0;
  if (w.batch_per_gpu) {
    batch = *w.batch_per_gpu;
  } else if (w.micro_batch) {
    batch = *w.micro_batch;
  } else if (w.global_batch && c.one_gpu()) {
    batch = *w.global_batch / number_in(w.extra, "accumulation_steps").value_or(1);
  } else {
    batch = batch_of_tokens(c).value_or(0);
  }
  if (c.workload.batch_per_gpu && !(*c.workload.batch_per_gpu > 0))
    throw Unpredictable{"the batch is not above zero"};
  if (!(batch > 0) || batch > 1e9) throw Unpredictable{"batch not stated", "batch"};
  return batch;
}

double accumulation_of_case(const ValidationCase& c) {
  const ValidationCase::Workload& w = c.workload;
  if (const auto stated = number_in(w.extra, "accumulation_steps")) return std::max(1.0, *stated);
  if (!w.global_batch || (!w.batch_per_gpu && !w.micro_batch)) return 1;
  const double steps = *w.global_batch / (batch_of_case(c) * c.system.gpus.value_or(1));
  // Anything but a whole number is a slip in the source, not accumulation.
  return steps >= 2 && std::abs(steps - std::round(steps)) < 1e-6 ? std::round(steps) : 1;
}

Recomputation recomputation_of_case(const ValidationCase& c) {
  const std::string stated = text_in(c.workload.parallelism, "recompute").value_or("none");
  const auto* found = std::ranges::find(recomputation_names, stated);
  if (found == recomputation_names.end())
    throw Unpredictable{"recomputation \"" + stated + "\": no model yet"};
  return static_cast<Recomputation>(found - recomputation_names.begin());
}

std::optional<TransformerShape> known_transformer(PredictionContext& context, const ValidationCase& c) {
  if (auto stated = transformer_of_case(c)) return stated;
  const auto& known = context.workload(c).transformer;
  return known ? std::optional{*known} : std::nullopt;
}

MemoryOptions memory_of_case(PredictionContext& context, const ValidationCase& c) {
  MemoryOptions options;
  options.precision = precision_of(c);
  const FrameworkProfile profile = context.profile(c);
  options.workspace = profile.workspace;
  options.trainer = profile.memory;
  if (trains_with_adam(c, context.workload(c))) options.optimizer = Optimizer::adam;
  return options;
}

double largest_batch_of_case(PredictionContext& context, const ValidationCase& c) {
  if (!c.system.gpu) throw Unpredictable{"GPU not stated", "gpu"};
  const double most = largest_batch(context.workload(c), memory_of_case(context, c),
                                    gpu_spec(context.catalog(), *c.system.gpu).available_memory());
  if (most < 1) throw Unpredictable{"not one sample fits the GPU"};
  return most;
}

ValidationCase with_fitting_batch(PredictionContext& context, ValidationCase c) {
  if (c.workload.batch_per_gpu || c.workload.global_batch || c.workload.micro_batch) return c;
  c.workload.batch_per_gpu = std::exp2(std::floor(std::log2(largest_batch_of_case(context, c))));
  return c;
}

}  // namespace rackcast
