/// The network that Megatron-LM's options describe: a GPT of pretrain_gpt.py.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "calibrate/import/launch/megatron_args.hpp"
#include "calibrate/import/launch/scenario_draft.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

constexpr std::int64_t widest = 10'000'000;

/// Options of networks that are no plain stack of attention and MLP.
constexpr std::array<std::string_view, 7> other_networks{
    "encoder-num-layers", "decoder-num-layers",    "hybrid-layer-pattern",          "hybrid-override-pattern",
    "is-hybrid-model",    "linear-attention-freq", "experimental-attention-variant"};

bool is_plain_gpt(const MegatronArguments& in) {
  for (const std::string_view name : other_networks) {
    if (!in.has(name)) continue;
    in.warn(fmt::format("--{} asks for a network that these options do not describe here, so it is left out",
                        name));
    return false;
  }
  const std::string& script = in.list().script();
  if (!script.starts_with("pretrain_") || script == "pretrain_gpt.py") return true;
  in.warn(fmt::format("{} trains another network than a GPT, so the network is left out", in_quotes(script)));
  return false;
}

/// Whether the option has another value than zero; Megatron-LM's default is not zero.
bool drops(const MegatronArguments& in, std::string_view name) {
  const auto value = in.text(name);
  if (!value) return true;
  const auto number = to_number(*value);
  if (!number || *number < 0 || *number > 1)
    in.fail(name, fmt::format("--{} is {}, but must lie between 0 and 1", name, in_quotes(*value)),
            "for example 0.1");
  return *number > 0;
}

void read_widths(const MegatronArguments& in, TransformerShape& out) {
  out.heads = in.count("num-attention-heads", 1, widest).value_or(0);
  out.head_dim = in.count("kv-channels", 1, widest).value_or(0);
  if (out.head_dim == 0 && out.hidden % out.heads != 0)
    in.fail("num-attention-heads",
            fmt::format("a hidden size of {} cannot be cut over {} heads", out.hidden, out.heads),
            "a divisor of --hidden-size, or --kv-channels with the width of a head");
  if (out.head_dim * out.heads == out.hidden) out.head_dim = 0;
  const bool grouped = in.has("group-query-attention") || (in.is_nemo() && in.has("num-query-groups"));
  if (const auto groups = in.count("num-query-groups", 1, widest); groups && grouped) {
    if (out.heads % *groups != 0)
      in.fail("num-query-groups", fmt::format("{} heads cannot be cut over {} groups", out.heads, *groups),
              "a divisor of --num-attention-heads");
    out.kv_heads = *groups;
  } else if (grouped) {
    out.kv_heads = 1;
  } else if (groups && *groups != out.heads) {
    in.warn("--num-query-groups counts with --group-query-attention only, which is missing: it is left out");
  }
  const std::string activation = in.text("activation").value_or(in.text("activation-func").value_or(""));
  out.gated_mlp =
      in.has("swiglu") || in.has("quick-geglu") || in.has("gated-linear-unit") || activation.ends_with("glu");
  // validate_args(): two thirds of it for gated parts, in multiples of 64.
  const bool narrow = in.has("swiglu") || in.text("activation-func").value_or("") == "swiglu";
  const std::int64_t usual = narrow ? out.hidden * 8 / 3 / 64 * 64 : 4 * out.hidden;
  out.ffn = in.count("ffn-hidden-size", 1, widest).value_or(std::max<std::int64_t>(usual, 1));
}

void read_latent_attention(const MegatronArguments& in, TransformerShape& out) {
  if (!in.has("multi-latent-attention")) return;
  out.q_lora_rank = in.count("q-lora-rank", 1, widest).value_or(0);
  out.kv_lora_rank = in.count("kv-lora-rank", 1, widest).value_or(32);
  out.qk_nope_head_dim = in.count("qk-head-dim", 1, widest).value_or(128);
  out.qk_rope_head_dim = in.count("qk-pos-emb-head-dim", 1, widest).value_or(64);
  out.v_head_dim = in.count("v-head-dim", 1, widest).value_or(128);
  out.kv_heads = out.head_dim = 0;
}

