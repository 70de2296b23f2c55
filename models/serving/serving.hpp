#pragma once
/// A GPU that answers requests in batches: latency and throughput under a request rate.
///
/// Requests come at random (Poisson). When the GPU is free the dispatcher takes what waits, at most
/// `max_batch`, and runs it; it does not wait for a batch to fill, so light load gives the latency of a batch
/// of one and heavy load fills batches by itself ("dynamic batching"). A queue with bulk service, simulated
/// batch by batch.
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/units/quantity.hpp"

namespace rackcast {

struct ServingSpec {
  /// Time of a batch of i + 1 requests; at least one. Its size is the largest batch.
  std::vector<Duration> batch_time;
  Frequency rate{0};         ///< requests per second, above 0
  int requests = 20'000;     ///< simulated; the first tenth is warm-up and not counted
  double percentile = 0.99;  ///< at which a limit holds, between 0 and 1
  std::uint64_t seed = 1;
};

/// Of a language model that answers token by token.
struct TokenTimes {
  Duration first_p50{0},
      first{0};  ///< from arrival to the first token: half of the requests, and its percentile
  Duration token_p50{0}, token{0};  ///< per further token, mean over an answer: the same
};

struct ServingResult {
  Duration p50{0}, p90{0}, p99{0}, mean{0};  ///< from arrival to the end of the request's batch
  Duration asked{0};                         ///< at the percentile of the spec
  std::optional<TokenTimes> tokens;          ///< nothing where a request is answered in one pass
  double mean_batch = 0;
  double utilisation = 0;  ///< busy time of the GPU over all time
  bool saturated = false;  ///< the rate is above what the largest batch can serve
};

/// Throws Error on an empty table, a time or rate that is not positive, fewer than 100 requests, or a
/// percentile that is not between 0 and 1.
ServingResult simulate_serving(const ServingSpec& spec);

/// The highest rate whose percentile is within `limit`, to 1 %; 0 if a single request takes longer.
Frequency highest_rate(ServingSpec spec, Duration limit);

/// Requests per second of the best batch size if a batch is always waiting.
Frequency serving_capacity(const ServingSpec& spec);

}  // namespace rackcast
