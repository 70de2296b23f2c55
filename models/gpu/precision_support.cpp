#include "models/gpu/precision_support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "models/data_files.hpp"
#include "models/gpu/rates.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

constexpr std::array<std::string_view, 3> use_names{"training", "inference", "generation"};

/// The rates that precisions.json speaks of. int8_tops: on tensor cores or dot-product instructions.
constexpr std::array<std::pair<std::string_view, FlopRate GpuRates::*>, 9> rate_members{{
    {"fp32_tflops", &GpuRates::fp32},
    {"fp16_tflops", &GpuRates::fp16},
    {"tf32_tensor_tflops", &GpuRates::tf32_tensor},
    {"fp16_tensor_tflops", &GpuRates::fp16_tensor},
    {"bf16_tensor_tflops", &GpuRates::bf16_tensor},
    {"fp8_tensor_tflops", &GpuRates::fp8_tensor},
    {"fp4_tensor_tflops", &GpuRates::fp4_tensor},
    {"int8_tops", &GpuRates::int8},
    {"int8_tensor_tops", &GpuRates::int8_tensor},
}};

struct Support {
  Precision precision;
  std::vector<PrecisionUse> uses;
  std::vector<FlopRate GpuRates::*> rates;
};

template <class Names>
std::size_t place_of(const Json& name, const Names& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name.string()) return i;
  name.fail("unknown name");
}

std::vector<Support> read_supports() {
  std::array<std::string_view, rate_members.size()> rates;
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = rate_members[i].first;
  std::vector<Support> out;
  for (const Json& entry : parse_model_data("precisions.json").require("supports").array()) {
    Support s{parse_precision(entry.require("precision").string()), {}, {}};
    for (const Json& use : entry.require("uses").array())
      s.uses.push_back(static_cast<PrecisionUse>(place_of(use, use_names)));
    for (const Json& rate : entry.require("rates").array())
      s.rates.push_back(rate_members[place_of(rate, rates)].second);
    out.push_back(std::move(s));
  }
  return out;
}

/// In the order of the enum; without a GPU: of any.
std::vector<Precision> precisions_for(const GpuRates* gpu, PrecisionUse use) {
  std::vector<Precision> out;
  for (const Support& s : read_supports()) {
    const bool asked = std::ranges::find(s.uses, use) != s.uses.end();
    const bool able =
        !gpu || std::ranges::any_of(s.rates, [&](auto rate) { return gpu->*rate > FlopRate{0}; });
    if (asked && able) out.push_back(s.precision);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::vector<Precision> supported_precisions(const GpuRates& gpu, PrecisionUse use) {
  return precisions_for(&gpu, use);
}

std::vector<Precision> known_precisions(PrecisionUse use) {
  return precisions_for(nullptr, use);
}

bool supports(const GpuRates& gpu, Precision precision, PrecisionUse use) {
  const auto all = supported_precisions(gpu, use);
  return std::ranges::find(all, precision) != all.end();
}

std::string names_of(const std::vector<Precision>& precisions) {
  std::string out;
  for (const Precision p : precisions) out += (out.empty() ? "" : ", ") + std::string{to_string(p)};
  return out;
}

PrecisionRefusal precision_refusal(const GpuRates& gpu, std::string_view title, Precision precision,
                                   PrecisionUse use) {
  const std::string_view name = use_names.at(static_cast<std::size_t>(use));
  return {fmt::format("{} does not support {} for {}", title, to_string(precision), name),
          fmt::format("supported for {}: {}", name, names_of(supported_precisions(gpu, use)))};
}

}  // namespace rackcast
