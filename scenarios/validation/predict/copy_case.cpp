/// Copies between host and GPU: the link between them, as far as large copies fill it.
#include "models/data_path/input_path.hpp"
#include "scenarios/validation/cases/cluster_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {
namespace {

/// Of the first GPU: NVLink where it reaches the CPU, else the PCIe link of the slot.
Bandwidth link_to_host(const NodeSpec& node) {
  for (const CpuGpuNvlink& way : node.cpu_nvlinks)
    if (way.gpu == 0 && node.cpu_nvlink) return way.links * node.cpu_nvlink->achievable.value;
  return node.pcie_link.achievable.value;
}

}  // namespace

PredictedFigure predict_host_copy(PredictionContext& context, const ValidationCase& c) {
  if (!c.system.gpu) throw Unpredictable{"GPU not stated", "gpu"};
  if (c.metric == "copy_gb_per_s") {
    const std::string op = text_in(c.workload.extra, "op").value_or("");
    if (op == "copy device to device read")
      throw Unpredictable{"copies between GPUs: whether both directions are counted is not stated"};
    if (op != "copy host to device" && op != "copy device to host")
      throw Unpredictable{"copy \"" + op + "\" is not known"};
  }
  const NodeSpec node = node_of_case(context.catalog(), c);
  // The catalogue's rates are recollection, as those of storage are.
  return figure_of(link_to_host(node).base() / 1e9, input_path_facts().storage_log_sigma);
}

}  // namespace rackcast
