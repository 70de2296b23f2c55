#include "models/networks/transformer.hpp"

#include "models/networks/layers/operators.hpp"
#include "models/networks/state_space.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

constexpr std::int64_t largest = 10'000'000;

struct CountField {
  std::string_view name;
  std::int64_t TransformerShape::*member;
  bool required;
};

constexpr CountField count_fields[] = {
    {"layers", &TransformerShape::layers, true},
    {"hidden", &TransformerShape::hidden, true},
    {"heads", &TransformerShape::heads, true},
    {"vocab", &TransformerShape::vocab, true},
    {"seq_len", &TransformerShape::seq_len, true},
    {"kv_heads", &TransformerShape::kv_heads, false},
    {"head_dim", &TransformerShape::head_dim, false},
    {"ffn", &TransformerShape::ffn, false},
    {"window", &TransformerShape::window, false},
    {"full_attention_every", &TransformerShape::full_attention_every, false},
    {"experts", &TransformerShape::experts, false},
    {"top_k", &TransformerShape::top_k, false},
    {"moe_ffn", &TransformerShape::moe_ffn, false},
    {"shared_experts", &TransformerShape::shared_experts, false},
    {"dense_layers", &TransformerShape::dense_layers, false},
    {"expert_every", &TransformerShape::expert_every, false},
    {"q_lora_rank", &TransformerShape::q_lora_rank, false},
    {"kv_lora_rank", &TransformerShape::kv_lora_rank, false},
    {"qk_nope_head_dim", &TransformerShape::qk_nope_head_dim, false},
    {"qk_rope_head_dim", &TransformerShape::qk_rope_head_dim, false},
    {"v_head_dim", &TransformerShape::v_head_dim, false},
    {"mamba_layers", &TransformerShape::mamba_layers, false},
    {"attention_layers", &TransformerShape::attention_layers, false},
    {"mamba_heads", &TransformerShape::mamba_heads, false},
    {"mamba_head_dim", &TransformerShape::mamba_head_dim, false},
    {"mamba_state", &TransformerShape::mamba_state, false},
    {"mamba_groups", &TransformerShape::mamba_groups, false},
    {"moe_latent", &TransformerShape::moe_latent, false},
    {"shared_ffn", &TransformerShape::shared_ffn, false},
    {"learned_positions", &TransformerShape::learned_positions, false},
    {"longest_context", &TransformerShape::longest_context, false},
    {"token_types", &TransformerShape::token_types, false},
    {"embedding_width", &TransformerShape::embedding_width, false},
    {"predicted", &TransformerShape::predicted, false},
};

struct FlagField {
  std::string_view name;
  bool TransformerShape::*member;
};

constexpr FlagField flag_fields[] = {
    {"gated_mlp", &TransformerShape::gated_mlp},
    {"causal", &TransformerShape::causal},
    {"parallel_block", &TransformerShape::parallel_block},
    {"biases", &TransformerShape::biases},
    {"qkv_bias", &TransformerShape::qkv_bias},
    {"qk_norm", &TransformerShape::qk_norm},
    {"sandwich_norm", &TransformerShape::sandwich_norm},
    {"post_norm", &TransformerShape::post_norm},
    {"layer_norm", &TransformerShape::layer_norm},
    {"tied_output", &TransformerShape::tied_output},
    {"shared_layers", &TransformerShape::shared_layers},
    {"pooler", &TransformerShape::pooler},
    {"mlm_head", &TransformerShape::mlm_head},
    {"dropout", &TransformerShape::dropout},
};

void require(bool holds, const std::string& message) {
  if (!holds) throw Error{"transformer: " + message};
}

