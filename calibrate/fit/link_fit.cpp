#include "calibrate/fit/link_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "calibrate/fit/least_squares.hpp"
#include "calibrate/tables/json_text.hpp"

namespace rackcast {
namespace {

const std::string file_name = "models/data/collectives/links.json";
constexpr double expected_residual = 0.05, robust_scale = 0.05;

/// A kind of number of a link: where it stands in the file, and what is expected of it. All are positive and
/// fitted as logarithms. Expected are NCCL's own numbers, and for rates what NVLink reaches on the whole.
struct Kind {
  std::string_view part;    ///< member of the file: "efficiency"
  std::string_view object;  ///< of the link's entry there: "LL128"; empty: the entry itself
  std::string_view key;
  double expected, spread;  ///< spread of the logarithm
  bool time = false;        ///< seconds; else a share
  double most = 1e9;        ///< a share of what links carry is 1 at most
};
constexpr Kind kinds[] = {
    {"efficiency", "", "value", 0.85, 0.2, false, 1},
    {"efficiency", "", "ends", 0.3, 0.7},
    {"protocols", "Simple", "start", 8.4e-6, 1, true},
    {"protocols", "Simple", "hop", 3.4e-6, 1, true},
    {"protocols", "LL128", "start", 10e-6, 1, true},
    {"protocols", "LL128", "hop", 1.9e-6, 1, true},
    {"protocols", "LL128", "factor", 0.92, 0.5, false, 1},
    {"protocols", "LL", "start", 6.6e-6, 1, true},
    {"protocols", "LL", "hop", 0.6e-6, 1, true},
    {"protocols", "NVLS", "start", 25e-6, 1, true},
    {"nvls", "", "value", 0.85, 0.2, false, 1},
};

/// "nvlink/nvlink4" of "nvlink/nvlink4+nvswitch": what the switches add at is known by the link alone.
std::string entry_name(const Kind& kind, const std::string& link) {
  return kind.part == "nvls" ? link.substr(0, link.find('+')) : link;
}

TextSpan place_of(const std::string& text, const Kind& kind, const std::string& link) {
  const TextSpan whole{0, text.size()};
  const TextSpan entry =
      object_in(text, file_name, object_in(text, file_name, whole, kind.part), entry_name(kind, link));
  return kind.object.empty() ? entry : object_in(text, file_name, entry, kind.object);
}

void set(std::string& text, const Kind& kind, const std::string& link, double value, int digits) {
  replace_member(
      text, file_name, place_of(text, kind, link), kind.key,
      kind.time ? fmt::format("\"{:.{}g} us\"", 1e6 * value, digits) : fmt::format("{:.{}g}", value, digits));
}

bool has(const Json& file, const Kind& kind, const std::string& link) {
  const Json* at = file.find(kind.part);
  if (at) at = at->find(entry_name(kind, link));
  if (at && !kind.object.empty()) at = at->find(kind.object);
  return at && at->find(kind.key);
}

/// The kinds that the file has a number of for this link. Throws Error where it lacks what every link has.
std::vector<Kind> kinds_of(const std::string& text, const std::string& link) {
  const Json file = parse_json(text, file_name);
  (void)file.require("efficiency").require(link).require("value");
  const Json& protocols = file.require("protocols").require(link);
  (void)protocols.require("Simple");
  for (const char* name : {"Simple", "LL128"})
    if (const Json* numbers = protocols.find(name))
      for (const char* key : {"start", "hop", "factor"}) (void)numbers->require(key);
  std::vector<Kind> out;
  for (const Kind& kind : kinds)
    if (has(file, kind, link)) out.push_back(kind);
  return out;
}

std::string text_with(std::string text, const std::string& link, const std::vector<Kind>& of,
                      const std::vector<double>& logarithms, int digits) {
  for (std::size_t i = 0; i < of.size(); ++i)
    set(text, of[i], link, std::min(of[i].most, std::exp(logarithms[i])), digits);
  return text;
}

/// Weights of the points, which add up to their number.
std::vector<double> weights_of(const LinkTask& task) {
  std::map<std::string, double> points;
  for (const std::string& who : task.measured_by) ++points[who];
  std::vector<double> out(task.cases.size(), 1);
  for (std::size_t i = 0; i < task.measured_by.size(); ++i)
    out[i] = static_cast<double>(task.cases.size()) / static_cast<double>(points.size()) /
             points[task.measured_by[i]];
  return out;
}

std::string fitted_text(const std::string& text, const LinkTask& task, const LinkResiduals& residuals) {
  const std::vector<Kind> of = kinds_of(text, task.link);
  LeastSquaresProblem problem;
  for (const Kind& kind : of) {
    problem.start.push_back(std::log(kind.expected));
    problem.spread.push_back(kind.spread);
  }
  constexpr int digits = 3, all_digits = 17;
  if (task.cases.empty()) return text_with(text, task.link, of, problem.start, digits);
  problem.residual_count = task.cases.size();
  problem.prior_weight = expected_residual;
  problem.robust_scale = robust_scale;
  problem.weights = weights_of(task);
  problem.evaluate = [&](const std::vector<double>& x, std::vector<double>& out) {
    out = residuals(parse_json(text_with(text, task.link, of, x, all_digits), file_name), task.cases);
  };
  return text_with(text, task.link, of, minimise(problem).x, digits);
}

double error(double log_ratio) {
  return std::abs(std::expm1(-log_ratio));
}

}  // namespace

LinkFits fit_links(std::string text, const std::vector<LinkTask>& tasks, const LinkResiduals& residuals) {
  LinkFits out;
  for (const LinkTask& task : tasks) {
    text = fitted_text(text, task, residuals);
    out.links.push_back({task.link, residuals(parse_json(text, file_name), task.cases)});
  }
  out.text = std::move(text);
  return out;
}

std::string link_fit_table(const LinkFits& fits) {
  std::string out = "| link | points | median error | mean | largest |\n|---|---:|---:|---:|---:|\n";
  for (const LinkFit& fit : fits.links) {
    std::vector<double> errors;
    double sum = 0;
    for (const double r : fit.residuals) errors.push_back(error(r)), sum += errors.back();
    if (errors.empty()) continue;
    std::ranges::sort(errors);
    const std::size_t n = errors.size();
    out += fmt::format("| {} | {} | {:.1f} % | {:.1f} % | {:.0f} % |\n", fit.link, n,
                       50 * (errors[(n - 1) / 2] + errors[n / 2]), 100 * sum / static_cast<double>(n),
                       100 * errors.back());
  }
  return out;
}

}  // namespace rackcast
