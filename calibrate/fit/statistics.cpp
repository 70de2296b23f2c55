#include "calibrate/fit/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

constexpr std::array<std::string_view, 4> stop_names{"confidence", "samples", "time", "interrupted"};

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  return n % 2 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}

double median_distance(const std::vector<double>& samples, double centre) {
  std::vector<double> distances;
  for (const double x : samples) distances.push_back(std::abs(x - centre));
  std::ranges::sort(distances);
  return median_of_sorted(distances);
}

/// Largest k with P(Binomial(n, 1/2) < k) <= tail; 0 if there is none.
std::size_t order_statistic(std::size_t n, double tail) {
  // In logarithms: 0.5^n vanishes beyond a thousand samples.
  double log_probability = -static_cast<double>(n) * std::log(2.0);  // of exactly k successes, from k = 0
  double below = 0;
  std::size_t k = 0;
  while (k < n / 2 && below + std::exp(log_probability) <= tail) {
    below += std::exp(log_probability);
    ++k;
    log_probability += std::log(static_cast<double>(n - k + 1) / static_cast<double>(k));
  }
  return k;
}

}  // namespace

SampleSummary summarise_samples(std::vector<double> samples, double confidence) {
  SampleSummary s;
  s.count = samples.size();
  if (samples.empty()) return s;
  std::ranges::sort(samples);
  s.median = median_of_sorted(samples);
  s.mad = median_distance(samples, s.median);
  s.least = s.low = samples.front();
  s.most = s.high = samples.back();
  const std::size_t k = order_statistic(samples.size(), (1 - confidence) / 2);
  if (k > 0) {
    s.low = samples[k - 1];
    s.high = samples[samples.size() - k];
    s.confidence = confidence;
  }
  return s;
}

std::string_view to_string(SampleEnd reason) {
  return stop_names[static_cast<std::size_t>(reason)];
}

SampleEnd parse_stop_reason(std::string_view name) {
  const auto at = std::ranges::find(stop_names, name);
  if (at == stop_names.end())
    throw Error{"unknown stop reason \"" + std::string{name} + "\"",
                {},
                "known: confidence, samples, time, interrupted"};
  return static_cast<SampleEnd>(at - stop_names.begin());
}

bool is_confident(const SampleSummary& s, const StopRule& rule) {
  return s.count >= rule.least_samples && s.confidence >= rule.confidence && s.median > 0 &&
         0.5 * (s.high - s.low) <= rule.relative_width * s.median;
}

double outlier_share(const std::vector<double>& samples) {
  const SampleSummary s = summarise_samples(samples);
  if (s.count == 0 || s.mad <= 0) return 0;
  const auto far =
      std::ranges::count_if(samples, [&](double x) { return std::abs(x - s.median) > 5 * s.mad; });
  return static_cast<double>(far) / static_cast<double>(s.count);
}

}  // namespace rackcast
