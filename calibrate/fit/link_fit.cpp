#include "calibrate/fit/link_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "calibrate/fit/least_squares.hpp"
#include "calibrate/tables/json_text.hpp"

namespace rackcast {
namespace {

const std::string file_name = "models/data/collectives/links.json";
constexpr double expected_residual = 0.05, robust_scale = 0.05;

struct Number {
  double expected, spread;  ///< spread of the logarithm
};

// NCCL's own, and for the rate what NVLink reaches on the whole.
constexpr Number efficiency{0.85, 0.2};
constexpr std::array<Number, 2> simple_times{{{8.4e-6, 1}, {3.4e-6, 1}}};
constexpr std::array<Number, 2> ll128_times{{{10e-6, 1}, {1.9e-6, 1}}};
constexpr Number ll128_factor{0.92, 0.5};

struct Numbers {
  double efficiency = 1;
  std::array<double, 2> simple{};  ///< start and hop, s
  std::array<double, 2> ll128{};
  double factor = 1;
  bool has_ll128 = false;
};

std::string micros(double seconds, int digits) {
  return fmt::format("\"{:.{}g} us\"", 1e6 * seconds, digits);
}

TextSpan whole(const std::string& text) {
  return {0, text.size()};
}

TextSpan section(const std::string& text, std::string_view part, const std::string& link) {
  return object_in(text, file_name, object_in(text, file_name, whole(text), part), link);
}

double efficiency_in(const std::string& text, const std::string& link) {
  return parse_json(text, file_name).require("efficiency").require(link).require("value").number();
}

bool has_protocol(const std::string& text, const std::string& link, std::string_view protocol) {
  return parse_json(text, file_name).require("protocols").require(link).find(std::string{protocol});
}

void set_protocol(std::string& text, const std::string& link, std::string_view protocol,
                  const std::array<double, 2>& times, double factor, int digits) {
  const auto set = [&](std::string_view key, const std::string& value) {
    const TextSpan span = object_in(text, file_name, section(text, "protocols", link), protocol);
    replace_member(text, file_name, span, key, value);
  };
  set("start", micros(times[0], digits));
  set("hop", micros(times[1], digits));
  set("factor", fmt::format("{:.{}g}", factor, digits));
}

/// The text with these numbers; the efficiency stays and the factors make up for it.
std::string trial_text(std::string text, const std::string& link, const Numbers& n) {
  const double share = n.efficiency / efficiency_in(text, link);
  constexpr int all_digits = 17;
  set_protocol(text, link, "Simple", n.simple, share, all_digits);
  if (n.has_ll128) set_protocol(text, link, "LL128", n.ll128, share * n.factor, all_digits);
  return text;
}

std::string final_text(std::string text, const std::string& link, const Numbers& n) {
  constexpr int digits = 3;
  replace_member(text, file_name, section(text, "efficiency", link), "value",
                 fmt::format("{:.{}g}", n.efficiency, digits));
  set_protocol(text, link, "Simple", n.simple, 1, digits);
  if (n.has_ll128) set_protocol(text, link, "LL128", n.ll128, n.factor, digits);
  return text;
}

Numbers numbers_of(const std::vector<double>& x, bool has_ll128) {
  Numbers n{std::exp(x[0]), {std::exp(x[1]), std::exp(x[2])}};
  n.has_ll128 = has_ll128;
  if (has_ll128) n.ll128 = {std::exp(x[3]), std::exp(x[4])}, n.factor = std::exp(x[5]);
  return n;
}

Numbers fit(const std::string& text, const LinkTask& task, const LinkResidual& residual) {
  const bool has_ll128 = has_protocol(text, task.link, "LL128");
  LeastSquaresProblem problem;
  const auto add = [&problem](const Number& number) {
    problem.start.push_back(std::log(number.expected));
    problem.spread.push_back(number.spread);
  };
  add(efficiency);
  for (const Number& time : simple_times) add(time);
  if (has_ll128) {
    for (const Number& time : ll128_times) add(time);
    add(ll128_factor);
  }
  if (task.cases.empty()) return numbers_of(problem.start, has_ll128);
  problem.residual_count = task.cases.size();
  problem.prior_weight = expected_residual;
  problem.robust_scale = robust_scale;
  problem.evaluate = [&](const std::vector<double>& x, std::vector<double>& residuals) {
    const Json links = parse_json(trial_text(text, task.link, numbers_of(x, has_ll128)), file_name);
    for (std::size_t i = 0; i < task.cases.size(); ++i) residuals[i] = residual(links, task.cases[i]);
  };
  return numbers_of(minimise(problem).x, has_ll128);
}

double error(double log_ratio) {
  return std::abs(std::expm1(-log_ratio));
}

}  // namespace

LinkFits fit_links(std::string text, const std::vector<LinkTask>& tasks, const LinkResidual& residual) {
  LinkFits out;
  for (const LinkTask& task : tasks) {
    text = final_text(text, task.link, fit(text, task, residual));
    const Json links = parse_json(text, file_name);
    LinkFit result{task.link, {}};
    for (const std::string& point : task.cases) result.residuals.push_back(residual(links, point));
    out.links.push_back(std::move(result));
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
