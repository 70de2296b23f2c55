#pragma once
/// Statistics of repeated measurements. Times are skewed (a sample can be delayed, hardly ever hurried), so
/// everything here is about the median, which a few delayed samples do not move.
#include <cstddef>
#include <string_view>
#include <vector>

namespace rackcast {

/// Numbers in the unit of the samples; all 0 without samples.
struct SampleSummary {
  std::size_t count = 0;
  double median = 0;
  double mad = 0;  ///< median distance from the median; a normal distribution has 0.6745 standard deviations
  double low = 0, high = 0;  ///< interval that holds the true median with probability `confidence` at least
  double least = 0, most = 0;
  double confidence = 0;  ///< 0: too few samples for any interval (low and high are then least and most)
};

/// The interval is distribution-free: between the order statistics k and n+1-k, with the largest k that keeps
/// P(Binomial(n, 1/2) < k) <= (1-confidence)/2. Six samples are the fewest for 95 %.
/// Source: Conover, "Practical Nonparametric Statistics", 3rd ed., 3.2.
SampleSummary summarise_samples(std::vector<double> samples, double confidence = 0.95);

/// Why measuring ended.
enum class SampleEnd { confidence, samples, time, interrupted };
std::string_view to_string(SampleEnd);
/// Error lists the known names.
SampleEnd parse_stop_reason(std::string_view name);

/// When a measurement is good enough.
struct StopRule {
  std::size_t least_samples = 7;
  std::size_t most_samples = 200;
  double relative_width = 0.02;  ///< of the interval's half to the median
  double confidence = 0.95;
};

/// Whether the interval of the median is as narrow as the rule wants it.
bool is_confident(const SampleSummary& summary, const StopRule& rule);

/// Samples whose distance from the median is beyond 5 MAD, as a
/// share of all. Above a tenth something else ran on the machine.
double outlier_share(const std::vector<double>& samples);

}  // namespace rackcast
