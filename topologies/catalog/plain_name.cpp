#include "topologies/catalog/plain_name.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace rackcast {

namespace {

using Word = std::pair<std::string_view, std::string_view>;

/// Families of links, in front of their member; what the member says alone is not said twice.
constexpr Word families[] = {{"infiniband_4x", "InfiniBand"},
                             {"ipoib", "IP over InfiniBand"},
                             {"tcp", "TCP over"},
                             {"pcie", "PCIe"},
                             {"xgmi", "xGMI"},
                             {"ethernet", ""},
                             {"nvlink", ""},
                             {"socket_links", ""},
                             {"other_fabrics", ""}};

/// Words that are written in a way of their own.
constexpr Word words[] = {{"us", "US"},
                          {"eu", "EU"},
                          {"sdr", "SDR"},
                          {"ddr", "DDR"},
                          {"qdr", "QDR"},
                          {"fdr", "FDR"},
                          {"fdr10", "FDR10"},
                          {"edr", "EDR"},
                          {"hdr", "HDR"},
                          {"ndr", "NDR"},
                          {"xdr", "XDR"},
                          {"qpi", "QPI"},
                          {"upi", "UPI"},
                          {"amd", "AMD"},
                          {"infinity", "Infinity Fabric"},
                          {"power9", "POWER9"},
                          {"xbus", "X-bus"},
                          {"mi250x", "MI250X"},
                          {"mi300x", "MI300X"},
                          {"efa", "EFA"},
                          {"slingshot", "Slingshot"},
                          {"1yr", "for one year"},
                          {"3yr", "for three years"},
                          {"min", "at its lowest"},
                          {"aws", "AWS"},
                          {"azure", "Azure"},
                          {"google", "Google"},
                          {"pytorch", "PyTorch"},
                          {"tensorflow", "TensorFlow"},
                          {"tensorrt", "TensorRT"},
                          {"mxnet", "MXNet"},
                          {"xla", "XLA"},
                          {"fsdp", "FSDP"},
                          {"caffe", "Caffe"},
                          {"caffe2", "Caffe2"},
                          {"nvcaffe", "NVCaffe"},
                          {"chainer", "Chainer"},
                          {"cntk", "CNTK"},
                          {"neon", "Neon"},
                          {"torch7", "Torch7"},
                          {"paddle", "PaddlePaddle"},
                          {"megatron", "Megatron"},
                          {"llm", "LLM"},
                          {"foundry", "Foundry"},
                          {"deepspeed", "DeepSpeed"},
                          {"virginia", "Virginia"},
                          {"california", "California"},
                          {"oregon", "Oregon"},
                          {"tennessee", "Tennessee"},
                          {"texas", "Texas"},
                          {"washington", "Washington"},
                          {"new", "New"},
                          {"york", "York"},
                          {"quebec", "Quebec"},
                          {"australia", "Australia"},
                          {"canada", "Canada"},
                          {"china", "China"},
                          {"finland", "Finland"},
                          {"france", "France"},
                          {"germany", "Germany"},
                          {"iceland", "Iceland"},
                          {"india", "India"},
                          {"ireland", "Ireland"},
                          {"japan", "Japan"},
                          {"netherlands", "the Netherlands"},
                          {"norway", "Norway"},
                          {"poland", "Poland"},
                          {"singapore", "Singapore"},
                          {"south", "South"},
                          {"korea", "Korea"},
                          {"spain", "Spain"},
                          {"sweden", "Sweden"},
                          {"switzerland", "Switzerland"},
                          {"united", "United"},
                          {"kingdom", "Kingdom"},
                          {"world", "the world"},
                          {"nordic", "Nordic"},
                          {"broadwell", "Broadwell"},
                          {"skylake", "Skylake"},
                          {"sapphire", "Sapphire"},
                          {"emerald", "Emerald"},
                          {"rapids", "Rapids"}};

/// Keys that words of their own do not explain.
constexpr Word whole[] = {{"industry_average", "the average of the industry"},
                          {"planning_default", "the default for plans"},
                          {"modern_air", "modern air cooling"},
                          {"spot_min", "spot, at its lowest"},
                          {"reserved_1yr", "reserved for one year"},
                          {"reserved_3yr", "reserved for three years"},
                          {"power9_xbus", "POWER9 X-bus"},
                          {"canada_quebec", "Canada, Quebec"},
                          {"us_industrial_2024", "US industry, 2024"},
                          {"us_commercial_2024", "US commerce, 2024"},
                          {"us_residential_2024", "US households, 2024"}};

template <std::size_t N>
const Word* find(const Word (&table)[N], std::string_view key) {
  const Word* found = std::ranges::find(table, key, &Word::first);
  return found == std::end(table) ? nullptr : found;
}

bool digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// "gbe100" is 100 GbE, "nvlink3" NVLink 3, "gen4" 4.0.
std::string word(std::string_view key) {
  if (const Word* known = find(words, key)) return std::string{known->second};
  if (key.starts_with("gbe") && digits(key.substr(3))) return std::string{key.substr(3)} + " GbE";
  if (key.starts_with("nvlink") && digits(key.substr(6))) return "NVLink " + std::string{key.substr(6)};
  if (key.starts_with("gen") && digits(key.substr(3))) return std::string{key.substr(3)} + ".0";
  return std::string{key};
}

}  // namespace

std::string plain_name(std::string_view key) {
  if (const auto slash = key.find('/'); slash != std::string_view::npos) {
    const Word* family = find(families, key.substr(0, slash));
    const std::string member = plain_name(key.substr(slash + 1));
    if (family == nullptr) return plain_name(key.substr(0, slash)) + " " + member;
    return family->second.empty() ? member : std::string{family->second} + " " + member;
  }
  if (const Word* known = find(whole, key)) return std::string{known->second};
  std::string out;
  for (std::size_t from = 0; from <= key.size();) {
    const std::size_t to = std::min(key.find_first_of("_ ", from), key.size());
    if (!out.empty()) out += ' ';
    out += word(key.substr(from, to - from));
    from = to + 1;
  }
  return out;
}

}  // namespace rackcast
