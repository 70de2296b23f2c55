#include "models/networks/low_rank.hpp"

#include <string>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

bool has_adapter(const Operator& op, const LowRankSpec& spec) {
  if (op.family != OperatorFamily::gemm) return false;
  return op.place.block == LayerBlock::attention || (spec.mlp && op.place.block == LayerBlock::mlp);
}

/// Of the same rows as the product beside it.
Operator product(const Operator& beside, const std::string& suffix, std::int64_t n, std::int64_t k) {
  Operator op;
  op.name = beside.name + suffix;
  op.place = beside.place;
  op.kind = "linear";
  op.family = OperatorFamily::gemm;
  op.shape.rows = beside.shape.rows;
  op.shape.n = n;
  op.shape.k = k;
  const auto rows = static_cast<double>(op.shape.rows);
  op.shape.elements_in = rows * static_cast<double>(k);
  op.shape.elements_out = op.activation_elements = rows * static_cast<double>(n);
  op.parameters = static_cast<double>(n * k);
  op.forward_flop = Flop{2 * rows * op.parameters};
  op.keeps_16_bits = true;  // adapters are small and are not quantised
  return op;
}

Operator sum(const Operator& beside) {
  Operator op;
  op.name = beside.name + ".lora_add";
  op.place = beside.place;
  op.kind = "add";
  op.shape.elements_out = static_cast<double>(beside.shape.rows * beside.shape.n);
  op.shape.elements_in = 2 * op.shape.elements_out;
  op.fusable = true;
  return op;
}

}  // namespace

Workload with_adapters(const Workload& network, const LowRankSpec& spec) {
  if (spec.rank < 0) throw Error{"the rank of adapters is not negative"};
  if (spec.rank == 0) return network;
  Workload out = network;
  out.operators.clear();
  bool found = false;
  for (const Operator& op : network.operators) {
    out.operators.push_back(op);
    out.operators.back().frozen = true;
    if (!has_adapter(op, spec)) continue;
    found = true;
    out.operators.push_back(product(op, ".lora_a", spec.rank, op.shape.k));
    out.operators.push_back(product(op, ".lora_b", op.shape.n, spec.rank));
    out.operators.push_back(sum(op));
  }
  if (!found) throw Error{"the network has no products that adapters could stand beside"};
  return out;
}

}  // namespace rackcast
