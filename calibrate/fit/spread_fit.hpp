#pragma once
/// Fits the spreads of models/mechanism_spread.hpp to the errors of cases whose source no fit has seen.
///
/// The half width h of an interval is that of 1.645 standard deviations of independent parts,
///
///     h^2 = h_0^2 + 1.645^2 (s_1^2 + s_2^2 + ...),
///
/// where h_0 comes from kernels, profiles and collectives, and s_1, s_2, ... are the spreads of the
/// mechanisms at work. The fitted spreads are those with the least interval score (Gneiting & Raftery, JASA
/// 102(477), 2007, equation 43; its mean is least where 90 % of the measurements are inside). A series of n
/// cases has the weight sqrt(n), and a source the square root of the sum of the weights of its series: errors
/// of one machine, or of one source, are more than one observation but fewer than the cases.
#include <array>
#include <span>
#include <string>
#include <vector>

#include "models/mechanism_spread.hpp"

namespace rackcast {

using MechanismSigmas = std::array<double, all_mechanisms.size()>;  ///< in the order of all_mechanisms

/// The spreads of models/data/mechanism_spreads.json.
MechanismSigmas shipped_spreads();

/// A prediction beside its measurement, in natural logarithms.
struct SpreadCase {
  std::string source, series;
  double miss = 0;              ///< ln(measured / predicted)
  double below = 0, above = 0;  ///< half widths of its 90 % interval without the spreads of mechanisms, h_0
  std::vector<Mechanism> mechanisms;
};

/// The half width h with the spreads, from h_0.
double with_spreads(double half_width, std::span<const Mechanism> mechanisms, const MechanismSigmas& sigmas);
/// The half width h_0 without the spreads, from h.
double without_spreads(double half_width, std::span<const Mechanism> mechanisms,
                       const MechanismSigmas& sigmas);

struct SpreadFit {
  MechanismSigmas sigmas{};
  std::array<std::size_t, all_mechanisms.size()> cases{}, series{};  ///< that each rests on
};

/// A mechanism without cases keeps its shipped spread; else the shipped ones do not enter the fit.
SpreadFit fit_spreads(std::span<const SpreadCase> cases);

/// The text of models/data/mechanism_spreads.json, `text`, with the fitted values and what they rest on.
std::string with_fitted_spreads(std::string text, const SpreadFit& fit);

/// Rows for people: score and coverage of each mechanism's cases with the shipped spreads and the fitted
/// ones.
std::string spread_fit_table(std::span<const SpreadCase> cases, const SpreadFit& fit);

}  // namespace rackcast