/// Fills in what is implied and rejects what does not fit.
TransformerShape completed(TransformerShape s) {
  for (const CountField& field : count_fields) {
    const std::int64_t n = s.*field.member;
    require(n >= (field.required ? 1 : 0) && n <= largest,
            std::string(field.name) + " must be from " + (field.required ? "1" : "0") + " to " +
                std::to_string(largest) + ", not " + std::to_string(n));
  }
  require(s.layers <= 10'000, "layers must be at most 10000");
  if (s.kv_heads == 0) s.kv_heads = s.heads;
  if (s.ffn == 0) s.ffn = 4 * s.hidden;
  require(s.heads % s.kv_heads == 0, "heads=" + std::to_string(s.heads) +
                                         " must be divisible by kv_heads=" + std::to_string(s.kv_heads));
  if (s.head_dim == 0 && s.kv_lora_rank == 0) {
    require(s.hidden % s.heads == 0, "hidden=" + std::to_string(s.hidden) + " must be divisible by heads=" +
                                         std::to_string(s.heads) + " unless head_dim is given");
    s.head_dim = s.hidden / s.heads;
  }
  if (s.experts > 0) {
    require(s.top_k >= 1 && s.top_k <= s.experts, "top_k must be from 1 to experts");
    if (s.moe_ffn == 0) s.moe_ffn = s.ffn;
    require(s.dense_layers <= s.layers, "dense_layers must be at most layers");
  }
  // Who asks whether all layers are equal asks for dense_layers.
  require(s.expert_every <= 1 || (s.experts > 0 && s.dense_layers > 0),
          "expert_every above 1 needs experts, and at least one of dense_layers in front");
  require(s.full_attention_every == 0 || s.window > 0, "full_attention_every needs a window");
  require(s.window == 0 || s.kv_lora_rank == 0, "window does not go with latent attention");
  require(!s.qk_norm || s.kv_lora_rank == 0, "qk_norm does not go with latent attention, which has its own");
  if (s.kv_lora_rank > 0) {
    require(s.qk_nope_head_dim > 0 && s.v_head_dim > 0, "kv_lora_rank needs qk_nope_head_dim and v_head_dim");
  }
  require(!(s.post_norm && (s.kv_lora_rank > 0 || s.parallel_block || s.sandwich_norm)),
          "post_norm goes with neither latent attention nor parallel blocks nor sandwich_norm");
  if (s.mamba_layers > 0) {
    require(s.mamba_layers + s.attention_layers <= s.layers, "more Mamba and attention layers than layers");
    require(s.mamba_heads > 0 && s.mamba_head_dim > 0 && s.mamba_state > 0 && s.mamba_groups > 0,
            "mamba_layers needs mamba_heads, mamba_head_dim, mamba_state and mamba_groups");
    require(!s.post_norm && !s.parallel_block && !s.shared_layers && s.dense_layers == 0,
            "a hybrid has neither post_norm nor parallel_block, shared_layers or dense_layers");
  }
  require(s.predicted <= s.seq_len, "predicted must be at most seq_len");
  return s;
}

class Generator {
 public:
  explicit Generator(const TransformerShape& shape) : s_(shape) {}

  std::vector<Operator> run() {
    Flow x = embed();
    const std::vector<LayerPart> parts = hybrid_layers(s_);
    for (std::int64_t i = 0; i < s_.layers; ++i) {
      const NetworkBuilder::Prefix prefix(network_, "layer" + std::to_string(i + 1));
      const NetworkBuilder::Place place(network_, i + 1);
      const NetworkBuilder::Mode mode(network_, {.shared = s_.shared_layers && i > 0});
      window_ = attention_window(s_, i);
      x = parts.empty() ? layer(x, has_experts(s_, i)) : layer(x, parts[static_cast<std::size_t>(i)]);
    }
    finish(x);
    return network_.take();
  }

 private:
  Flow linear(std::string name, const Flow& in, std::int64_t out) {
    return add_linear(network_, std::move(name), "linear", in, {.out = out, .bias = s_.biases});
  }

  Flow norm(std::string name, const Flow& in) {
    const double parameters = static_cast<double>(in.shape.channels) * (s_.layer_norm ? 2 : 1);
    return add_map(network_, std::move(name), s_.layer_norm ? "layer_norm" : "rms_norm", OperatorFamily::norm,
                   in, {.input = true}, parameters);
  }

  Flow dropout(std::string name, const Flow& in) {
    return s_.dropout ? add_dropout(network_, std::move(name), in) : in;
  }

  // The operators of a layer that work on the full width of a token.
  Flow in_role(LayerRole role, const Flow& written) {
    network_.set_role(written, role);
    return written;
  }
  Flow token_norm(std::string name, const Flow& in) {
    return in_role(LayerRole::norm, norm(std::move(name), in));
  }
  Flow layer_dropout(std::string name, const Flow& in) {
    return s_.dropout ? in_role(LayerRole::dropout, dropout(std::move(name), in)) : in;
  }
  Flow residual(std::string name, const std::vector<Flow>& parts) {
    return in_role(LayerRole::residual, add_join(network_, std::move(name), "add", parts));
  }

  Flow embed() {
    const Flow tokens{TensorShape::tokens(s_.seq_len, 1), Flow::network_input};
    const std::int64_t width = s_.embedding_width ? s_.embedding_width : s_.hidden;
    std::vector<Flow> tables{add_embedding(network_, "token_embedding", tokens, s_.vocab, width, false)};
    if (s_.learned_positions) {
      tables.push_back(
          add_embedding(network_, "position_embedding", tokens, s_.learned_positions, width, false));
    }
    if (s_.token_types) {
      tables.push_back(add_embedding(network_, "segment_embedding", tokens, s_.token_types, width, false));
    }
    Flow x = tables.size() > 1 ? add_join(network_, "embedding_sum", "add", tables) : tables.front();
    if (s_.post_norm) x = norm("embedding_norm", x);
    x = dropout("embedding_dropout", x);
    return width == s_.hidden ? x : linear("embedding_projection", x, s_.hidden);
  }

  /// Of what attention or MLP returns, where the network has such norms.
  Flow inner_norm(std::string name, const Flow& in) {
    return s_.sandwich_norm ? token_norm(std::move(name), in) : in;
  }

  Flow layer(const Flow& x, bool moe) {
    if (s_.post_norm) {
      const Flow mixed = layer_dropout("attention_dropout", plain_attention(x));
      const Flow middle = token_norm("norm1", residual("add1", {x, mixed}));
      const Flow expanded = layer_dropout("mlp_dropout", moe ? experts(middle) : dense_mlp(middle));
      return token_norm("norm2", residual("add2", {middle, expanded}));
    }
    const Flow normed = token_norm("norm1", x);
    Flow mixed = s_.kv_lora_rank ? latent_attention(normed) : plain_attention(normed);
    mixed = inner_norm("attention_norm", layer_dropout("attention_dropout", mixed));
    if (s_.parallel_block) {
      Flow expanded = layer_dropout("mlp_dropout", moe ? experts(normed) : dense_mlp(normed));
      expanded = inner_norm("mlp_norm", expanded);
      return residual("add", {x, mixed, expanded});
    }
    const Flow middle = residual("add1", {x, mixed});
    const Flow second = token_norm("norm2", middle);
    const Flow expanded = layer_dropout("mlp_dropout", moe ? experts(second) : dense_mlp(second));
    return residual("add2", {middle, inner_norm("mlp_norm", expanded)});
  }

  Flow layer(const Flow& x, LayerPart part) {
    const Flow normed = token_norm("norm1", x);
    Flow mixed;
    if (part == LayerPart::state_space)
      mixed = add_state_space(network_, normed,
                              {s_.mamba_heads, s_.mamba_head_dim, s_.mamba_state, s_.mamba_groups});
    else if (part == LayerPart::attention)
      mixed = plain_attention(normed);
    else
      mixed = s_.experts > 0 ? experts(normed) : dense_mlp(normed);
    return residual("add1", {x, mixed});
  }

  Flow plain_attention(const Flow& x) {
    const NetworkBuilder::Place place(network_, LayerBlock::attention);
    AttentionSpec spec;
    spec.heads = s_.heads;
    spec.kv_heads = s_.kv_heads;
    spec.head_dim = s_.head_dim;
    spec.causal = s_.causal;
    spec.bias = s_.biases;
    spec.qkv_bias = s_.qkv_bias;
    spec.qk_norm = s_.qk_norm;
    spec.window = window_;
    spec.dropout = s_.dropout;
    return add_attention(network_, "attention", x, x, spec);
  }

  /// Low-rank queries and a low-rank cache of keys and values; DeepSeek-V2, equations 9 to 13. Training
  /// expands keys and values for every head.
  Flow latent_attention(const Flow& x) {
    const std::int64_t qk_dim = s_.qk_nope_head_dim + s_.qk_rope_head_dim;
    Flow q = x;
    if (s_.q_lora_rank) q = norm("q_norm", linear("q_down", x, s_.q_lora_rank));
    q = linear("q_up", q, s_.heads * qk_dim);
    Flow compressed = linear("kv_down", x, s_.kv_lora_rank + s_.qk_rope_head_dim);
    compressed.shape.channels = s_.kv_lora_rank;  // the rotary key goes round the expansion
    const Flow latent = norm("kv_norm", compressed);
    const Flow kv = linear("kv_up", latent, s_.heads * (s_.qk_nope_head_dim + s_.v_head_dim));
    const NetworkBuilder::Place place(network_, LayerBlock::attention);
    AttentionSpec spec;
    spec.heads = s_.heads;
    spec.head_dim = qk_dim;
    spec.v_head_dim = s_.v_head_dim;
    spec.causal = s_.causal;
    spec.dropout = s_.dropout;
    const Flow out = add_attention_core(network_, "attention.scores", {q, kv}, x.shape, s_.seq_len, spec);
    return linear("attention.out", out, s_.hidden);
  }

  MlpSpec mlp_spec(std::int64_t width) const {
    MlpSpec spec{.width = width, .gated = s_.gated_mlp, .bias = s_.biases};
    if (s_.mamba_layers > 0) spec.activation = "relu";  // squared, in Nemotron-H
    return spec;
  }
  Flow dense_mlp(const Flow& x) {
    const NetworkBuilder::Place place(network_, LayerBlock::mlp);
    return add_mlp(network_, "mlp", x, mlp_spec(s_.ffn));
  }

  /// Router, the top_k of the experts, and the experts that see every token. Every token is copied to its
  /// experts in their order, and gathered again as a weighted sum. Widths of what flows between the expert
  /// products are per token and chosen expert.
  Flow experts(const Flow& x) {
    add_router(network_, x, s_.experts);
    Flow chosen = s_.moe_latent ? linear("latent.down", x, s_.moe_latent) : x;
    chosen.shape.items = s_.top_k;
    chosen.shape.height = (x.shape.height + s_.token_parts - 1) / s_.token_parts;
    Flow out = routed_experts(chosen);
    out.shape = x.shape;  // weighted sum over the chosen experts
    if (s_.moe_latent) {
      out.shape.channels = s_.moe_latent;
      out = linear("latent.up", out, s_.hidden);
    }
    if (s_.shared_experts == 0) return out;
    const std::int64_t wide = s_.moe_ffn * s_.shared_experts / s_.token_parts;
    const Flow always =
        add_mlp(network_, "shared_experts", x, mlp_spec(s_.shared_ffn ? s_.shared_ffn : wide));
    return in_role(LayerRole::expert_sum, add_join(network_, "expert_sum", "add", {out, always}));
  }

  Flow routed_experts(const Flow& chosen) {
    const NetworkBuilder::Place place(network_, LayerBlock::experts);
    MlpSpec spec = mlp_spec(s_.moe_ffn);
    spec.held = s_.local_experts > 0 ? s_.local_experts : s_.experts;
    spec.used = used_experts(s_.experts, s_.top_k, spec.held, chosen.shape.height);
    return add_chosen_experts(network_, chosen, spec);
  }

  void finish(Flow x) {
    if (!s_.post_norm) x = norm("final_norm", x);
    if (s_.pooler) {
      Flow first = x;
      first.shape = TensorShape::vector(s_.hidden);
      add_activation(network_, "pooler.tanh", "tanh", linear("pooler", first, s_.hidden), false);
    }
    if (s_.predicted) x.shape.height = s_.predicted;
    const std::int64_t width = s_.embedding_width ? s_.embedding_width : s_.hidden;
    if (s_.mlm_head) {
      x = add_activation(network_, "mlm.gelu", "gelu", linear("mlm.dense", x, width), true);
      x = norm("mlm.norm", x);
    }
    LinearSpec output{.out = s_.vocab, .bias = s_.mlm_head};
    output.tied = s_.tied_output;
    output.keeps_16_bits = true;
    const Flow logits = add_linear(network_, "vocabulary", "linear", x, output);
    add_map(network_, "softmax", "softmax", OperatorFamily::softmax, logits, {.output = true});
  }

  TransformerShape s_;
  NetworkBuilder network_;
  std::int64_t window_ = 0;  ///< of the layer at work
};

}  // namespace

