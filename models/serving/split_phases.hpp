#pragma once
/// Prompts are read by GPUs of their own, and others write the answers ("disaggregated prefill and decode":
/// Y. Zhong et al., "DistServe", OSDI 2024), under a load generator that keeps a number of requests open
/// (models/serving/closed_loop.hpp).
///
/// Prompts wait in one queue, first come, first served. A prompt server that is free takes as many of them as
/// a pass of all its replicas holds, and is busy until the pass ends: replicas share the experts and take
/// their passes together. Prompts are spread evenly over the replicas, in parts where they do not divide.
/// Answers are spread evenly over the answer servers, whose passes hold no prompts. So the time per token is
/// that of a pass with
///
///     (open requests - requests whose prompt waits or is read) / answer servers
///
/// requests, and the time to the first token that in the queue, with the prompt. Left out: the way of keys
/// and values from one server to the other, which hides behind the reading of later layers' prompts.
#include "models/serving/closed_loop.hpp"

namespace rackcast {

struct SplitPhases {
  ClosedLoop prompts;  ///< a server that reads prompts: load and replicas; the generator's numbers are in it
  int prompt_servers = 1;
  GenerationLoad answers;  ///< a replica of a server that writes answers
  int answer_replicas = 1, answer_servers = 1;
};

/// Throws Error where a number is out of its range.
ClosedLoopTimes simulate_split_phases(const SplitPhases& phases);

}  // namespace rackcast
