/// Hugging Face config.json: the shape of a network, as a network that scenarios name. What a key means is
/// what the configuration class of that `model_type` says (github.com/huggingface/transformers,
/// src/transformers/models/*/configuration_*.py); a key that is missing has the default of its class there.
/// A `model_type` whose layers cannot be described is refused with the reason.
#include "calibrate/import/hugging_face/hf_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "calibrate/import/importers.hpp"
#include "models/networks/token_facts.hpp"
#include "models/networks/workload.hpp"
#include "sim/base/near_matches.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

using nlohmann::ordered_json;

/// A length of sequences that pretraining often has; scenarios may state another.
constexpr std::int64_t usual_sequence = 4096;

/// Python writes Infinity and NaN, which are no JSON. No key that is read here may have such a value, so each
/// becomes null or 0, as long as before: places stay right.
std::string without_infinities(std::string_view text) {
  std::string out{text};
  bool quoted = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (quoted && out[i] == '\\') {
      ++i;
    } else if (out[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && out.compare(i, 9, "-Infinity") == 0) {
      out.replace(i, 9, "null     ");
    } else if (!quoted && out.compare(i, 8, "Infinity") == 0) {
      out.replace(i, 8, "null    ");
    } else if (!quoted && out.compare(i, 3, "NaN") == 0) {
      out.replace(i, 3, "0.0");
    }
  }
  return out;
}

/// One kind of network that transformers knows.
struct Family {
  std::string_view type;  ///< its "model_type"
  void (*read)(HfConfig&);
  std::string_view refused = {};  ///< why it cannot be described, where it cannot
};

constexpr std::string_view linear_attention =
    "its linear attention (gated delta networks) is no layer that rackcast has";
constexpr std::string_view sparse_attention = "its attention to chosen tokens is no layer that rackcast has";

constexpr std::array families{
    Family{"bert", hf_bert},
    Family{"bloom", hf_bloom},
    Family{"deepseek_v2", hf_deepseek},
    Family{"deepseek_v3", hf_deepseek},
    Family{"deepseek_v32", nullptr, sparse_attention},
    Family{"deepseek_v4", nullptr, sparse_attention},
    Family{"falcon", hf_falcon},
    Family{"gemma", hf_gemma},
    Family{"gemma2", hf_gemma2},
    Family{"gemma3_text", hf_gemma3},
    Family{"glm4_moe", hf_glm4_moe},
    Family{"glm_moe_dsa", nullptr, sparse_attention},
    Family{"gpt2", hf_gpt2},
    Family{"gpt_neox", hf_gpt_neox},
    Family{"gpt_oss", hf_gpt_oss},
    Family{"kimi_k2", hf_deepseek},
    Family{"kimi_linear", nullptr, linear_attention},
    Family{"llama", hf_llama},
    Family{"llama4_text", hf_llama4},
    Family{"minimax_m2", hf_minimax_m2},
    Family{"mistral", hf_mistral},
    Family{"mixtral", hf_mixtral},
    Family{"nemotron_h", hf_nemotron_h},
    Family{"opt", hf_opt},
    Family{"phi", hf_phi},
    Family{"phi3", hf_mistral},
    Family{"qwen2", hf_qwen2},
    Family{"qwen2_moe", hf_qwen2_moe},
    Family{"qwen3", hf_qwen3},
    Family{"qwen3_5_moe_text", nullptr, linear_attention},
    Family{"qwen3_5_text", nullptr, linear_attention},
    Family{"qwen3_moe", hf_qwen3_moe},
    Family{"qwen3_next", nullptr, linear_attention},
    Family{"qwen3_vl_moe_text", hf_qwen3_moe},
    Family{"qwen3_vl_text", hf_qwen3},
    Family{"roberta", hf_bert},
    Family{"t5", hf_t5},
    Family{"vit", hf_vit},
};

std::vector<std::string_view> readable_types() {
  std::vector<std::string_view> names;
  for (const Family& family : families)
    if (family.read) names.push_back(family.type);
  return names;
}

