/// Writing what calibrate/fit/framework_fit.hpp fitted: into the data files, and as a table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibrate/fit/framework_fit.hpp"
#include "calibrate/tables/json_text.hpp"
#include "models/frameworks/framework_parameters.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

double median_abs(std::vector<double> logs) {
  if (logs.empty()) return 0;
  for (double& l : logs) l = std::abs(std::expm1(-l));
  std::ranges::sort(logs);
  const std::size_t n = logs.size();
  return (logs[(n - 1) / 2] + logs[n / 2]) / 2;
}

double largest(const std::vector<double>& logs) {
  double out = 0;
  for (const double l : logs) out = std::max(out, std::abs(std::expm1(-l)));
  return out;
}

}  // namespace

std::string with_fitted_numbers(std::string text, const std::string& name,
                                const std::vector<ProfileFit>& fits) {
  for (const ProfileFit& fit : fits) {
    const std::size_t from = text.find(fmt::format("\"id\": \"{}\"", fit.profile.id));
    if (from == std::string::npos) continue;
    std::size_t until = std::min(text.find("\"id\": ", from + 1), text.size());
    for (const std::string& key : fit.profile.fitted) {
      const ProfileParameter& p = *find_profile_parameter(key);
      until = replace_member(text, name, {from, until}, key, profile_number(p, p.get(fit.profile)));
    }
    until =
        replace_member(text, name, {from, until}, "log_sigma", fmt::format("{:g}", fit.profile.log_sigma));
  }
  return text;
}

std::string framework_fit_table(const ProfileFits& fits) {
  std::string out =
      "| profile | cases, series | median error | largest | left out, median | log sigma | fitted numbers |\n"
      "|---|---:|---:|---:|---:|---:|---|\n";
  std::vector<double> all, left_out;
  for (const ProfileFit& fit : fits.profiles) {
    const std::string& id = fit.profile.id;
    all.insert(all.end(), fit.residuals.begin(), fit.residuals.end());
    left_out.insert(left_out.end(), fit.held_out.begin(), fit.held_out.end());
    if (fit.residuals.empty()) {
      out += fmt::format("| {} | 0 | | | | {:g} | |\n", id, fit.profile.log_sigma);
      continue;
    }
    std::string numbers;
    for (const std::string& key : fit.profile.fitted) {
      const ProfileParameter& p = *find_profile_parameter(key);
      numbers += fmt::format("{}{} {:g}{}{}", numbers.empty() ? "" : ", ", key, p.get(fit.profile),
                             p.unit.empty() ? "" : " ", p.unit);
    }
    out += fmt::format("| {} | {}, {} | {:.1f} % | {:.0f} % | {} | {:g} | {} |\n", id, fit.residuals.size(),
                       fit.series, 100 * median_abs(fit.residuals), 100 * largest(fit.residuals),
                       fit.held_out.empty() ? "" : fmt::format("{:.1f} %", 100 * median_abs(fit.held_out)),
                       fit.profile.log_sigma, numbers);
  }
  return out + fmt::format(
                   "| all | {} | {:.1f} % | {:.0f} % | {:.1f} % | | |\n\n"
                   "Each profile is drawn to all as if by {:g} series; {:.1f} % of the left-out series are "
                   "inside the 90 % interval that the\nothers give.\n",
                   all.size(), 100 * median_abs(all), 100 * largest(all), 100 * median_abs(left_out),
                   fits.weight_of_all, 100 * fits.share_inside);
}

}  // namespace rackcast
