#include "models/memory/memory.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/data_files.hpp"
#include "models/networks/transformer.hpp"
#include "models/split/split_tables.hpp"
#include "sim/base/error.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

Bytes fact(const char* key) {
  return parse_quantity<Bytes>(
      parse_model_data("host/gpu_memory.json").require(key).require("value").string());
}

double number(const char* key) {
  return parse_model_data("host/gpu_memory.json").require(key).require("value").number();
}

/// Input of a convolution unrolled for a matrix product: every output pixel's window.
double unrolled_elements(const Operator& op) {
  const OperatorShape& s = op.shape;
  if (op.family != OperatorFamily::conv) return 0;
  return static_cast<double>(s.c) * static_cast<double>(s.r * s.s) * static_cast<double>(s.oh) *
         static_cast<double>(s.ow) / static_cast<double>(std::max<std::int64_t>(1, s.groups));
}

}  // namespace

Optimizer usual_optimizer(const Workload& workload) {
  const bool attention = std::ranges::any_of(
      workload.operators, [](const Operator& op) { return op.family == OperatorFamily::attention; });
  return attention ? Optimizer::adam : Optimizer::momentum;
}

StateBytes state_bytes(Precision precision, Optimizer optimizer, bool wide_gradients) {
  constexpr Bytes fp32{4};
  // Products of 8 and 4 bits read casts of weights that are kept in 16.
  const Bytes element = std::max(Bytes{2}, activation_bytes(precision)),
              moments = (optimizer == Optimizer::adam ? 2.0 : 1.0) * fp32;
  if (!(element < fp32)) return {fp32, fp32, Bytes{0}, Bytes{0}, moments};
  if (wide_gradients) return {element, fp32, fp32, Bytes{0}, moments};
  return {element, element, fp32, fp32, moments};
}