const Family& family_of(const Json& type) {
  for (const Family& family : families) {
    if (family.type != type.string()) continue;
    if (!family.read)
      type.fail(
          fmt::format("a network of {} cannot be described: {}", in_quotes(family.type), family.refused),
          "`rackcast init network` writes a description to start from");
    return family;
  }
  const std::vector<std::string_view> known = readable_types();
  const std::string near = did_you_mean(type.string(), std::span<const std::string_view>{known});
  type.fail(fmt::format("no importer knows a network of type {}", in_quotes(type.string())),
            (near.empty() ? std::string{} : near + " ") +
                fmt::format("known: {}; where its layers are those of Llama, \"llama\" describes it",
                            fmt::join(known, ", ")));
}

/// The part of a network with pictures or sound that is a language model of its own; else the whole.
Json text_part(const Json& json, ImportOutput& out) {
  const Json* text = json.find("text_config");
  if (!text || text->kind() != JsonKind::object || !text->find("model_type")) return json;
  out.warnings.emplace_back("this is the text part alone: encoders of pictures and sound are left out");
  return *text;
}

}  // namespace

std::int64_t HfConfig::count(std::span<const std::string_view> keys) const {
  if (const auto found = count_or_none(keys)) return *found;
  json_.fail(fmt::format("the configuration has no {}", in_quotes(keys.front())),
             fmt::format("a network of type {} is described by it", in_quotes(type_)));
}

std::optional<std::int64_t> HfConfig::count_or_none(std::span<const std::string_view> keys) const {
  constexpr std::int64_t most = 1'000'000'000'000;
  for (const std::string_view key : keys) {
    const Json* value = json_.find(key);
    if (!value || value->is_null()) continue;
    const std::int64_t n = value->integer();
    if (n < 0 || n > most) value->fail(fmt::format("{} must be from 0 to {}", value->name(), most));
    return n;
  }
  for (const std::string_view key : keys)
    if (const auto assumed = assumed_.find(key); assumed != assumed_.end()) return assumed->second;
  return std::nullopt;
}

bool HfConfig::flag(std::string_view key, bool otherwise) const {
  const Json* value = json_.find(key);
  return !value || value->is_null() ? otherwise : value->boolean();
}

void HfConfig::refuse(std::string_view key, const std::string& why) const {
  const Json* value = json_.find(key);
  (value ? *value : json_).fail(why, "`rackcast init network` writes a description to start from");
}

void HfConfig::take_longest(std::int64_t longest) {
  if (longest <= 0) return;
  shape["longest_context"] = longest;
  shape["seq_len"] = std::min(longest, usual_sequence);
}

void import_hf_config(const Catalog&, const ImportSource& source, ImportOutput& out) {
  const Json whole = parse_json(without_infinities(source.text()), source.name());
  if (whole.kind() != JsonKind::object) whole.fail("a config.json is an object");
  const Json json = text_part(whole, out);
  const Json& type = json.require("model_type");
  const Family& family = family_of(type);
  HfConfig config{json, std::string{family.type}, out.warnings};
  family.read(config);
  if (json.find("quantization_config") || whole.find("quantization_config"))
    out.warnings.emplace_back("the weights are quantized: say the precision in the scenario");

  ordered_json network{{"title", "network"}, {"task", config.task}};
  network["source"] = fmt::format("config.json of Hugging Face transformers, model_type {}", family.type);
  for (const auto& [key, value] : config.layers.items()) network[key] = value;
  if (!config.shape.empty()) network["transformer"] = config.shape;
  Workload workload;
  try {
    workload = read_workload(parse_json(network.dump(), source.name()), "network");
  } catch (const Error& e) {
    type.fail("the numbers of this configuration describe no network: " + e.message(), e.hint());
  }
  const double all = workload.parameters(), active = active_parameters(workload);
  const std::string size = count_in_words(all) + " parameters" +
                           (active < 0.99 * all ? fmt::format(", {} active", count_in_words(active)) : "");
  network["title"] = fmt::format("{}, {}", family.type, size);
  out.version = config.version();
  out.body["network"] = network;
  out.summary = fmt::format("a network of type {} with {}", family.type, size);
}

}  // namespace rackcast
