#pragma once
/// A configuration of Hugging Face transformers while it is turned into a network. Private to the importers.
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json/reader.hpp"

namespace rackcast {

class HfConfig {
 public:
  HfConfig(Json json, std::string type, std::vector<std::string>& warnings)
      : json_{std::move(json)}, type_{std::move(type)}, warnings_{warnings} {}

  /// The first of these keys that has a value. Error at the object if there is none, at the value if it is no
  /// whole number from 0.
  [[nodiscard]] std::int64_t count(std::initializer_list<std::string_view> keys) const {
    return count(std::span{keys.begin(), keys.size()});
  }
  [[nodiscard]] std::int64_t count_or(std::initializer_list<std::string_view> keys,
                                      std::int64_t otherwise) const {
    return count_or_none(std::span{keys.begin(), keys.size()}).value_or(otherwise);
  }
  /// What the family's class has where the file is silent.
  void assume(std::map<std::string, std::int64_t, std::less<>> values) { assumed_ = std::move(values); }
  [[nodiscard]] bool flag(std::string_view key, bool otherwise) const;
  [[nodiscard]] const Json* find(std::string_view key) const { return json_.find(key); }
  /// Throws Error at the key: what it asks for cannot be described.
  [[noreturn]] void refuse(std::string_view key, const std::string& why) const;
  void warn(std::string text) { warnings_.push_back(std::move(text)); }
  /// How far the network looks back; its samples are as long, up to a usual length.
  void take_longest(std::int64_t longest);
  [[nodiscard]] std::string version() const {
    const Json* value = json_.find("transformers_version");
    return value && value->kind() == JsonKind::string ? "transformers " + value->string() : "transformers";
  }

  // What the reader of a family fills.
  nlohmann::ordered_json shape = nlohmann::ordered_json::object();   ///< the member "transformer"
  nlohmann::ordered_json layers = nlohmann::ordered_json::object();  ///< other members of the network
  std::string task = "language model";

 private:
  [[nodiscard]] std::int64_t count(std::span<const std::string_view> keys) const;
  [[nodiscard]] std::optional<std::int64_t> count_or_none(std::span<const std::string_view> keys) const;

  Json json_;
  std::string type_;
  std::map<std::string, std::int64_t, std::less<>> assumed_;
  std::vector<std::string>& warnings_;
};

// One reader for each family (dense_families.cpp, expert_families.cpp).
void hf_bert(HfConfig&);
void hf_bloom(HfConfig&);
void hf_falcon(HfConfig&);
void hf_gemma(HfConfig&);
void hf_gemma2(HfConfig&);
void hf_gemma3(HfConfig&);
void hf_gpt2(HfConfig&);
void hf_gpt_neox(HfConfig&);
void hf_llama(HfConfig&);
void hf_mistral(HfConfig&);
void hf_opt(HfConfig&);
void hf_phi(HfConfig&);
void hf_qwen2(HfConfig&);
void hf_qwen3(HfConfig&);
void hf_t5(HfConfig&);
void hf_vit(HfConfig&);

void hf_deepseek(HfConfig&);
void hf_glm4_moe(HfConfig&);
void hf_gpt_oss(HfConfig&);
void hf_llama4(HfConfig&);
void hf_minimax_m2(HfConfig&);
void hf_mixtral(HfConfig&);
void hf_nemotron_h(HfConfig&);
void hf_qwen2_moe(HfConfig&);
void hf_qwen3_moe(HfConfig&);

/// Sizes, norms and positions as Llama has them; `tied` is what its class assumes where the file is silent.
void hf_llama_shape(HfConfig&, bool tied);
/// Windows of attention: `window` tokens in every layer but those that "layer_types" names full, or each
/// `full_every`-th where it is missing.
void hf_windows(HfConfig&, std::int64_t window, std::int64_t full_every);

}  // namespace rackcast
