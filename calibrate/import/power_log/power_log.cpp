#include "calibrate/import/power_log/power_log.hpp"

#include <fmt/format.h>

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
  if (series.limit_w <= 0) return;
  ++series.with_limit;
  series.at_limit += sample.watts > 0.95 * series.limit_w;
}

}  // namespace rackcast
