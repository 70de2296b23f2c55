#pragma once
/// A server under a load generator that keeps a number of requests open: whenever one is answered, the next
/// one is sent ("closed loop"; vLLM, benchmarks/benchmark_serving.py with --max-concurrency).
///
/// All open requests are sent at once in the beginning, so their prompts queue. After that prompts meet at
/// random as far as lengths differ. Lengths are drawn evenly from mean (1 - spread) to mean (1 + spread). The
/// run is simulated pass by pass, with the pass times of models/serving/generation_load.hpp, and means are
/// those over all requests of the run, the beginning included, as a load generator reports them.
///
/// A server either fills passes up with pieces of prompts ("mixed"), or stops answering while it reads
/// prompts. Replicas (GenerationSpec::replicas) take their passes together, because they share the experts:
/// a prompt on one of them is waited for by all, and prompts on different replicas are read side by side.
#include <cstdint>

#include "models/serving/generation_load.hpp"

namespace rackcast {

struct ClosedLoop {
  /// Pass times, lengths (means), room of a pass, and places: of one replica. `requests` and `between` are
  /// not read.
  GenerationLoad load;
  int replicas = 1;
  int open = 1;          ///< requests that the generator keeps open, over all replicas
  int requests = 10;     ///< in all
  double spread = 0;     ///< of lengths around their means, from 0 to below 1
  bool mixed = true;     ///< prompts and answers share passes
  Duration arriving{0};  ///< from the client to the queue and back: parsing, making tokens of text, sending
  double passes_waited = 0;  ///< by a request beside the queue (ServerHabits)
  std::uint64_t seed = 1;
};

struct ClosedLoopTimes {
  Duration first{0};         ///< from sending a request to its first token, mean
  Duration token{0};         ///< per further token: mean over requests of their means
  Duration token_median{0};  ///< gap between tokens: median over all gaps of the run
  double in_flight = 0;      ///< requests that are answered, mean over passes that answer
};

/// Throws Error where a number is out of its range.
ClosedLoopTimes simulate_closed_loop(const ClosedLoop& loop);

}  // namespace rackcast
