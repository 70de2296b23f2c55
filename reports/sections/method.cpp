/// Which formula is behind which number, in the order in which a reader meets the numbers.
#include <iterator>
#include <span>
#include <string_view>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"

namespace rackcast::reports {
namespace {

struct Step {
  std::string_view number, formula, source;
};

constexpr Step of_training[] = {
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
     "scenarios/answer/node_search.hpp"},
    {"90 % interval",
     "kernels, network and input varied by 1.645 standard deviations one at a time; 5 % and 95 % of "
     "quasi-random draws of all together",
     "scenarios/evaluate/evaluator_predict.cpp"},
};

constexpr Step of_tokens[] = {
    {"Time of a pass",
     "token(d) + rows(d + p) - rows(d) + p / prompt x attention, of d requests in flight and p tokens of "
     "prompts",
     "models/serving/token_generation.hpp; models/serving/generation_load.hpp; kernels as fitted on "
     "measured ones"},
    {"Time to the first token, per output token",
     "requests come at random (Poisson) and wait for a place, first come, first served; every pass gives "
     "each request in flight a token and takes what prompts fit (continuous batching, Orca 2022, with "
     "prompts in pieces, Sarathi-Serve 2024); simulated pass by pass. Before its first token a request "
     "also "
     "takes its way to the server, and waits for some passes beside the queue",
     "models/serving/generation_service.hpp"},
    {"90 % interval",
     "passes slower or faster by 1.645 standard deviations of their error; times to the first token also by "
     "those of what they take beside their passes, in quadrature",
     "scenarios/serving/service_odds.cpp; models/mechanism_spread.hpp"},
};

constexpr Step of_batches[] = {
    {"Time of a batch",
     "forward kernels in a queue that the host fills: end = max(previous end, issued) + kernel",
     "models/frameworks/gpu_step.hpp; models/gpu/kernel.hpp; efficiencies fitted on measured kernels"},
    {"Latency",
     "decoding on a core + wait for the GPU + time of its batch; the GPU takes what waits, at most a "
     "full batch; requests arrive at random, simulated",
     "models/serving/serving.hpp"},
    {"90 % interval", "every batch 1.645 standard deviations of the kernels' fit slower or faster",
     "models/frameworks/gpu_step.hpp"},
};

constexpr Step of_fleets[] = {
    {"Load of a GPU", "busiest hour / (nodes x GPUs of a node): each request goes to a GPU drawn at random",
     "scenarios/serving/service_node.cpp"},
    {"Nodes", "galloping, then halving the interval; one node fewer is simulated and fails",
     "scenarios/serving/service_fleet.cpp"},
    {"Spares",
     "least k with P(at most k of n + k nodes are down) >= availability, nodes fail independently "
     "(binomial)",
     "models/serving/serving_fleet.hpp"},
    {"Share of the time that a node is down",
     "(detection + restart + replaced parts x repair) / (time between failures + the same)",
     "models/reliability/failure_rates.hpp"},
};

void add(std::span<const Step> steps, Table& table) {
  for (const Step& step : steps)
    table.rows.push_back({text_cell(std::string{step.number}), text_cell(std::string{step.formula}),
                          text_cell(std::string{step.source})});
}

}  // namespace

Blocks method_section(const ResultDocument& document) {
  Table table{"Number, formula, source", {{"Number"}, {"How"}, {"Source"}}, {}};
  if (document.serving) {
    const std::span<const Step> time =
        document.serving->tokens ? std::span<const Step>{of_tokens} : of_batches;
    add(time.first(time.size() - 1), table);
    add(of_fleets, table);
    add(time.last(1), table);  // the interval
  } else {
    add(of_training, table);
  }
  return {{table, Audience::document}};
}

}  // namespace rackcast::reports
