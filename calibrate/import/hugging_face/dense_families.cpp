/// Families without experts.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "calibrate/import/hugging_face/hf_config.hpp"

namespace rackcast {
namespace {

/// What GPT-2 and its heirs have in common: layer norms, and a bias on every matrix.
void with_layer_norms(HfConfig& in, bool biases) {
  in.shape["layer_norm"] = true;
  if (biases) in.shape["biases"] = true;
}

void with_tied(HfConfig& in, bool otherwise) {
  if (in.flag("tie_word_embeddings", otherwise)) in.shape["tied_output"] = true;
}

/// Layers, widths and heads under the names that most classes use, and older ones.
void basic_shape(HfConfig& in) {
  in.shape["layers"] = in.count({"num_hidden_layers", "n_layer", "n_layers"});
  in.shape["hidden"] = in.count({"hidden_size", "n_embed", "n_embd"});
  in.shape["heads"] = in.count({"num_attention_heads", "n_head"});
  in.shape["vocab"] = in.count({"vocab_size"});
  in.shape["causal"] = true;
}

/// "layer_types" as a number N, where every Nth layer attends to everything; 0: none; nothing: no such rule.
std::optional<std::int64_t> full_every(const Json& types) {
  std::vector<bool> full;
  for (const Json& type : types.array()) full.push_back(type.string() == "full_attention");
  std::int64_t first = 0;
  while (static_cast<std::size_t>(first) < full.size() && !full[static_cast<std::size_t>(first)]) ++first;
  if (static_cast<std::size_t>(first) == full.size()) return 0;
  for (std::size_t i = 0; i < full.size(); ++i)
    if (full[i] != ((static_cast<std::int64_t>(i) + 1) % (first + 1) == 0)) return std::nullopt;
  return first + 1;
}

}  // namespace

void hf_windows(HfConfig& in, std::int64_t window, std::int64_t otherwise) {
  std::int64_t every = otherwise;
  if (const Json* types = in.find("layer_types"); types && !types->is_null()) {
    const auto found = full_every(*types);
    if (!found)
      in.refuse("layer_types", "layers that attend to everything must follow each other at one distance");
    every = *found;
  }
  if (window <= 0 || every == 1) return;
  in.shape["window"] = window;
  if (every > 1) in.shape["full_attention_every"] = every;
}

void hf_llama_shape(HfConfig& in, bool tied) {
  basic_shape(in);
  if (const std::int64_t groups = in.count_or({"num_key_value_heads"}, 0)) in.shape["kv_heads"] = groups;
  if (const std::int64_t head = in.count_or({"head_dim"}, 0)) in.shape["head_dim"] = head;
  in.shape["ffn"] = in.count({"intermediate_size"});
  in.shape["gated_mlp"] = true;
  in.take_longest(in.count({"max_position_embeddings"}));
  with_tied(in, tied);
  if (in.flag("mlp_bias", false)) {
    in.shape["biases"] = true;
  } else if (in.flag("attention_bias", false)) {
    in.shape["qkv_bias"] = true;
  }
}

void hf_llama(HfConfig& in) {
  hf_llama_shape(in, false);
}

void hf_mistral(HfConfig& in) {
  hf_llama_shape(in, false);
  const std::int64_t window = in.count_or({"sliding_window"}, 0);
  if (window < in.count({"max_position_embeddings"})) hf_windows(in, window, 0);
}

void hf_qwen2(HfConfig& in) {
  hf_llama_shape(in, false);
  in.shape["qkv_bias"] = true;
  if (in.flag("use_sliding_window", false))
    in.refuse("use_sliding_window", "windows in the upper layers alone cannot be described");
}

void hf_qwen3(HfConfig& in) {
  hf_llama_shape(in, false);
  in.shape["qk_norm"] = true;
  if (in.flag("use_sliding_window", false))
    in.refuse("use_sliding_window", "windows in the upper layers alone cannot be described");
}

void hf_gemma(HfConfig& in) {
  hf_llama_shape(in, true);
}

void hf_gemma2(HfConfig& in) {
  in.assume({{"vocab_size", 256000},
             {"hidden_size", 2304},
             {"intermediate_size", 9216},
             {"num_hidden_layers", 26},
             {"num_attention_heads", 8},
             {"num_key_value_heads", 4},
             {"head_dim", 256},
             {"sliding_window", 4096},
             {"max_position_embeddings", 8192}});
  hf_llama_shape(in, true);
  in.shape["sandwich_norm"] = true;
  hf_windows(in, in.count({"sliding_window"}), 2);
}

void hf_gemma3(HfConfig& in) {
  in.assume({{"vocab_size", 262208},
             {"hidden_size", 2304},
             {"intermediate_size", 9216},
             {"num_hidden_layers", 26},
             {"num_attention_heads", 8},
             {"num_key_value_heads", 4},
             {"head_dim", 256},
             {"sliding_window", 4096},
             {"max_position_embeddings", 131072}});
  hf_llama_shape(in, true);
  in.shape["sandwich_norm"] = true;
  in.shape["qk_norm"] = true;
  hf_windows(in, in.count({"sliding_window"}), in.count_or({"sliding_window_pattern"}, 6));
}

void hf_gpt2(HfConfig& in) {
  basic_shape(in);
  const std::int64_t positions = in.count({"n_positions", "n_ctx"});
  if (const std::int64_t inner = in.count_or({"n_inner"}, 0)) in.shape["ffn"] = inner;
  in.shape["learned_positions"] = positions;
  in.take_longest(positions);
  in.shape["dropout"] = true;
  with_layer_norms(in, true);
  with_tied(in, true);
}

void hf_gpt_neox(HfConfig& in) {
  basic_shape(in);
  in.shape["ffn"] = in.count({"intermediate_size"});
  in.take_longest(in.count({"max_position_embeddings"}));
  if (in.flag("use_parallel_residual", true)) {
    in.shape["parallel_block"] = true;
    in.warn(
        "attention and MLP have one norm here and two in GPT-NeoX: 2 * hidden parameters a layer are "
        "missing");
  }
  with_layer_norms(in, in.flag("attention_bias", true));
  with_tied(in, false);
}

void hf_falcon(HfConfig& in) {
  basic_shape(in);
  const std::int64_t heads = in.shape["heads"];
  const bool grouped = in.flag("new_decoder_architecture", false);
  in.shape["kv_heads"] = grouped ? in.count_or({"num_kv_heads", "n_head_kv"}, heads)
                                 : (in.flag("multi_query", true) ? 1 : heads);
  if (const std::int64_t inner = in.count_or({"ffn_hidden_size"}, 0)) in.shape["ffn"] = inner;
  in.take_longest(in.count_or({"max_position_embeddings"}, 2048));
  if (grouped || in.flag("parallel_attn", true)) in.shape["parallel_block"] = true;
  with_layer_norms(in, in.flag("bias", false));
  with_tied(in, true);
}

void hf_bloom(HfConfig& in) {
  basic_shape(in);
  in.take_longest(in.count_or({"seq_length"}, 2048));
  in.warn("the norm behind the embedding, 2 * hidden parameters, is left out");
  with_layer_norms(in, true);
  with_tied(in, true);
}

void hf_opt(HfConfig& in) {
  if (!in.flag("do_layer_norm_before", true))
    in.refuse("do_layer_norm_before", "OPT with norms behind each part (OPT-350M) cannot be described");
  basic_shape(in);
  in.shape["ffn"] = in.count({"ffn_dim"});
  const std::int64_t longest = in.count({"max_position_embeddings"});
  in.shape["learned_positions"] = longest + 2;  // the class adds two rows that no token uses
  in.take_longest(longest);
  in.shape["dropout"] = true;
  with_layer_norms(in, in.flag("enable_bias", true));
  with_tied(in, true);
}

void hf_phi(HfConfig& in) {
  basic_shape(in);
  if (const std::int64_t groups = in.count_or({"num_key_value_heads"}, 0)) in.shape["kv_heads"] = groups;
  in.shape["ffn"] = in.count({"intermediate_size"});
  in.take_longest(in.count({"max_position_embeddings"}));
  in.shape["parallel_block"] = true;
  with_layer_norms(in, true);
  with_tied(in, false);
}

void hf_bert(HfConfig& in) {
  basic_shape(in);
  in.shape["causal"] = false;
  in.shape["ffn"] = in.count({"intermediate_size"});
  const std::int64_t positions = in.count({"max_position_embeddings"});
  in.shape["learned_positions"] = positions;
  in.take_longest(positions);
  in.shape["token_types"] = in.count_or({"type_vocab_size"}, 2);
  in.shape["post_norm"] = true;
  in.shape["dropout"] = true;
  in.shape["mlm_head"] = true;
  in.warn("the head is that of masked words, as in pretraining");
  with_layer_norms(in, true);
  with_tied(in, true);
}

void hf_t5(HfConfig& in) {
  if (const Json* kind = in.find("feed_forward_proj"); kind && !kind->is_null() && kind->string() != "relu")
    in.refuse("feed_forward_proj", "T5 with a gated feed-forward part (T5 1.1, FLAN-T5) cannot be described");
  const std::int64_t layers = in.count({"num_layers"});
  if (in.count_or({"num_decoder_layers"}, layers) != layers)
    in.refuse("num_decoder_layers", "encoder and decoder must have as many layers");
  in.task = "translation";
  in.layers["extends"] = "t5-base";
  in.layers["parameters"] = {{"width", in.count({"d_model"})},
                             {"heads", in.count({"num_heads"})},
                             {"head", in.count({"d_kv"})},
                             {"ffn", in.count({"d_ff"})},
                             {"layers", layers},
                             {"vocab", in.count({"vocab_size"})}};
}

void hf_vit(HfConfig& in) {
  in.task = "image classification";
  const std::int64_t side = in.count_or({"image_size"}, 224), patch = in.count_or({"patch_size"}, 16);
  in.layers["extends"] = "vit-b-16";
  in.layers["input"] = {{"image", {side, side, in.count_or({"num_channels"}, 3)}}};
  in.layers["parameters"] = {{"patch", patch},
                             {"width", in.count_or({"hidden_size"}, 768)},
                             {"heads", in.count_or({"num_attention_heads"}, 12)},
                             {"ffn", in.count_or({"intermediate_size"}, 3072)},
                             {"blocks", in.count_or({"num_hidden_layers"}, 12)}};
  in.warn("the last layer has 1,000 classes, as for ImageNet");
}

}  // namespace rackcast
