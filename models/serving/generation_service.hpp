#pragma once
/// A server of a language model under requests that come at random: how long the first token, each further
/// one and the whole answer take.
///
/// Requests come as a Poisson stream and wait for a place in the server, first come, first served; from then
/// on the passes are those of models/serving/generation_load.hpp (continuous batching: G. Yu et al., "Orca",
/// OSDI 2022; prompts in pieces: A. Agrawal et al., "Sarathi-Serve", OSDI 2024). The queue is simulated pass
/// by pass, and percentiles are those of the simulated requests. All requests have the mean lengths: a spread
/// of lengths makes the tails longer, and the time per output token is the mean over a request's answer.
///
/// Beside the queue, a request needs time between client and server, and waits for some passes
/// (ServerHabits). Its first token and its whole answer come later by
///
///     arriving + passes_waited * (mean time per output token)
///
/// as they do under a load generator (models/serving/closed_loop.hpp).
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>

#include "models/serving/generation_load.hpp"
#include "models/serving/serving.hpp"

namespace rackcast {

struct GenerationService {
  GenerationLoad load;
  Frequency rate{0};         ///< requests per second, above 0
  int requests = 20'000;     ///< simulated; the first tenth is warm-up and not counted
  double percentile = 0.99;  ///< of the whole answer, between 0 and 1, as are:
  double first_percentile = 0.99, token_percentile = 0.99;
  std::uint64_t seed = 1;
  Duration arriving{0};      ///< between client and queue, both ways
  double passes_waited = 0;  ///< by a request beside the queue
};

/// Limits, each at the percentile of the service. A limit that is absent is always kept.
struct TokenLimits {
  std::optional<Duration> first;   ///< from arrival to the first token
  std::optional<Duration> token;   ///< per further token
  std::optional<Duration> answer;  ///< from arrival to the last token
  double first_factor = 1;         ///< on the times to the first token, before they are held against limits

  [[nodiscard]] bool kept(const ServingResult& result) const;
  /// The largest factor on the times to the first token with which the result keeps all limits, whatever
  /// `first_factor` is; 0 where it breaks one whatever the first tokens take, infinite where no limit is
  /// about them. A whole answer grows with its first token as half of the requests' answers do.
  [[nodiscard]] double first_token_room(const ServingResult& result) const;

  friend bool operator<(const TokenLimits& a, const TokenLimits& b) {
    return std::tie(a.first, a.token, a.answer, a.first_factor) <
           std::tie(b.first, b.token, b.answer, b.first_factor);
  }
};

/// If rate x time of a lone request is below this, no two requests are assumed to overlap: only a share of
/// 1e-7 of them would. With days between arrivals the simulated clock would lose its last digits.
inline constexpr double requests_never_meet = 1e-7;

/// Percentiles of whole answers, `tokens` of the result set, requests in flight as the mean batch. Throws
/// Error where a number is not positive or there are fewer than 100 requests.
ServingResult simulate_generation(const GenerationService& service);

/// Requests per second that the server answers with all places taken.
Frequency generation_capacity(const GenerationLoad& load);

/// The highest rate that keeps the limits, to 1 %; 0 if a lone request does not. Ends
/// at the rate at which no two requests meet, where only that rate keeps them.
/// `simulate`: simulate_generation(), or what remembers its results.
Frequency highest_generation_rate(
    GenerationService service, const TokenLimits& limits,
    const std::function<ServingResult(const GenerationService&)>& simulate = simulate_generation);

/// Times of a request that is alone on the server; the rate is not read.
ServingResult lone_generation(const GenerationService& service);

/// `result` with this multiple of all times to the first token. Answers grow as half of them do.
ServingResult with_first_tokens(ServingResult result, double factor);

/// `load` with the time of every pass multiplied by `slower`.
GenerationLoad slowed(GenerationLoad load, double slower);

}  // namespace rackcast
