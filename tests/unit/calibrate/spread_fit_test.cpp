// Spreads of mechanisms, fitted to errors that are made up.
#include "calibrate/fit/spread_fit.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "models/data_files.hpp"
#include "models/step/straggler.hpp"

using namespace rackcast;

namespace {

constexpr auto forward = static_cast<std::size_t>(Mechanism::forward_pass);

/// A series whose misses are the quantiles of a normal distribution of this standard deviation.
std::vector<SpreadCase> series_of(const std::string& name, double sigma, double half_width, int n,
                                  std::vector<Mechanism> mechanisms) {
  std::vector<SpreadCase> out;
  for (int i = 0; i < n; ++i)
    out.push_back(
        {"source", name, sigma * normal_quantile((i + 0.5) / n), half_width, half_width, mechanisms});
  return out;
}

}  // namespace

TEST_CASE("a fitted spread makes up for what the interval lacks") {
  // Parts of 0.1 and s give 0.2: s = sqrt(0.2^2 - 0.1^2) = 0.17.
  const auto cases = series_of("a", 0.2, 1.645 * 0.1, 400, {Mechanism::forward_pass});
  const SpreadFit fit = fit_spreads(cases);
  CHECK(std::abs(fit.sigmas[forward] - 0.17) < 0.011);  // the fit tries hundredths
  CHECK(fit.cases[forward] == 400);
  CHECK(fit.series[forward] == 1);
}

TEST_CASE("an interval that is wide enough gets no spread, and a mechanism without cases keeps its own") {
  const auto cases = series_of("a", 0.1, 1.645 * 0.3, 100, {Mechanism::forward_pass});
  const SpreadFit fit = fit_spreads(cases);
  CHECK(fit.sigmas[forward] == 0);
  CHECK(fit.sigmas[static_cast<std::size_t>(Mechanism::several_nodes)] ==
        mechanism_log_sigma(Mechanism::several_nodes));
}

TEST_CASE("a dense series outweighs a sparse one by the root of its size alone") {
  // 1,600 cases need 0.1, 4 x 25 cases need 0.4: weights 40 and 4 x 5.
  auto cases = series_of("dense", 0.1, 0, 1600, {Mechanism::forward_pass});
  const double alone = fit_spreads(cases).sigmas[forward];
  for (const char* name : {"a", "b", "c", "d"})
    for (SpreadCase& c : series_of(name, 0.4, 0, 25, {Mechanism::forward_pass})) cases.push_back(c);
  CHECK(std::abs(alone - 0.1) < 0.011);
  CHECK(fit_spreads(cases).sigmas[forward] > 2 * alone);
}

TEST_CASE("a source with many series outweighs one with few by the root of their weight alone") {
  // 64 series of 25 cases of one source need 0.1, one series of 25 of each of 10 sources needs 0.4: the
  // weights are the roots of 64 x 5 and 10 times the root of 5, so that the ten sources count for more.
  std::vector<SpreadCase> cases;
  for (int i = 0; i < 64; ++i)
    for (SpreadCase& c : series_of("s" + std::to_string(i), 0.1, 0, 25, {Mechanism::forward_pass}))
      cases.push_back(c);
  for (int i = 0; i < 10; ++i) {
    for (SpreadCase& c : series_of("t" + std::to_string(i), 0.4, 0, 25, {Mechanism::forward_pass})) {
      c.source = "source " + std::to_string(i);
      cases.push_back(c);
    }
  }
  const double apart = fit_spreads(cases).sigmas[forward];
  for (SpreadCase& c : cases) c.source = "source";
  CHECK(apart > fit_spreads(cases).sigmas[forward] + 0.05);
}

TEST_CASE("spreads are put into an interval and taken out of it again") {
  MechanismSigmas sigmas{};
  sigmas[forward] = 0.3;
  const std::vector<Mechanism> at_work{Mechanism::forward_pass};
  const double wide = with_spreads(1.645 * 0.4, at_work, sigmas);
  CHECK(wide == doctest::Approx(1.645 * 0.5));  // 0.4^2 + 0.3^2 = 0.5^2
  CHECK(without_spreads(wide, at_work, sigmas) == doctest::Approx(1.645 * 0.4));
  CHECK(without_spreads(0.1, at_work, sigmas) == 0);
}

TEST_CASE("fitted spreads stand in the data file with what they rest on") {
  SpreadFit fit;
  fit.sigmas[forward] = 0.25;
  fit.cases[forward] = 12;
  fit.series[forward] = 3;
  const std::string text = with_fitted_spreads(model_data_text("mechanism_spreads.json"), fit);
  const Json json = parse_json(text, "spreads");
  CHECK(json.require("forward_pass").require("value").number() == 0.25);
  CHECK(json.require("forward_pass").require("cases").integer() == 12);
  CHECK(json.require("several_nodes").require("value").number() == 0);
}

TEST_CASE("every mechanism has a name and a spread") {
  for (const Mechanism m : all_mechanisms) {
    CHECK(mechanism_called(to_string(m)) == m);
    CHECK(mechanism_log_sigma(m) >= 0);
  }
  CHECK_FALSE(mechanism_called("weather"));
  CHECK(scaling_log_sigma(2) == mechanism_log_sigma(Mechanism::several_nodes));
}
