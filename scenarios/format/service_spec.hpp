#pragma once
/// The scenario's "serving": which network answers how many requests, how fast, how surely.
#include <optional>
#include <string>

#include "models/gpu/precision_support.hpp"
#include "models/networks/operator.hpp"
#include "models/serving/generation_service.hpp"
#include "models/serving/serving_fleet.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// Requests to a language model, which answers token by token, and their limits.
struct TokenService {
  Where where;                                              ///< of the prompt
  double prompt = 0, output = 0;                            ///< tokens of a request and of its answer
  std::optional<Duration> first, token;                     ///< limits: to the first token, per further one
  double first_percentile = 0.99, token_percentile = 0.99;  ///< that keep them in the busiest hour, as shares
  int tensor = 0;                    ///< GPUs that share a copy; 0: as many as serve best
  int drafts = 0;                    ///< tokens that are guessed before each pass
  std::optional<double> acceptance;  ///< chance that a guess is right; nothing: as usual
};

struct ServiceSpec {
  Where where, model_where, precision_where;
  std::string model;
  Precision precision = Precision::fp16;
  bool precision_is_default = false;
  std::string framework = "tensorrt", framework_version;
  Frequency rate{0};  ///< requests per second, mean over the day
  DayProfile day{};   ///< of each hour, over the mean
  bool hours_given = false;
  /// The limit that the share `percentile` of the requests keeps in the busiest hour. Infinite for a language
  /// model without a limit on the whole answer.
  Duration latency{0};
  double percentile = 0.99;  ///< as a share
  int max_batch = 64;
  bool max_batch_given = false;
  std::optional<TokenService> tokens;  ///< nothing: a request is answered in one pass
  double memory_factor = 1;            ///< on the memory of a GPU; for what more of it would be worth
  Bytes request{0}, response{0};       ///< of one, over the network; 0: not counted
  std::string record;      ///< kind of record that cores decode; empty: requests are ready for the GPU
  double record_size = 0;  ///< 0: the reference of its kind
  Where record_where;
  std::optional<int> spares;           ///< nodes beyond those that the busiest hour needs: 1 is "N+1"
  std::optional<double> availability;  ///< share of the time in which enough nodes are up

  [[nodiscard]] TokenLimits token_limits() const;
  /// "inference" or, token by token, "generation".
  [[nodiscard]] PrecisionUse use() const {
    return tokens ? PrecisionUse::generation : PrecisionUse::inference;
  }
  [[nodiscard]] double peak() const;  ///< busiest hour over the mean
  [[nodiscard]] Frequency peak_rate() const { return peak() * rate; }
};

/// Throws Error at `place` for a precision that this use does not know.
void check_serving_precision(Precision precision, PrecisionUse use, const Json& place);

/// Throws Error at the place of what is wrong.
ServiceSpec read_service(const Json& json);

}  // namespace rackcast
