#include "models/memory.hpp"

#include <algorithm>
#include <cmath>

#include "models/data_files.hpp"
#include "models/expert_parallel.hpp"
#include "models/split_tables.hpp"
#include "models/transformer.hpp"
#include "sim/error.hpp"
#include "sim/quantity_text.hpp"

namespace rackcast {

namespace {

Bytes fact(const char* key) {
  return parse_quantity<Bytes>(
      parse_model_data("host/gpu_memory.json").require(key).require("value").string());
}

/// Input of a convolution unrolled for a matrix product: every output pixel's window.
double unrolled_elements(const Operator& op) {
  const OperatorShape& s = op.shape;
  if (op.family != OperatorFamily::conv) return 0;
  return static_cast<double>(s.c) * static_cast<double>(s.r * s.s) * static_cast<double>(s.oh) *
         static_cast<double>(s.ow) / static_cast<double>(std::max<std::int64_t>(1, s.groups));
}

}  // namespace

namespace {

/// Of one sample on one GPU, all micro-batches that wait together.
double kept_elements(const Workload& workload, double all, const MemoryOptions& options) {
  const double share = options.kept_micro_batches / options.ways;
  if (!options.recompute || !workload.transformer) return all * share;
  const TransformerShape& shape = *workload.transformer;
  const auto layers = static_cast<double>(shape.layers);
  return static_cast<double>(shape.seq_len * shape.hidden) * layers * share + all / layers;
}

}  // namespace

Optimizer usual_optimizer(const Workload& workload) {
  const bool attention = std::ranges::any_of(
      workload.operators, [](const Operator& op) { return op.family == OperatorFamily::attention; });
  return attention ? Optimizer::adam : Optimizer::momentum;
}

MemoryUse training_memory(const Workload& workload, const MemoryOptions& options) {
  if (!(options.batch >= 0)) throw Error{"memory needs a batch that is not negative"};
  constexpr Bytes fp32{4};
  const Bytes element = activation_bytes(options.precision);
  const Bytes copy = element < fp32 ? element : Bytes{0};
  const double expert_ways = options.expert_ways > 0 ? options.expert_ways : options.ways;
  double parameters = 0, frozen = 0, kept = 0, unrolled = 0;  // the parameters of one GPU
  double owned = 0;                                           // of those, updated where states are sharded
  for (const Operator& op : workload.operators) {
    if (options.table_ways == 0 || !is_split_table(op)) {
      const double ways = is_expert(op) ? expert_ways : options.ways;
      parameters += op.trained_parameters() / ways;
      frozen += (op.parameters - op.trained_parameters()) / ways;
      owned += op.trained_parameters() / (options.ways * options.replicas);
    }
    kept += op.activation_elements - (options.fused_attention ? op.score_elements : 0);
    unrolled = std::max(unrolled, unrolled_elements(op));
  }
  MemoryUse use;
  if (options.table_ways > 0) use.tables = table_memory(workload) / options.table_ways;
  // A copy's GPUs times its replicas are all GPUs, of experts too.
  const double share = parameters > 0 ? owned / parameters : 1 / options.replicas;
  const auto sharded = [&](int stage) {
    return options.zero_stage >= stage ? share : 1;
  };
  // The fp32 weights of a 16-bit run are the optimizer's.
  use.weights =
      copy > Bytes{0} ? parameters * (sharded(1) * fp32 + sharded(3) * copy) : parameters * sharded(3) * fp32;
  use.weights += frozen * sharded(3) * element;  // nothing updates them, so no fp32 copy
  use.gradients = parameters * sharded(2) * (fp32 + copy);
  use.optimizer = parameters * sharded(1) * fp32 * (options.optimizer == Optimizer::adam ? 2.0 : 1.0);
  use.activations = options.batch * kept_elements(workload, kept, options) * element;
  use.workspace = std::min({options.batch * unrolled * element, fact("workspace_limit"), options.workspace});
  use.reserve = fact("reserve");
  return use;
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
  const auto total = [&](double replicas) {
    options.replicas = replicas;
    return training_memory(workload, options).total();
  };
  const Bytes one = total(1);
  if (one <= available) return options.ways;
  const Bytes sharded = 2.0 * (one - total(2)), left = available - (one - sharded);
  if (!(sharded > Bytes{0}) || !(left > Bytes{0})) return std::nullopt;
  double replicas = std::max(1.0, std::floor(sharded / left));
  if (replicas > 1e9) return std::nullopt;         // no room worth the name
  while (total(replicas) > available) ++replicas;  // once or twice: rounding
  return replicas * options.ways;
}

double largest_batch(const Workload& workload, MemoryOptions options, Bytes available) {
  const auto fits = [&](double batch) {
    options.batch = batch;
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
