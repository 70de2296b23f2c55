// Boxes that take any GPU, and how they are wired.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "sim/base/error.hpp"
#include "topologies/hardware/node_wiring.hpp"

namespace rackcast {

std::optional<TemplateRule> template_rule(const CatalogEntry& entry) {
  const Json* json = entry.json.find("template");
  if (!json) return std::nullopt;
  constexpr std::array<std::string_view, 3> links{"none", "mesh", "pairs"};
  ObjectReader reader{*json};
  TemplateRule rule;
  rule.max_gpus = static_cast<int>(reader.integer("max_gpus", 1, 1024));
  rule.gpus_per_switch = static_cast<int>(reader.integer_or("gpus_per_switch", 0, 0, 1024));
  if (reader.has("nvlink")) rule.links = static_cast<TemplateRule::Links>(reader.choice("nvlink", links));
  rule.host_of_gpu = reader.boolean_or("host_of_gpu", false);
  reader.finish();
  return rule;
}

namespace {

/// Of the GPUs of an architecture that have links; 0 where none has.
int link_generation(const Catalog& catalog, const std::string& architecture) {
  for (const std::string& id : catalog.ids("gpus")) {
    const GpuSpec gpu = gpu_spec(catalog, id);
    if (gpu.architecture == architecture && gpu.nvlink_generation) return gpu.nvlink_generation->value;
  }
  return 0;
}

}  // namespace

void wire_directly(const Catalog& catalog, TemplateRule::Links wiring, NodeSpec& node) {
  const GpuSpec& gpu = node.gpu;
  int links = value_or(gpu.nvlink_links, 0);
  int generation = value_or(gpu.nvlink_generation, 0);
  if (links == 0 && gpu.bridge_per_direction) {
    // PCIe cards with bridges: as many links of the generation of their sisters as make the bridge's rate.
    generation = link_generation(catalog, gpu.architecture);
    if (generation > 0) {
      const LinkSpec link = link_spec(catalog, fmt::format("nvlink/nvlink{}", generation));
      links = static_cast<int>(std::lround(**gpu.bridge_per_direction / *link.raw));
    }
  }
  if (links == 0 || generation == 0)
    throw Error{fmt::format("{} joins its GPUs by NVLink, and no NVLinks of {} are known", node.id, gpu.id),
                {},
                "choose a GPU with NVLink or a bridge, or a node such as pcie_server"};
  const auto n = static_cast<std::size_t>(node.gpus);
  node.adjacency.assign(n, std::vector<int>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      if (wiring == TemplateRule::Links::mesh)
        node.adjacency[i][j] = std::max(1, links / static_cast<int>(n - 1));
      else if (i / 2 == j / 2)
        node.adjacency[i][j] = links;
    }
  }
  node.gpu_link = link_spec(catalog, fmt::format("nvlink/nvlink{}", generation));
}

}  // namespace rackcast
