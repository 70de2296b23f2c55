#include "models/data_path/data_growth.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

void check(const DataGrowth& growth) {
  if (!(growth.ingest > Bandwidth{0})) throw Error{"a data set that grows has a rate of ingest"};
  if (!(growth.compression >= 1)) throw Error{"compression must be at least 1"};
  if (!(growth.copies >= 1)) throw Error{"there is at least one copy of the data"};
  if (growth.retention && *growth.retention <= growth.labelling_delay) {
    throw Error{"recordings are deleted after " + to_text(*growth.retention) +
                    ", before they are labelled (" + to_text(growth.labelling_delay) + ")",
                {},
                "retention must be longer than the labelling delay"};
  }
}

}  // namespace

GrowthPoint growth_at(const DataGrowth& growth, Duration at) {
  check(growth);
  GrowthPoint p;
  p.at = at;
  p.recorded = growth.ingest * at;
  const Duration held = growth.retention ? std::min(at, *growth.retention) : at;
  p.stored = growth.ingest * held * growth.copies / growth.compression;
  Duration labelled = std::max(Duration{0}, at - growth.labelling_delay);
  if (growth.retention) labelled = std::min(labelled, *growth.retention - growth.labelling_delay);
  p.usable = growth.ingest * labelled;
  return p;
}

std::optional<Duration> full_at(const DataGrowth& growth, Bytes capacity) {
  check(growth);
  const Duration full = capacity * growth.compression / growth.copies / growth.ingest;
  if (growth.retention && full > *growth.retention) return std::nullopt;
  return full;
}

std::vector<GrowthPoint> growth_series(const DataGrowth& growth, Duration until, int points) {
  std::vector<GrowthPoint> series;
  for (int i = 1; i <= points; ++i)
    series.push_back(growth_at(growth, until * (static_cast<double>(i) / points)));
  return series;
}

}  // namespace rackcast
