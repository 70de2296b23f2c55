#include "models/serving/serving.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"
#include "sim/base/random.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/queue.hpp"

namespace rackcast {

namespace {

struct Server {
  explicit Server(const ServingSpec& of)
      : spec(of), waiting(engine, "requests", static_cast<std::size_t>(of.requests)) {}

  const ServingSpec& spec;
  Engine engine{TickLength::nanosecond};
  Queue<SimTime> waiting;  ///< arrival times
  std::vector<double> latencies;
  double batches = 0, busy_s = 0;
};

Process clients(Engine& engine, Server& server) {
  RandomStream random{server.spec.seed, "requests"};
  for (int i = 0; i < server.spec.requests; ++i) {
    co_await engine.sleep(Duration{random.exponential(1 / server.spec.rate.base())});
    co_await server.waiting.push(engine.now());
  }
  server.waiting.close();
}

Process gpu(Engine& engine, Server& server) {
  std::vector<SimTime> batch;
  while (const auto first = co_await server.waiting.pop()) {
    batch.assign(1, *first);
    while (batch.size() < server.spec.batch_time.size() && server.waiting.size() > 0) {
      batch.push_back(*co_await server.waiting.pop());
    }
    const Duration time = server.spec.batch_time[batch.size() - 1];
    co_await engine.sleep(time);
    server.batches += 1;
    server.busy_s += time.base();
    for (const SimTime arrival : batch) {
      server.latencies.push_back(engine.clock().duration(engine.now() - arrival).base());
    }
  }
}

void check(const ServingSpec& spec) {
  if (spec.batch_time.empty()) throw Error{"serving needs the time of at least one batch"};
  for (const Duration time : spec.batch_time) {
    if (!(time.base() > 0)) throw Error{"the time of a batch must be positive"};
  }
  if (!(spec.rate.base() > 0)) throw Error{"the request rate must be positive"};
  if (spec.requests < 100) throw Error{"at least 100 requests are needed for percentiles"};
  if (!(spec.percentile > 0 && spec.percentile < 1)) throw Error{"a percentile lies between 0 and 1"};
}

/// The q-quantile of sorted values: the smallest with at least that share at or below it.
Duration quantile(const std::vector<double>& sorted, double q) {
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(sorted.size())));
  return Duration{sorted[std::max<std::size_t>(rank, 1) - 1]};
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
  Server server{spec};
  server.engine.spawn("clients", clients(server.engine, server));
  server.engine.spawn("gpu", gpu(server.engine, server));
  const RunSummary summary = server.engine.run();

  const auto warm_up = static_cast<std::ptrdiff_t>(server.latencies.size() / 10);
  std::vector<double> sorted{server.latencies.begin() + warm_up, server.latencies.end()};
  std::sort(sorted.begin(), sorted.end());
  double sum = 0;
  for (const double latency : sorted) sum += latency;
  ServingResult out;
  out.p50 = quantile(sorted, 0.5);
  out.p90 = quantile(sorted, 0.9);
  out.p99 = quantile(sorted, 0.99);
  out.asked = quantile(sorted, spec.percentile);
  out.mean = Duration{sum / static_cast<double>(sorted.size())};
  out.mean_batch = static_cast<double>(server.latencies.size()) / server.batches;
  out.utilisation = server.busy_s / summary.end.base();
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
