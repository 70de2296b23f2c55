#include "models/reliability/goodput.hpp"

#include <algorithm>
#include <boost/math/distributions/poisson.hpp>
#include <cmath>

#include "sim/base/error.hpp"

namespace rackcast {

namespace {

void check(const GoodputSpec& s) {
  const auto positive = [](Duration d) {
    return d.base() > 0 && std::isfinite(d.base());
  };
  const auto valid = [](Duration d) {
    return d.base() >= 0 && std::isfinite(d.base());
  };
  if (!positive(s.mttf)) throw Error{"the mean time to failure must be positive"};
  if (!positive(s.interval)) throw Error{"the checkpoint interval must be positive"};
  if (!valid(s.stall) || !valid(s.lag) || !valid(s.restart) || !valid(s.wait))
    throw Error{"times of saving, restart and waiting must not be negative"};
}

double poisson_at_most(double mean, int n) {
  return mean > 0 ? boost::math::cdf(boost::math::poisson{mean}, n) : 1;
}

constexpr int kMostSpares = 100'000;

}  // namespace

Goodput goodput(const GoodputSpec& s) {
  check(s);
  const double m = s.mttf.base(), attempt = s.interval.base() + s.stall.base();
  const double restart = s.restart.base() + s.lag.base();
  // e^700 is the edge of doubles; such a job never completes an interval.
  if ((restart + attempt) / m > 600) return {0, 0, 1, 0, 0, 1 / (m + s.wait.base())};
  const double failures = std::exp(restart / m) * std::expm1(attempt / m);
  const double elapsed = (m + s.wait.base()) * failures;
  Goodput out;
  out.useful = s.interval.base() / elapsed;
  out.saving = s.stall.base() / elapsed;
  out.wait = s.wait.base() * failures / elapsed;
  // A restart runs until it is done or fails again: M (1 - e^(-R/M)) on average.
  out.restart = failures * m * -std::expm1(-s.restart.base() / m) / elapsed;
  out.lost = std::max(0.0, 1 - out.useful - out.saving - out.wait - out.restart);
  out.failures_per_second = failures / elapsed;
  return out;
}

Duration young_interval(Duration stall, Duration mttf) {
  return Duration{std::sqrt(2 * stall.base() * mttf.base())};
}

Duration daly_interval(Duration stall, Duration mttf) {
  if (stall >= 2 * mttf) return mttf;
  const double x = stall / (2 * mttf);
  return young_interval(stall, mttf) * (1 + std::sqrt(x) / 3 + x / 9) - stall;
}

std::optional<Duration> longest_interval(GoodputSpec spec, double target) {
  if (!(target > 0) || !(target < 1)) throw Error{"a target goodput is between 0 and 1"};
  const auto reaches = [&](Duration interval) {
    spec.interval = interval;
    return goodput(spec).useful >= target;
  };
  // Goodput rises up to the best interval and falls beyond it.
  const Duration best = std::max(daly_interval(spec.stall, spec.mttf), 1e-6 * spec.mttf);
  if (!reaches(best)) return std::nullopt;
  Duration low = best, high = 600 * spec.mttf;
  for (int i = 0; i < 200 && high - low > 1e-9 * high; ++i) {
    const Duration middle = 0.5 * (low + high);
    (reaches(middle) ? low : high) = middle;
  }
  return low;
}

int spares_for(double mean_in_repair, double confidence) {
  if (!(mean_in_repair >= 0) || !std::isfinite(mean_in_repair))
    throw Error{"the mean number of nodes in repair must not be negative"};
  if (mean_in_repair > kMostSpares / 2.0) throw Error{"more nodes in repair than anybody keeps spares for"};
  int spares = 0;
  while (poisson_at_most(mean_in_repair, spares) < confidence && spares < kMostSpares) ++spares;
  return spares;
}

Duration spare_wait(double mean_in_repair, int spares, Duration repair) {
  const double all_out = spares == 0 ? 1 : 1 - poisson_at_most(mean_in_repair, spares - 1);
  return all_out * repair / (spares + 1);
}

}  // namespace rackcast
