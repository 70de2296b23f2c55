#include "topologies/hardware/assumed_wiring.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/normal.hpp"

namespace rackcast {

std::optional<AssumedWiring> assumed_wiring(const Catalog& catalog, std::string_view name,
                                            const NodeSpec& node) {
  // What is assumed is the slow end, so the low end of a 90 % interval has to reach the fast one.
  const CatalogEntry& entry = catalog.find("nodes", name);
  const bool on_nvlink = static_cast<int>(node.cpu_nvlinks.size()) >= node.gpus;
  if (node.gpus < 2 || entry.find("pcie_tree") || entry.json.find("template") || on_nvlink)
    return std::nullopt;
  const int shared = (node.gpus + node.sockets - 1) / node.sockets;
  AssumedWiring out;
  out.text = fmt::format(
      "{}: where its GPUs are on PCIe is not known (pcie_tree{}). {} are taken to share one link to {} and "
      "to pass "
      "data through its memory, with a wide interval.",
      node.name, entry.find("cpu_sockets") ? "" : ", cpu_sockets", shared,
      node.sockets > 1 ? "each CPU" : "the CPU");
  out.log_sigma = std::log(static_cast<double>(shared)) / half_of_90_percent;
  return out;
}

}  // namespace rackcast