namespace {

/// Parameters on one GPU.
struct OwnParameters {
  double trained = 0, frozen = 0;
  double updated = 0;  ///< of `trained`, where states are sharded over the GPUs with the same weights
};

OwnParameters parameters_on_a_gpu(const Workload& workload, const MemoryOptions& options) {
  OwnParameters out;
  for (const Operator& op : workload.operators) {
    if (options.table_ways > 0 && is_split_table(op)) continue;
    out.trained += op.trained_parameters();
    out.frozen += op.parameters - op.trained_parameters();
  }
  out.updated = out.trained;
  return out;
}

/// What a graph of simple operators keeps of a sample beside what the operator lists, in elements.
double composed_elements(const Operator& op, const GraphMemory& graph, bool fused_attention) {
  if (op.kind == "gelu") return graph.gelu_maps * op.shape.elements_out;
  if (op.kind == "layer_norm") return graph.norm_maps * op.shape.elements_out;
  if (!graph.wide_masks) return 0;
  // Masks are listed as half an element.
  if (op.kind == "dropout") return 0.5 * op.shape.elements_out;
  const double scores = static_cast<double>(op.shape.heads * op.shape.seq * op.shape.kv_seq);
  const bool drops = op.score_elements > scores;  // probabilities alone, or with mask and product
  return op.family == OperatorFamily::attention && drops && !fused_attention ? 0.5 * scores : 0;
}

Bytes kept_by(const Operator& op, const MemoryOptions& options) {
  const double kept = op.activation_elements - (options.fused_attention ? op.score_elements : 0) +
                      composed_elements(op, options.trainer.graph, options.fused_attention);
  return options.batch * kept * activation_bytes(options.precision);
}

Bytes kept_activations(const Workload& workload, const MemoryOptions& options) {
  Bytes kept{0};
  for (const Operator& op : workload.operators) kept += kept_by(op, options);
  return kept;
}

/// What the loss holds of logits beside what the network's last softmax keeps, when the backward pass begins
/// and all activations are there.
Bytes held_by_loss(const Workload& workload, const MemoryOptions& options) {
  const auto loss = std::ranges::find(workload.operators.rbegin(), workload.operators.rend(),
                                      OperatorFamily::softmax, &Operator::family);
  if (loss == workload.operators.rend()) return Bytes{0};
  const Bytes held = options.batch * loss->shape.elements_out * Bytes{options.trainer.logit_bytes};
  return std::max(Bytes{0}, held - kept_by(*loss, options));
}

/// Weights, gradients and the states of the optimizer.
MemoryUse states_of(const MemoryOptions& options, const OwnParameters& own) {
  const Bytes element = activation_bytes(options.precision);
  const int sharded = options.mesh ? options.mesh->zero_stage : 0;
  const auto held_from = [&](int stage) {
    return sharded >= stage ? own.updated : own.trained;
  };
  const StateBytes each = state_bytes(options.precision, options.optimizer, options.wide_gradients);
  MemoryUse use;
  use.weights = held_from(3) * each.weights + held_from(1) * each.main_weights;
  // Nothing updates frozen weights, so there is no fp32 copy.
  use.weights += own.frozen * element;
  use.gradients = held_from(2) * each.gradients + held_from(1) * each.main_gradients;
  use.optimizer = held_from(1) * each.moments;
  return use;
}

/// Gradients of maps that are there while those of an operator are computed: of what it wrote and what it
/// read, of the maps that it keeps for itself, and of attention that is no single kernel the gradients of
/// scores and probabilities.
Bytes map_gradients(const Operator& op, const MemoryOptions& options) {
  const bool scores = op.family == OperatorFamily::attention && !options.fused_attention;
  const double inner = scores ? 2 * static_cast<double>(op.shape.heads * op.shape.seq * op.shape.kv_seq)
                              : composed_elements(op, options.trainer.graph, options.fused_attention);
  return options.batch * (op.shape.elements_in + op.shape.elements_out + inner) *
         activation_bytes(options.precision);
}

/// A graph whose gradients are made and gone within the step: `use` has all of them.
void pass_gradients(MemoryUse& use, const Workload& workload, const MemoryOptions& options) {
  const StateBytes state = state_bytes(options.precision, options.optimizer, options.wide_gradients);
  const Bytes each = state.gradients + state.main_gradients, all = use.gradients;
  Bytes left = use.activations, made{0}, most{0};
  for (auto op = workload.operators.rbegin(); op != workload.operators.rend(); ++op) {
    // Split tables have gradients of the rows that were looked up.
    if (!(options.table_ways > 0 && is_split_table(*op))) made += op->trained_parameters() * each;
    if (const Bytes maps = left + map_gradients(*op, options); made + maps > most) {
      most = made + maps;
      use.activations = maps;
      use.gradients = made;
    }
    left -= kept_by(*op, options);
  }
  use.update = all - use.gradients;
}

/// Read once for all stages.
struct SplitFacts {
  Bytes reserve = fact("reserve"), communicator = fact("communicator");
  Bytes product_workspace = fact("product_workspace");
  double fragmentation = number("fragmentation");
};

/// A GPU of one stage of a split network.
MemoryUse stage_memory(const MemoryOptions& options, const StageHolding& stage, const SplitFacts& facts) {
  const StageParameters& parameters = stage.parameters;
  const Mesh& mesh = *options.mesh;
  const double copies = mesh.copies();
  // A copy of the experts is on `expert` GPUs of a stage.
  const double sets = mesh.expert > 1 ? copies * mesh.tensor / mesh.expert : mesh.shards();
  const OwnParameters own{
      parameters.all, 0,
      (parameters.all - parameters.of_experts) / mesh.shards() + parameters.of_experts / sets};
  MemoryUse use = states_of(options, own);
  const Bytes element = activation_bytes(options.precision);
  use.activations = stage.activations + stage.map_gradients;
  if (options.trainer.keeps_buckets) {
    const bool replicated = copies > 1;
    if (options.wide_gradients) {
      if (replicated) use.gradients += own.trained * element;
      use.activations = std::max(use.activations, own.trained * element);
    }
    if (replicated && mesh.zero_stage == 1) use.update = (own.trained + own.updated) * element;
  }
  use.buffers = stage.gather_buffers + facts.product_workspace + options.trainer.workspace;
  use.unusable = stage.in_flight + facts.fragmentation * use.activations;
  const int communicators = (mesh.tensor > 1) + (mesh.pipeline > 1) + (copies > 1) + (mesh.context > 1) +
                            (mesh.shard_sets() > 1) + (mesh.expert > 1);
  use.reserve = facts.reserve + communicators * facts.communicator + options.trainer.outside_allocator;
  return use;
}

MemoryUse split_memory(const Workload& workload, const MemoryOptions& options) {
  if (!workload.transformer)
    throw Error{workload.title + " is no plain transformer: it cannot be split over GPUs"};
  const KeptSpec kept{options.fused_attention, std::max(Bytes{2}, activation_bytes(options.precision)),
                      options.trainer};
  const std::vector<StageHolding> stages = stage_holdings(*workload.transformer, *options.mesh, kept);
  const SplitFacts facts;
  if (options.stage == StageAsked::first) return stage_memory(options, stages.front(), facts);
  MemoryUse most = stage_memory(options, stages.back(), facts);
  if (options.stage == StageAsked::last) return most;
  for (const StageHolding& stage : stages) {
    const MemoryUse use = stage_memory(options, stage, facts);
    if (use.total() > most.total()) most = use;
  }
  return most;
}

}  // namespace

