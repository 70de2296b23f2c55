#include "models/serving/serving.hpp"

#include <algorithm>
#include <vector>

#include "models/serving/random_requests.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

namespace {

void check(const ServingSpec& spec) {
  if (spec.batch_time.empty()) throw Error{"serving needs the time of at least one batch"};
  for (const Duration time : spec.batch_time) {
    if (!(time.base() > 0)) throw Error{"the time of a batch must be positive"};
  }
  if (!(spec.rate.base() > 0)) throw Error{"the request rate must be positive"};
  if (spec.requests < 100) throw Error{"at least 100 requests are needed for percentiles"};
  if (!(spec.percentile > 0 && spec.percentile < 1)) throw Error{"a percentile lies between 0 and 1"};
}

}  // namespace

Frequency serving_capacity(const ServingSpec& spec) {
  double best = 0;
  for (std::size_t i = 0; i < spec.batch_time.size(); ++i) {
    best = std::max(best, static_cast<double>(i + 1) / spec.batch_time[i].base());
  }
  return Frequency{best};
}

ServingResult simulate_serving(const ServingSpec& spec) {
  check(spec);
  const std::vector<Duration> arrivals = poisson_arrivals(spec.rate, spec.requests, spec.seed);
  std::vector<Duration> latencies;
  Duration free{0}, busy{0};  // when the GPU is free, how long it has worked
  int batches = 0;
  for (std::size_t first = 0; first < arrivals.size(); ++batches) {
    const Duration start = std::max(free, arrivals[first]);
    std::size_t taken = 1;
    while (taken < spec.batch_time.size() && first + taken < arrivals.size() &&
           arrivals[first + taken] <= start)
      ++taken;
    busy += spec.batch_time[taken - 1];
    free = start + spec.batch_time[taken - 1];
    for (const std::size_t end = first + taken; first < end; ++first)
      latencies.push_back(free - arrivals[first]);
  }

  Percentiles steady{steady_part(latencies)};
  ServingResult out;
  out.p50 = steady.at(0.5);
  out.p90 = steady.at(0.9);
  out.p99 = steady.at(0.99);
  out.asked = steady.at(spec.percentile);
  out.mean = steady.mean();
  out.mean_batch = static_cast<double>(latencies.size()) / batches;
  out.utilisation = busy / free;
  out.saturated = spec.rate >= serving_capacity(spec);
  return out;
}

Frequency highest_rate(ServingSpec spec, Duration limit) {
  if (spec.batch_time.empty() || spec.batch_time.front() > limit) return Frequency{0};
  double low = 0, high = serving_capacity(spec).base();
  while (high - low > 0.01 * high) {
    const double middle = (low + high) / 2;
    spec.rate = Frequency{middle};
    (simulate_serving(spec).asked <= limit ? low : high) = middle;
  }
  return Frequency{low};
}

}  // namespace rackcast
