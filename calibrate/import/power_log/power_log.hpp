#pragma once
/// Power of GPUs over time, as logs of several tools hold it. Private to calibrate/import/power_log.
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/import/importers.hpp"

namespace rackcast {

struct PowerSample {
  double time_s = 0;  ///< since some moment that all GPUs of the log share
  double watts = 0;
};

/// Sum and number of values of which only the mean is wanted.
struct PowerLogMean {
  double sum = 0;
  std::size_t count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
};

/// Two limits stand side by side, and the lower one counts: that of the settings, and what the driver makes
/// of it.
enum class PowerLimitKind { enforced, management };

/// From `time_s` on.
struct PowerLimit {
  double time_s = 0, watts = 0;
  PowerLimitKind kind = PowerLimitKind::enforced;
};

/// One GPU, in the order of the file. What the log does not hold is empty or zero.
struct PowerSeries {
  std::optional<int> index;
  std::string name;  ///< as the driver calls the product
  std::vector<PowerSample> samples;
  std::size_t rows = 0;  ///< with a power or without: the clock of logs without times
  std::array<std::vector<PowerLimit>, 2> limits;  ///< of each kind, where it differs from that before
  PowerLogMean utilisation_percent, clock_mhz;

  /// Limits that are 0 or absent are left out.
  void set_limit(double time_s, PowerLimitKind kind, std::optional<double> watts);
};

struct PowerLimitSummary {
  double last_w = 0;  ///< 0: the log has no limit
  bool changes = false;
  std::size_t at_limit = 0,
              with_limit = 0;  ///< samples above 95 % of the limit of their time, and all with one
};
PowerLimitSummary power_limits_of(const PowerSeries& series);

enum class PowerTimes {
  known,    ///< the log has times
  assumed,  ///< one sample of each GPU a second, as the tool takes them unless told otherwise
  unknown   ///< samples have an order only
};

inline constexpr std::size_t most_power_gpus = 8192, most_power_samples = 5'000'000;
inline constexpr double most_watts = 100'000, most_clock_mhz = 100'000;

struct PowerLog {
  std::vector<PowerSeries> gpus;
  std::map<std::string, std::size_t> places;  ///< what tells GPUs apart -> its place in `gpus`
  PowerTimes times = PowerTimes::known;
  std::size_t samples = 0;
  std::size_t not_read = 0;  ///< samples without power, such as "[N/A]"

  /// The GPU called `key` (UUID, or host and index), new or known. Error at `place` beyond the most GPUs.
  PowerSeries& gpu(const ImportSource& source, const std::string& key, std::string_view place);
  /// Error at `place` beyond the most samples.
  void add(const ImportSource& source, PowerSeries& series, PowerSample sample, std::string_view place);
};

/// Each throws Error at the place that is broken, and warns in `out`.
PowerLog read_power_csv(const ImportSource& source, ImportOutput& out);
PowerLog read_dmon_log(const ImportSource& source, ImportOutput& out);
PowerLog read_prometheus_log(const ImportSource& source, ImportOutput& out);

/// Seconds since 1970 of "2024/01/16 10:00:00.123", ISO 8601, or seconds, milliseconds, microseconds or
/// nanoseconds since 1970; without a zone as if in UTC. Nothing for other texts and impossible dates.
std::optional<double> power_log_time(std::string_view text);

/// "[N/A]", "[Not Supported]", "NaN" and what else stands for a value that the driver does not give.
bool is_no_value(std::string_view text);

/// Figures of one GPU, or of the sum of all.
struct PowerSummary {
  double mean = 0, median = 0, percentile_5 = 0, percentile_95 = 0, peak = 0;  ///< W
  double covered_s = 0;  ///< time between samples, without gaps; 0: not known
  double energy_j = 0;   ///< in that time, by trapezoids
  double step_s = 0;     ///< median time between samples
  int gaps = 0;          ///< more than five such steps without a sample
  double gaps_s = 0;
  int at_once = 0;    ///< samples at the time of the one before
  int backwards = 0;  ///< times that are earlier than the one before
};

/// `series` must hold a sample. Where times are not known, only the watts are summarised.
PowerSummary power_summary_of(const PowerSeries& series, bool times_known);

/// The sum over all GPUs while all of them have samples, weighted by time, each sample holding until the
/// next. Energy and covered time are the sums over GPUs. Nothing if there is no such time or a clock went
/// back.
std::optional<PowerSummary> power_summary_of_sum(const PowerLog& log,
                                                 const std::vector<PowerSummary>& summaries);

}  // namespace rackcast
