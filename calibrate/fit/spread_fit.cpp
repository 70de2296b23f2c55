#include "calibrate/fit/spread_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "calibrate/tables/json_text.hpp"
#include "sim/base/normal.hpp"

namespace rackcast {
namespace {

constexpr double miss_factor = 20;  ///< 2 / alpha of the interval score
constexpr int most_rounds = 20;     ///< of the descent; three to five are needed

std::size_t index_of(Mechanism mechanism) {
  return static_cast<std::size_t>(mechanism);
}

/// Two digits are all that so few series tell.
std::vector<double> tried_sigmas() {
  std::vector<double> out;
  for (int i = 0; i < 50; ++i) out.push_back(0.01 * i);
  for (int i = 10; i <= 40; ++i) out.push_back(0.05 * i);
  return out;
}

double score_of(double miss, double below, double above) {
  return below + above + miss_factor * std::max({0.0, miss - above, -below - miss});
}

/// A case with the squares of its half widths.
struct Weighted {
  double miss = 0, below = 0, above = 0, weight = 1;
  std::vector<std::size_t> mechanisms;

  [[nodiscard]] double score(const MechanismSigmas& sigmas) const {
    double square = 0;
    for (const std::size_t m : mechanisms) square += sigmas[m] * sigmas[m];
    square *= half_of_90_percent * half_of_90_percent;
    return weight * score_of(miss, std::sqrt(below + square), std::sqrt(above + square));
  }
};

std::vector<Weighted> weighted(std::span<const SpreadCase> cases) {
  std::map<std::string, double> sizes, roots;
  for (const SpreadCase& c : cases) ++sizes[c.series];
  for (const SpreadCase& c : cases) roots[c.source] += 1 / std::sqrt(sizes[c.series]);
  std::vector<Weighted> out;
  for (const SpreadCase& c : cases) {
    if (c.mechanisms.empty()) continue;
    const double weight = 1 / std::sqrt(sizes[c.series] * roots[c.source]);
    Weighted w{c.miss, c.below * c.below, c.above * c.above, weight, {}};
    for (const Mechanism m : c.mechanisms) w.mechanisms.push_back(index_of(m));
    out.push_back(std::move(w));
  }
  return out;
}

/// The value of one spread with the least score, the others given.
double best_sigma(const std::vector<Weighted>& cases, MechanismSigmas sigmas, std::size_t mechanism) {
  double best = sigmas[mechanism], least = INFINITY;
  for (const double tried : tried_sigmas()) {
    sigmas[mechanism] = tried;
    double sum = 0;
    for (const Weighted& c : cases)
      if (std::ranges::find(c.mechanisms, mechanism) != c.mechanisms.end()) sum += c.score(sigmas);
    if (sum < least) least = sum, best = tried;
  }
  return best;
}

struct Quality {
  double score = 0, inside = 0;
};

Quality quality_of(std::span<const SpreadCase> cases, Mechanism mechanism, const MechanismSigmas& sigmas) {
  Quality out;
  double n = 0;
  for (const SpreadCase& c : cases) {
    if (std::ranges::find(c.mechanisms, mechanism) == c.mechanisms.end()) continue;
    const double below = with_spreads(c.below, c.mechanisms, sigmas),
                 above = with_spreads(c.above, c.mechanisms, sigmas);
    out.score += score_of(c.miss, below, above);
    out.inside += -below <= c.miss && c.miss <= above ? 1 : 0;
    ++n;
  }
  return n > 0 ? Quality{out.score / n, out.inside / n} : out;
}

}  // namespace

MechanismSigmas shipped_spreads() {
  MechanismSigmas out{};
  for (const Mechanism m : all_mechanisms) out[index_of(m)] = mechanism_log_sigma(m);
  return out;
}

double with_spreads(double half_width, std::span<const Mechanism> mechanisms, const MechanismSigmas& sigmas) {
  double square = half_width * half_width;
  for (const Mechanism m : mechanisms) square += std::pow(half_of_90_percent * sigmas[index_of(m)], 2);
  return std::sqrt(square);
}

double without_spreads(double half_width, std::span<const Mechanism> mechanisms,
                       const MechanismSigmas& sigmas) {
  double square = half_width * half_width;
  for (const Mechanism m : mechanisms) square -= std::pow(half_of_90_percent * sigmas[index_of(m)], 2);
  return std::sqrt(std::max(0.0, square));
}

SpreadFit fit_spreads(std::span<const SpreadCase> cases) {
  SpreadFit out;
  std::array<std::set<std::string>, all_mechanisms.size()> series;
  for (const SpreadCase& c : cases) {
    for (const Mechanism m : c.mechanisms) {
      ++out.cases[index_of(m)];
      series[index_of(m)].insert(c.series);
    }
  }
  for (std::size_t m = 0; m < series.size(); ++m) {
    out.series[m] = series[m].size();
    if (out.cases[m] == 0) out.sigmas[m] = shipped_spreads()[m];
  }
  const std::vector<Weighted> all = weighted(cases);
  for (int round = 0; round < most_rounds; ++round) {
    const MechanismSigmas before = out.sigmas;
    for (std::size_t m = 0; m < out.sigmas.size(); ++m)
      if (out.cases[m] > 0) out.sigmas[m] = best_sigma(all, out.sigmas, m);
    if (out.sigmas == before) break;
  }
  return out;
}

std::string with_fitted_spreads(std::string text, const SpreadFit& fit) {
  const std::string name = "mechanism_spreads.json";
  for (const Mechanism m : all_mechanisms) {
    const auto set = [&](std::string_view key, const std::string& value) {
      const TextSpan span = object_in(text, name, {0, text.size()}, to_string(m));
      replace_member(text, name, span, key, value);
    };
    set("value", fmt::format("{:g}", fit.sigmas[index_of(m)]));
    set("cases", fmt::format("{}", fit.cases[index_of(m)]));
    set("series", fmt::format("{}", fit.series[index_of(m)]));
  }
  return text;
}

std::string spread_fit_table(std::span<const SpreadCase> cases, const SpreadFit& fit) {
  std::string out =
      "| mechanism | cases, series | shipped | fitted | score, shipped | fitted | inside, shipped | fitted "
      "|\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|\n";
  const MechanismSigmas shipped = shipped_spreads();
  for (const Mechanism m : all_mechanisms) {
    const std::size_t i = index_of(m);
    if (fit.cases[i] == 0) continue;
    const Quality before = quality_of(cases, m, shipped), after = quality_of(cases, m, fit.sigmas);
    out += fmt::format("| {} | {}, {} | {:g} | {:g} | {:.2f} | {:.2f} | {:.0f} % | {:.0f} % |\n",
                       to_string(m), fit.cases[i], fit.series[i], shipped[i], fit.sigmas[i], before.score,
                       after.score, 100 * before.inside, 100 * after.inside);
  }
  return out;
}

}  // namespace rackcast
