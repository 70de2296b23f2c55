/// Families with experts, and hybrids.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "calibrate/import/hugging_face/hf_config.hpp"

namespace rackcast {
namespace {

void with_experts(HfConfig& in, std::int64_t experts, std::int64_t width) {
  in.shape["experts"] = experts;
  in.shape["top_k"] = in.count({"num_experts_per_tok", "experts_per_token"});
  in.shape["moe_ffn"] = width;
}

/// Of each `step` layers the last has experts, and the others are dense.
void with_experts_every(HfConfig& in, std::int64_t step) {
  if (step <= 1) return;
  in.shape["dense_layers"] = step - 1;
  in.shape["expert_every"] = step;
}

void sparse_qwen(HfConfig& in) {
  with_experts(in, in.count({"num_experts"}), in.count({"moe_intermediate_size"}));
  with_experts_every(in, in.count_or({"decoder_sparse_step"}, 1));
  if (const Json* dense = in.find("mlp_only_layers"); dense && !dense->is_null() && !dense->array().empty())
    in.refuse("mlp_only_layers", "single layers without experts cannot be described");
}

/// Experts behind the first layers, with experts for every token beside them (DeepSeek and its heirs).
void routed_experts(HfConfig& in) {
  with_experts(in, in.count({"n_routed_experts"}), in.count({"moe_intermediate_size"}));
  if (const std::int64_t shared = in.count_or({"n_shared_experts"}, 0)) in.shape["shared_experts"] = shared;
  if (const std::int64_t dense = in.count_or({"first_k_dense_replace"}, 0)) in.shape["dense_layers"] = dense;
  if (in.count_or({"moe_layer_freq"}, 1) != 1)
    in.refuse("moe_layer_freq", "experts in every Nth layer behind the dense ones cannot be described");
}

}  // namespace

void hf_mixtral(HfConfig& in) {
  hf_mistral(in);
  with_experts(in, in.count({"num_local_experts"}), in.count({"intermediate_size"}));
}

void hf_qwen2_moe(HfConfig& in) {
  hf_qwen2(in);
  sparse_qwen(in);
  in.shape["shared_experts"] = 1;
  in.shape["shared_ffn"] = in.count({"shared_expert_intermediate_size"});
}

void hf_qwen3_moe(HfConfig& in) {
  hf_qwen3(in);
  sparse_qwen(in);
}

void hf_deepseek(HfConfig& in) {
  hf_llama_shape(in, false);
  for (const char* unused : {"kv_heads", "head_dim"}) in.shape.erase(unused);
  for (const char* rank : {"kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"})
    in.shape[rank] = in.count({rank});
  if (const std::int64_t rank = in.count_or({"q_lora_rank"}, 0)) in.shape["q_lora_rank"] = rank;
  routed_experts(in);
  if (in.count_or({"num_nextn_predict_layers"}, 0) > 0)
    in.warn("layers that predict a further token are left out");
}

void hf_glm4_moe(HfConfig& in) {
  hf_llama_shape(in, false);
  if (in.flag("use_qk_norm", false)) in.shape["qk_norm"] = true;
  routed_experts(in);
  if (in.count_or({"num_nextn_predict_layers"}, 0) > 0)
    in.warn("layers that predict a further token are left out");
}

void hf_gpt_oss(HfConfig& in) {
  hf_llama_shape(in, false);
  in.shape.erase("qkv_bias");
  in.shape["biases"] = true;
  with_experts(in, in.count({"num_local_experts"}), in.count({"intermediate_size"}));
  hf_windows(in, in.count_or({"sliding_window"}, 128), 2);
  in.warn("each head has a learned sink, one value that is left out");
}

void hf_llama4(HfConfig& in) {
  hf_llama_shape(in, false);
  in.shape["ffn"] = in.count({"intermediate_size_mlp"});
  with_experts(in, in.count({"num_local_experts"}), in.count({"intermediate_size"}));
  in.shape["shared_experts"] = 1;
  with_experts_every(in, in.count_or({"interleave_moe_layer_step"}, 1));
  // Three layers of four attend within chunks, which count as windows of their length.
  hf_windows(in, in.count_or({"attention_chunk_size"}, 8192), 4);
}

void hf_minimax_m2(HfConfig& in) {
  hf_llama_shape(in, false);
  if (in.flag("use_qk_norm", false)) in.shape["qk_norm"] = true;
  with_experts(in, in.count({"num_local_experts"}), in.count({"intermediate_size"}));
  if (in.flag("use_mtp", false)) in.warn("layers that predict a further token are left out");
}

void hf_nemotron_h(HfConfig& in) {
  const Json* pattern = in.find("hybrid_override_pattern");
  if (!pattern || pattern->is_null())
    in.refuse("model_type", "a hybrid without \"hybrid_override_pattern\" cannot be described");
  std::int64_t mamba = 0, attention = 0, dense = 0, sparse = 0;
  for (const char c : pattern->string()) {
    if (c == 'M')
      ++mamba;
    else if (c == '*')
      ++attention;
    else if (c == '-')
      ++dense;
    else if (c == 'E')
      ++sparse;
    else
      pattern->fail(fmt::format("the pattern has layers of M, *, - and E, not '{}'", c));
  }
  if (dense > 0 && sparse > 0) pattern->fail("a hybrid with experts in some MLPs alone cannot be described");
  hf_llama_shape(in, false);
  in.shape["layers"] = mamba + attention + dense + sparse;
  in.shape.erase("gated_mlp");
  if (const std::int64_t head = in.count_or({"head_dim", "attention_head_dim"}, 0))
    in.shape["head_dim"] = head;
  in.shape["mamba_layers"] = mamba;
  in.shape["attention_layers"] = attention;
  in.shape["mamba_heads"] = in.count({"mamba_num_heads"});
  in.shape["mamba_head_dim"] = in.count({"mamba_head_dim"});
  in.shape["mamba_state"] = in.count({"ssm_state_size"});
  in.shape["mamba_groups"] = in.count({"n_groups"});
  if (sparse == 0) return;
  in.shape.erase("ffn");
  with_experts(in, in.count({"n_routed_experts"}), in.count({"moe_intermediate_size"}));
  if (const std::int64_t shared = in.count_or({"n_shared_experts"}, 0)) in.shape["shared_experts"] = shared;
  if (const std::int64_t wide = in.count_or({"moe_shared_expert_intermediate_size"}, 0))
    in.shape["shared_ffn"] = wide;
  if (const std::int64_t latent = in.count_or({"moe_latent_size"}, 0)) in.shape["moe_latent"] = latent;
}

}  // namespace rackcast
