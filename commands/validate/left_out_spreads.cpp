#include "commands/validate/left_out_spreads.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

/// What the interval of a prediction is about: its value, or the range over settings that the source leaves
/// open.
struct Middle {
  double least = 0, most = 0;
};

Middle middle_of(const PredictedFigure& p) {
  return p.most > 0 ? Middle{p.least, p.most} : Middle{p.value, p.value};
}

std::vector<Mechanism> mechanisms_in(const CaseResult& r) {
  std::vector<Mechanism> out;
  for (const auto& [mechanism, log_sigma] : r.mechanisms) out.push_back(mechanism);
  return out;
}

MechanismSigmas sigmas_in(const CaseResult& r) {
  MechanismSigmas out{};
  for (const auto& [mechanism, log_sigma] : r.mechanisms)
    out[static_cast<std::size_t>(mechanism)] = log_sigma;
  return out;
}

/// Nothing where no mechanism is at work, or the interval has no logarithm.
std::optional<SpreadCase> spread_case(const CaseResult& r) {
  if (!r.predicted || r.mechanisms.empty() || !r.measured || !(*r.measured > 0) || !(r.predicted->low > 0))
    return std::nullopt;
  const Middle middle = middle_of(*r.predicted);
  const std::vector<Mechanism> mechanisms = mechanisms_in(r);
  const MechanismSigmas used = sigmas_in(r);
  return SpreadCase{r.source,
                    r.series,
                    std::log(*r.measured / std::clamp(*r.measured, middle.least, middle.most)),
                    without_spreads(std::log(middle.least / r.predicted->low), mechanisms, used),
                    without_spreads(std::log(r.predicted->high / middle.most), mechanisms, used),
                    mechanisms};
}

bool is_for_spreads(const CaseResult& r) {
  return r.set != CaseSet::not_scored && r.set != CaseSet::bound &&
         (r.used || r.set == CaseSet::assumed || r.set == CaseSet::derived || r.set == CaseSet::approximate);
}

/// Spreads of one part of a step (16-bit kernels) count a little less than whole, so that an interval is left
/// alone where they stay as they are.
void respread(CaseResult& r, const MechanismSigmas& sigmas) {
  if (std::ranges::all_of(r.mechanisms, [&sigmas](const auto& m) {
        return m.second == sigmas[static_cast<std::size_t>(m.first)];
      }))
    return;
  const auto c = spread_case(r);
  if (!c) return;
  const Middle middle = middle_of(*r.predicted);
  r.predicted->low = middle.least * std::exp(-with_spreads(c->below, c->mechanisms, sigmas));
  r.predicted->high = middle.most * std::exp(with_spreads(c->above, c->mechanisms, sigmas));
  for (auto& [mechanism, log_sigma] : r.mechanisms) log_sigma = sigmas[static_cast<std::size_t>(mechanism)];
}

std::optional<double> number_or_null(const Json& json, std::string_view key) {
  const Json& value = json.require(key);
  return value.is_null() ? std::nullopt : std::optional{value.number()};
}

CaseSet set_called(const Json& name) {
  for (int i = 0; i <= static_cast<int>(CaseSet::chosen); ++i)
    if (to_string(static_cast<CaseSet>(i)) == name.string()) return static_cast<CaseSet>(i);
  name.fail("no case is of the set \"" + name.string() + "\"");
}

CaseResult read_result(const Json& json) {
  CaseResult r;
  r.source = json.require("source").string();
  r.series = json.require("series").string();
  r.set = set_called(json.require("set"));
  r.used = json.require("used").boolean();
  r.measured = number_or_null(json, "measured");
  if (const auto value = number_or_null(json, "predicted")) {
    r.predicted = PredictedFigure{
        .value = *value, .low = json.require("low").number(), .high = json.require("high").number()};
    r.predicted->least = number_or_null(json, "least").value_or(0);
    r.predicted->most = number_or_null(json, "most").value_or(0);
  }
  for (const auto& [name, log_sigma] : json.require("mechanisms").object()) {
    const auto mechanism = mechanism_called(name);
    if (!mechanism) log_sigma.fail("no mechanism is called \"" + name + "\"");
    r.mechanisms.emplace_back(*mechanism, log_sigma.number());
  }
  return r;
}

}  // namespace

std::vector<SpreadCase> spread_cases(const Json& document) {
  if (document.require("left_out").string() != "source")
    document.require("left_out")
        .fail("the sources of the cases were not left out of the fits",
              "write it with rackcast validate --leave-out source --json");
  std::vector<SpreadCase> out;
  for (const Json& json : document.require("cases").array()) {
    const CaseResult r = read_result(json);
    if (!is_for_spreads(r)) continue;
    if (auto c = spread_case(r)) out.push_back(std::move(*c));
  }
  return out;
}

ValidationReport with_left_out_spreads(ValidationReport report) {
  std::vector<SpreadCase> all;
  for (const CaseResult& r : report.cases)
    if (const auto c = spread_case(r); c && is_for_spreads(r)) all.push_back(*c);
  std::map<std::string, MechanismSigmas> without;
  for (CaseResult& r : report.cases) {
    if (r.mechanisms.empty()) continue;
    const auto [found, fresh] = without.try_emplace(r.source);
    if (fresh) {
      std::vector<SpreadCase> others;
      for (const SpreadCase& c : all)
        if (c.source != r.source) others.push_back(c);
      found->second = fit_spreads(others).sigmas;
    }
    respread(r, found->second);
  }
  ValidationReport out = summarize_report(std::move(report.cases));
  out.left_out = std::move(report.left_out);
  return out;
}

}  // namespace rackcast
