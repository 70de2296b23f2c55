#include "scenarios/names/method.hpp"

namespace rackcast {

std::vector<doc::MethodStep> method() {
  return {
      {"Samples", "data set / bytes per sample; a fleet's data set is vehicles x rate x hours x days x kept",
       "scenario"},
      {"Time of an operator",
       "launch + max(arithmetic / (peak x efficiency), bytes / (bandwidth x efficiency))",
       "models/gpu/kernel.hpp; efficiencies fitted on measured kernels, models/data/gpu_models"},
      {"Time of the GPU's part of a step",
       "kernels in a queue that the host fills: end = max(previous end, issued) + kernel",
       "models/frameworks/gpu_step.hpp; host times in models/data/frameworks"},
      {"All-reduce",
       "flow over the links of its rings: 2(n-1)/n x gradients x ring's share, after the hops' latency",
       "Patarasuk & Yuan, JPDC 69(2), 2009; latencies: NCCL src/graph/tuning.cc"},
      {"Sharing of links, disks and cores", "weighted max-min fair rates",
       "Bertsekas & Gallager, Data Networks, 6.5.2; sim/engine/max_min.hpp"},
      {"Step", "simulated until it repeats: input, forward, backward, exposed all-reduce, update",
       "models/step/training.hpp"},
      {"Reads from storage",
       "1 - hit ratio of the epoch; shuffled LRU with a fraction c cached: c + (1-c) ln(1-c); a part drawn "
       "anew for each node: c once warm",
       "models/data_path/page_cache.hpp"},
      {"Rate of storage", "least of bytes, operations, opens, clients and readers / (latency + transfer)",
       "models/data_path/storage_system.hpp"},
      {"Time to train",
       "sum over cold and warm epochs of warm-up + ceil(samples x epochs / global batch) x step, and the "
       "simulated stall of each checkpoint; over the goodput where nodes fail",
       "scenarios/evaluate/evaluator_saves.cpp"},
      {"Goodput", "interval / ((M + wait) e^(R/M) (e^((interval + stall)/M) - 1)), M = node MTBF / nodes",
       "Daly, Future Generation Computer Systems 22(3), 2006; models/reliability/goodput.hpp"},
      {"MFU", "model FLOPs/s over the peak: tokens/s x (6 N + 12 L H Q T) / (GPUs x dense peak)",
       "Chowdhery et al., PaLM, arXiv 2204.02311, appendix B; models/split/utilisation.hpp"},
      {"HFU", "the same with what is computed again: + one forward pass of the layers, or of attention",
       "Korthikanti et al., arXiv 2205.05198, section 6.3; models/split/utilisation.hpp"},
      {"Scaling efficiency", "samples/s per GPU / samples/s of one GPU of the same node",
       "scenarios/evaluate/evaluator_predict.cpp"},
      {"Nodes", "doubling, then halving the interval; one node fewer is simulated and fails",
       "scenarios/answer/search.cpp"},
      {"90 % interval",
       "kernels, network and input varied by 1.645 standard deviations one at a time; 5 % and 95 % of "
       "quasi-random draws of all together",
       "scenarios/evaluate/evaluator_predict.cpp"},
  };
}

}  // namespace rackcast