MemoryUse training_memory(const Workload& workload, const MemoryOptions& options) {
  if (!(options.batch >= 0)) throw Error{"memory needs a batch that is not negative"};
  if (options.mesh) return split_memory(workload, options);
  MemoryUse use = states_of(options, parameters_on_a_gpu(workload, options));
  if (options.table_ways > 0) use.tables = table_memory(workload) / options.table_ways;
  use.activations = kept_activations(workload, options);
  const GraphMemory& graph = options.trainer.graph;
  if (graph.passing_gradients) {
    pass_gradients(use, workload, options);
  } else {
    use.activations += held_by_loss(workload, options);
  }
  if (options.optimizer == Optimizer::adam) {
    constexpr Bytes fp32{4};
    const double trained = parameters_on_a_gpu(workload, options).trained;
    use.optimizer += graph.adam_ahead * trained * fp32;
    use.update += graph.adam_update * trained * fp32;
  }
  double unrolled = 0;
  for (const Operator& op : workload.operators) unrolled = std::max(unrolled, unrolled_elements(op));
  use.workspace = std::min({options.batch * unrolled * activation_bytes(options.precision),
                            fact("workspace_limit"), options.workspace});
  use.reserve = fact("reserve");
  return use;
}

MemorySpread memory_spread() {
  return {number("states_spread"), number("reserved_spread"), number("allocated_spread"),
          number("whole_spread")};
}

double tried_batches() {
  return number("tried_batches");
}

double odds_of_fit(Bytes computed, Bytes available) {
  if (!(computed > Bytes{0})) return 1;
  if (!(available > Bytes{0})) return 0;
  return 0.5 * std::erfc(std::log(computed / available) / (std::sqrt(2.0) * memory_spread().reserved));
}

Bytes table_memory(const Workload& workload) {
  constexpr Bytes fp32{4};
  Bytes sum{0};
  for (const Operator& op : workload.operators)
    if (is_split_table(op)) sum += op.parameters * (1 + (op.frozen ? 0 : op.row_state)) * fp32;
  return sum;
}

std::optional<double> gpus_for_tables(const Workload& workload, MemoryOptions options, Bytes available) {
  options.table_ways = 1;
  const MemoryUse whole = training_memory(workload, options);
  const Bytes left = available - (whole.total() - whole.tables);
  if (!(left > Bytes{0})) return std::nullopt;
  return std::max(1.0, std::ceil(whole.tables / left));
}

std::optional<double> gpus_for_states(const Workload& workload, MemoryOptions options, Bytes available) {
  if (!options.mesh) {  // nothing is sharded
    if (training_memory(workload, options).total() <= available) return 1;
    return std::nullopt;
  }
  const double gpus = options.mesh->gpus();
  const auto total = [&](int replicas) {
    options.mesh->data = replicas;
    return training_memory(workload, options).total();
  };
  if (total(1) <= available) return gpus;
  // From two replicas on nothing grows: their communicator and their buckets are there.
  int few = 1, enough = 2;
  while (total(enough) > available) {
    few = enough;
    enough *= 2;
    if (enough > 1'000'000) return std::nullopt;  // no room worth the name
  }
  while (enough - few > 1) {
    const int middle = (few + enough) / 2;
    (total(middle) <= available ? enough : few) = middle;
  }
  return enough * gpus;
}

double largest_batch(const Workload& workload, MemoryOptions options, Bytes available) {
  const auto fits = [&](double batch) {
    (options.mesh ? options.mesh->micro_batch : options.batch) = batch;
    return training_memory(workload, options).total() <= available;
  };
  if (!fits(1)) return 0;
  double low = 1, high = 2;
  while (fits(high) && high < 1e9) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

Bytes serving_memory(const Workload& workload, double batch, Precision precision) {
  if (!(batch >= 0)) throw Error{"memory needs a batch that is not negative"};
  const Bytes element = precision == Precision::int8 ? Bytes{1} : activation_bytes(precision);
  double parameters = 0, widest = 0, unrolled = 0;
  for (const Operator& op : workload.operators) {
    if (op.auxiliary) continue;
    parameters += op.parameters;
    widest = std::max(widest, op.activation_elements);
    unrolled = std::max(unrolled, unrolled_elements(op));
  }
  return parameters * element + 2 * batch * widest * element +
         std::min(batch * unrolled * element, fact("workspace_limit")) + fact("reserve");
}

}  // namespace rackcast