/// A sum of lists of 0 and 1, each as often as a number says: "([0]*3+[1]*58)" or "[0,1]*24", as the layers
/// that it names; nothing for another expression.
std::optional<std::vector<bool>> layers_of_pattern(std::string_view pattern, std::size_t most) {
  std::string text;
  for (const char c : pattern)
    if (c != ' ' && c != '(' && c != ')') text += c;
  std::vector<bool> out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find(']');
    if (!rest.starts_with('[') || end == std::string_view::npos) return std::nullopt;
    std::vector<bool> part;
    for (std::size_t at = 1; at < end; at += 2) {
      if ((rest[at] != '0' && rest[at] != '1') || (rest[at + 1] != ',' && at + 1 != end)) return std::nullopt;
      part.push_back(rest[at] == '1');
    }
    if (part.empty()) return std::nullopt;
    rest.remove_prefix(end + 1);
    double times = 1;
    if (rest.starts_with('*')) {
      const std::size_t digits = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
      times = to_number(rest.substr(1, digits - 1)).value_or(0);
      rest.remove_prefix(digits);
    }
    if (!rest.empty() && !rest.starts_with('+')) return std::nullopt;
    rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
    if (static_cast<double>(out.size()) + times * static_cast<double>(part.size()) >
        static_cast<double>(most))
      return std::nullopt;
    for (double i = 0; i < times; ++i) out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

/// Sets the number of first layers without experts, and the distance between layers with them. False for
/// layers with experts at no regular distance.
bool set_expert_layers(const std::vector<bool>& experts, TransformerShape& out) {
  if (static_cast<std::int64_t>(experts.size()) != out.layers) return false;
  const auto first = std::ranges::find(experts, true);
  if (first == experts.end()) return false;
  const auto second = std::find(first + 1, experts.end(), true);
  const std::ptrdiff_t every = second == experts.end() ? experts.end() - first : second - first;
  for (auto at = first; at != experts.end(); ++at)
    if (*at != ((at - first) % every == 0)) return false;
  out.dense_layers = first - experts.begin();
  out.expert_every = every > 1 ? every : 0;
  return true;
}

void read_layers_of_experts(const MegatronArguments& in, TransformerShape& out) {
  const auto pattern = in.text("moe-layer-freq");
  if (!pattern) return;
  if (const auto number = to_number(*pattern); number && *number >= 1 && *number <= 10'000) {
    out.expert_every = *number > 1 ? static_cast<std::int64_t>(*number) : 0;
  } else if (const auto layers = layers_of_pattern(*pattern, 10'000);
             !layers || !set_expert_layers(*layers, out)) {
    in.fail(
        "moe-layer-freq",
        fmt::format("which of {} layers have experts is {}, a pattern that has no description", out.layers,
                    in_quotes(*pattern)),
        "a number N for every Nth layer, or a list with 0 or 1 for each layer: zeros first, and then ones at "
        "equal distances, such as ([0]*3+[1]*58)");
  }
  if (out.expert_every <= 1 || out.dense_layers > 0) return;
  // Networks begin with a layer without experts where not all have them.
  if (out.layers % out.expert_every != 0)
    in.fail("moe-layer-freq",
            fmt::format("{} layers make no whole groups of {} with experts in the first of each", out.layers,
                        out.expert_every),
            "a divisor of --num-layers");
  out.dense_layers = out.expert_every - 1;
  in.warn("the layer with experts is the last of each group here, not the first; there are as many of them");
}

void read_experts(const MegatronArguments& in, TransformerShape& out) {
  const auto experts = in.count("num-experts", 1, widest);
  if (!experts) return;
  out.experts = *experts;
  out.top_k = in.count("moe-router-topk", 1, widest).value_or(2);
  if (out.top_k > out.experts)
    in.fail("moe-router-topk", fmt::format("a token cannot go to {} of {} experts", out.top_k, out.experts),
            "at most --num-experts");
  out.moe_ffn = in.count("moe-ffn-hidden-size", 1, widest).value_or(out.ffn);
  if (const auto shared = in.count("moe-shared-expert-intermediate-size", 1, widest)) {
    const bool whole = *shared % out.moe_ffn == 0;
    out.shared_experts = whole ? *shared / out.moe_ffn : 1;
    if (!whole) out.shared_ffn = *shared;
  }
  read_layers_of_experts(in, out);
}

/// "(127,0)" or "127,0": tokens before the own one, which counts here.
void read_window(const MegatronArguments& in, TransformerShape& out) {
  const auto window = in.text("window-size");
  if (!window) return;
  std::string_view text = *window;
  if (text.starts_with('(')) text.remove_prefix(1);
  const auto before = to_number(trimmed(text.substr(0, text.find(','))));
  if (!before || *before < -1 || *before > 1e7)
    in.fail("window-size", fmt::format("{} is no window of attention", in_quotes(*window)),
            "for example 127,0");
  if (*before < 0) return;
  out.window = static_cast<std::int64_t>(*before) + 1;
  const auto every = in.text("window-attn-skip-freq");
  if (!every) return;
  const auto number = to_number(*every);
  if (!number || *number < 1 || *number > 10'000)
    in.fail("window-attn-skip-freq",
            "layers that attend to everything must follow each other at one distance",
            "a whole number: each such layer attends to everything");
  out.full_attention_every = static_cast<std::int64_t>(*number);
}

void read_details(const MegatronArguments& in, TransformerShape& out) {
  const std::string norm = in.text("normalization").value_or("");
  out.layer_norm = norm != "RMSNorm" && norm != "rmsnorm";
  const auto denies = [&in](std::string_view name) {
    return in.list().names(name) && !in.has(name);
  };
  out.biases =
      !in.has("disable-bias-linear") && !denies("add-bias-linear") && !(in.is_nemo() && denies("bias"));
  out.qkv_bias = !out.biases && in.has("add-qkv-bias");
  out.qk_norm = in.has("qk-layernorm") && out.kv_lora_rank == 0;  // latent attention has its norms anyway
  constexpr std::string_view shares = "share-embeddings-and-output-weights";
  const bool apart = in.list().names(shares) && !in.has(shares);  // of NeMo
  out.tied_output = !apart && !in.has("untie-embeddings-and-output-weights");
  const bool attention = drops(in, "attention-dropout"), hidden = drops(in, "hidden-dropout");
  out.dropout = attention || hidden;
  const auto positions = in.count("max-position-embeddings", 1, widest);
  const std::string kind = in.text("position-embedding-type").value_or("learned_absolute");
  const bool table = kind == "learned_absolute" && !in.has("use-rotary-position-embeddings") &&
                     !in.has("no-position-embedding");
  if (table) out.learned_positions = positions.value_or(out.seq_len);
  out.longest_context = std::max(positions.value_or(0), out.seq_len);
}

/// Megatron-LM mostly has it from the tokenizer.
bool read_vocabulary(const MegatronArguments& in, TransformerShape& out) {
  if (const auto stated = in.count("vocab-size", 1, widest)) {
    out.vocab = *stated;
    return true;
  }
  if (const auto like = network_like(out, true)) {
    out.vocab = vocabulary_of(*like);
    in.warn(fmt::format("the tokenizer has the size of the vocabulary: {} are taken, as {} has", out.vocab,
                        *like));
    return true;
  }
  // The default of Megatron-LM's tokenizer, and that of the paper which it comes from.
  if (in.text("tokenizer-type").value_or("GPT2BPETokenizer") == "GPT2BPETokenizer") {
    out.vocab = 50257;
    in.warn("the size of the vocabulary is that of GPT-2's tokenizer, 50257: --vocab-size says another");
    return true;
  }
  in.warn(
      "the tokenizer has the size of the vocabulary, so the network is left out: add --vocab-size N to the "
      "file");
  return false;
}

}  // namespace

std::optional<TransformerShape> megatron_shape(const MegatronArguments& in) {
  if (!is_plain_gpt(in)) return std::nullopt;
  for (const std::string_view name : {"num-layers", "hidden-size", "num-attention-heads", "seq-length"}) {
    if (in.has(name)) continue;
    in.warn(fmt::format("without --{} the options do not describe the network, which is left out", name));
    return std::nullopt;
  }
  TransformerShape out;
  out.layers = in.count("num-layers", 1, 10'000).value_or(0);
  out.hidden = in.count("hidden-size", 1, widest).value_or(0);
  out.seq_len = in.count("seq-length", 1, 4'000'000).value_or(0);
  read_widths(in, out);
  read_latent_attention(in, out);
  read_experts(in, out);
  read_window(in, out);
  read_details(in, out);
  if (!read_vocabulary(in, out)) return std::nullopt;
  return out;
}

}  // namespace rackcast
