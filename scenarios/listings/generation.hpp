#pragma once
/// Tokens per second and latencies of a language model on one node, token by token
/// (models/serving/token_generation.hpp).
#include <optional>
#include <string>

#include "models/networks/operator.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

class Catalog;

struct GenerationQuestion {
  std::string model, node;
  std::string framework = "tensorrt", version;  ///< version: of the software; empty: the newest
  Precision precision = Precision::fp16;
  double prompt = 0, output = 0;     ///< tokens of a request
  int tensor = 0, pipeline = 1;      ///< GPUs that share a copy; tensor 0: every power of two of the node
  int drafts = 0;                    ///< tokens guessed before each pass
  std::optional<double> acceptance;  ///< chance that a guess is right; nothing: as usual
  std::optional<Duration> token_latency;  ///< per output token after the first, at most
};

/// A table document: for each split what one copy of the network holds in flight, its tokens/s, and the time
/// of a token and to the first one, from sending a request that finds a place; for the split with the most
/// tokens/s per GPU the same by requests in flight, and the load within `token_latency`. Throws Error for
/// unknown names, networks that generate no tokens and numbers out of range; a split that memory does not
/// hold is a row that says so, and an Error (infeasible) if no split is held.
std::string explain_generation(const Catalog& catalog, const GenerationQuestion& question);

}  // namespace rackcast
