#include "models/serving/generation_pass.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

#include "models/networks/state_space.hpp"
#include "models/networks/token_facts.hpp"

namespace rackcast {

Bytes kv_element(const GenerationSpec& spec) {
  const bool narrow = spec.precision == Precision::fp8 || spec.precision == Precision::fp4;
  return narrow && spec.server.fp8_cache ? Bytes{1} : Bytes{2};
}

namespace {

/// Elements of a map that takes so many bytes: of 16 bits where products have 8 or 4 bits of a float
/// (models/gpu/lowering.cpp), of 8 bits in int8.
double elements_of(Bytes moved, Precision precision) {
  const bool narrow = precision == Precision::fp8 || precision == Precision::fp4;
  return moved / (narrow ? Bytes{2} : activation_bytes(precision));
}

/// Of one layer.
double kv_of_token(const TransformerShape& shape) {
  if (shape.kv_lora_rank > 0) return static_cast<double>(shape.kv_lora_rank + shape.qk_rope_head_dim);
  return 2.0 * static_cast<double>(shape.kv_heads * shape.head_dim);
}

}  // namespace

Workload pass_of(TransformerShape shape, double tokens) {
  shape.seq_len = std::max<std::int64_t>(1, std::llround(tokens));
  shape.predicted = 0;
  return transformer_workload(shape);
}

void fuse_experts(Workload& pass, const TransformerShape& shape, double tokens, double batch) {
  if (shape.experts == 0) return;
  const auto experts = static_cast<double>(shape.experts), chosen = static_cast<double>(shape.top_k);
  const double touched = experts * (1 - std::pow(1 - chosen / experts, tokens));
  const std::int64_t own = shape.local_experts > 0 ? shape.local_experts : shape.experts;
  const double held = static_cast<double>(own) / experts;  // share of the experts on this GPU
  std::map<std::int64_t, std::int64_t> products;           // of an expert, by layer
  for (const Operator& op : pass.operators)
    if (op.place.block == LayerBlock::experts && op.family == OperatorFamily::gemm)
      ++products[op.place.layer];
  std::set<std::int64_t> fused;
  std::erase_if(pass.operators, [&](Operator& op) {
    if (op.place.block != LayerBlock::experts) return false;
    if (op.family != OperatorFamily::gemm || !fused.insert(op.place.layer).second) return true;
    op.kind = "experts";
    op.shape.gates = products.at(op.place.layer);
    op.shape.count = std::max<std::int64_t>(1, std::llround(touched * held));
    op.shape.rows = std::max<std::int64_t>(1, std::llround(tokens * chosen / touched / batch));
    return false;
  });
}

void step_states(Workload& pass, const TransformerShape& shape, double answers, Precision precision) {
  if (shape.mamba_layers == 0) return;
  std::erase_if(pass.operators, [](const Operator& op) { return op.kind == scan_kind; });
  const Bytes state = state_of_request(shape) / static_cast<double>(shape.mamba_layers);
  const double elements = elements_of(answers * state, precision);
  for (Operator& op : pass.operators) {
    if (op.kind != state_kind) continue;
    op.fusable = false;
    op.shape.elements_in = op.shape.elements_out = elements;
  }
}

/// What the second-level cache of a large GPU gives: measured on an H100 ("Nvidia's H100: Funny L2, and Tons
/// of Bandwidth", chipsandcheese.com, 2023), the figure quoted from memory and unverified. It matters to
/// answers with beams alone.
constexpr Bandwidth cache_rate{5.5e12};

void read_cache(Workload& pass, const TransformerShape& shape, double requests, const GenerationSpec& spec,
                Bandwidth memory) {
  const double queries = spec.beams * (1 + spec.speculation.drafts);
  const double own = spec.beams * spec.output / 2, all = spec.beams * spec.prompt + own;
  const double tokens = std::max(spec.prompt + own, spec.beams > 1 ? all * (memory / cache_rate) : 0);
  for (Operator& op : pass.operators) {
    if (op.family != OperatorFamily::attention) continue;
    const auto window = static_cast<double>(attention_window(shape, op.place.layer - 1));
    const double met = window > 0 ? std::min(tokens, window) : tokens;
    const Bytes read = requests * met * kv_of_token(shape) * kv_element(spec);
    const bool latent = shape.kv_lora_rank > 0;
    const std::int64_t sets = latent ? 1 : shape.kv_heads;
    op.kind = latent ? "latent_decode_attention" : "decode_attention";
    op.shape.heads = std::max<std::int64_t>(1, std::llround(queries * double(shape.heads) / double(sets)));
    op.shape.count = std::max<std::int64_t>(1, std::llround(requests * double(sets)));
    op.shape.kv_seq = std::max<std::int64_t>(1, std::llround(met));
    op.shape.head_dim = latent ? shape.kv_lora_rank + shape.qk_rope_head_dim : shape.head_dim;
    op.shape.v_head_dim = latent ? shape.kv_lora_rank : 0;
    op.shape.elements_in = elements_of(read, spec.precision);
  }
}

/// Of a score in 16 bits, made 32 bits, and read.
constexpr double logit_bytes = 2 + 4 + 4;

Operator sampling(double scores, Precision precision) {
  Operator op;
  op.name = "sampling";
  op.kind = "softmax";
  op.family = OperatorFamily::elementwise;
  op.shape.elements_in = elements_of(Bytes{scores * logit_bytes}, precision);
  return op;
}

}  // namespace rackcast