std::int64_t longest_context(const TransformerShape& shape) {
  return shape.longest_context > 0 ? shape.longest_context : shape.learned_positions;
}

TransformerShape read_transformer_shape(const Json& json) {
  TransformerShape shape;
  ObjectReader reader{json};
  for (const CountField& field : count_fields) {
    shape.*field.member = field.required ? reader.integer(field.name, 1, largest)
                                         : reader.integer_or(field.name, 0, 0, largest);
  }
  for (const FlagField& field : flag_fields) {
    shape.*field.member = reader.boolean_or(field.name, shape.*field.member);
  }
  reader.finish();
  try {
    completed(shape);
  } catch (const Error& e) {
    json.fail(e.message(), e.hint());
  }
  return shape;
}

Workload transformer_workload(const TransformerShape& shape) {
  const TransformerShape full = completed(shape);
  Workload workload;
  workload.name = "transformer";
  workload.title = "Transformer of " + std::to_string(full.layers) + " layers";
  workload.task = "language model";
  workload.input_text = std::to_string(full.seq_len) + " tokens";
  workload.input_bytes = Bytes{4.0 * static_cast<double>(full.seq_len)};  // int32 token ids
  workload.operators = Generator(full).run();
  workload.transformer = std::make_shared<const TransformerShape>(full);
  return workload;
}

}  // namespace rackcast
