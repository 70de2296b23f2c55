#include "models/data_path/page_cache.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/error.hpp"

namespace rackcast {

namespace {

void check(const CacheSpec& spec) {
  if (!(spec.set > Bytes{0})) throw Error{"a data set of zero bytes cannot be cached"};
  if (spec.nodes < 1) throw Error{"a data set is read by at least one node"};
  if (spec.page_cache < Bytes{0} || spec.ssd_cache < Bytes{0})
    throw Error{"a cache cannot have a negative size"};
}

double shuffled_lru(double c) {
  return c >= 1 ? 1 : c + (1 - c) * std::log(1 - c);
}

}  // namespace

std::string_view to_string(Sharding sharding) {
  static constexpr std::array<std::string_view, 3> names{"fixed", "resampled", "all"};
  return names.at(static_cast<std::size_t>(sharding));
}

std::string_view to_string(ReadOrder order) {
  return order == ReadOrder::shuffled ? "shuffled" : "sequential";
}

Bytes working_set(const CacheSpec& spec) {
  return spec.sharding == Sharding::fixed ? spec.set / spec.nodes : spec.set;
}

double hit_ratio(const CacheSpec& spec, Bytes cache, int epoch) {
  check(spec);
  const double c = cache / working_set(spec);
  if (epoch <= 0 || c <= 0) return 0;
  const double n = spec.nodes;
  if (spec.sharding == Sharding::resampled && n > 1) {
    const double seen = 1 - std::pow(1 - 1 / n, epoch);
    return std::min({1.0, c, seen});
  }
  if (spec.sharding == Sharding::all && epoch < spec.nodes) return 0;  // the first pass of its own
  if (c >= 1) return 1;
  if (spec.eviction == Eviction::none) return c;
  return spec.order == ReadOrder::sequential ? 0 : shuffled_lru(c);
}

EpochHits epoch_hits(const CacheSpec& spec, int epoch) {
  const double page = hit_ratio(spec, spec.page_cache, epoch);
  const double both = std::max(page, hit_ratio(spec, spec.ssd_cache, epoch));
  return {page, both - page, 1 - both};
}

std::vector<EpochPhase> epoch_phases(const CacheSpec& spec, double epochs) {
  check(spec);
  constexpr int kRampSamples = 64;  ///< epochs of a long ramp that are looked at
  const double cold = std::min(epochs, spec.sharding == Sharding::all ? spec.nodes : 1.0);
  std::vector<EpochPhase> phases{{cold, {}}};
  const double rest = epochs - cold;
  if (rest <= 0) return phases;
  EpochHits mean{0, 0, 0};
  const int looks = static_cast<int>(std::clamp(std::ceil(rest), 1.0, static_cast<double>(kRampSamples)));
  for (int i = 0; i < looks; ++i) {
    const double at = cold + rest * (i + 0.5) / looks;
    const EpochHits hits = epoch_hits(spec, static_cast<int>(std::min(at, 1e9)));
    mean.page_cache += hits.page_cache / looks;
    mean.ssd_cache += hits.ssd_cache / looks;
    mean.storage += hits.storage / looks;
  }
  constexpr double kNothing = 0.99;  ///< a cache that serves less than a hundredth is none
  if (mean.storage >= kNothing) {
    phases.front().epochs = epochs;
    return phases;
  }
  phases.push_back({rest, mean});
  return phases;
}

}  // namespace rackcast
