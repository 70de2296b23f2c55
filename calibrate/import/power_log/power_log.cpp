#include "calibrate/import/power_log/power_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace rackcast {

PowerSeries& PowerLog::gpu(const ImportSource& source, const std::string& key, std::string_view place) {
  const auto [found, is_new] = places.emplace(key, gpus.size());
  if (!is_new) return gpus[found->second];
  if (gpus.size() == most_power_gpus) source.fail(place, fmt::format("more than {} GPUs", most_power_gpus));
  return gpus.emplace_back();
}

void PowerLog::add(const ImportSource& source, PowerSeries& series, PowerSample sample,
                   std::string_view place) {
  if (samples == most_power_samples)
    source.fail(place, fmt::format("more than {} samples", most_power_samples), "import a part of the log");
  ++samples;
  series.samples.push_back(sample);
}

void PowerSeries::set_limit(double time_s, PowerLimitKind kind, std::optional<double> watts) {
  if (!watts || *watts <= 0) return;
  auto& of_kind = limits[static_cast<std::size_t>(kind)];
  if (!of_kind.empty() && of_kind.back().watts == *watts && of_kind.back().time_s <= time_s) return;
  of_kind.push_back({time_s, *watts, kind});
}

PowerLimitSummary power_limits_of(const PowerSeries& series) {
  std::vector<PowerLimit> limits = series.limits[0];
  limits.insert(limits.end(), series.limits[1].begin(), series.limits[1].end());
  std::ranges::stable_sort(limits, {}, &PowerLimit::time_s);
  std::array<double, 2> now{};
  std::vector<PowerSample> lower;  // the lower of both limits from each time on
  for (const PowerLimit& limit : limits) {
    now[static_cast<std::size_t>(limit.kind)] = limit.watts;
    const double both = now[0] > 0 && now[1] > 0 ? std::min(now[0], now[1]) : std::max(now[0], now[1]);
    if (lower.empty() || lower.back().time_s != limit.time_s) lower.push_back({limit.time_s, both});
    lower.back().watts = both;
  }
  PowerLimitSummary out;
  if (lower.empty()) return out;
  out.last_w = lower.back().watts;
  out.changes = std::ranges::any_of(lower, [&](const PowerSample& l) { return l.watts != out.last_w; });
  for (const PowerSample& sample : series.samples) {
    const auto after = std::ranges::upper_bound(lower, sample.time_s, {}, &PowerSample::time_s);
    if (after == lower.begin()) continue;
    ++out.with_limit;
    out.at_limit += sample.watts > 0.95 * std::prev(after)->watts;
  }
  return out;
}

}  // namespace rackcast
