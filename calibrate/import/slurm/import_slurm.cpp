/// What a cluster of Slurm has: groups of equal nodes with their GPUs, CPUs, memory, states and partitions.
/// Names of hosts tell nodes apart and are not copied; neither are features, reasons and comments.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "calibrate/import/slurm/slurm_nodes.hpp"
#include "sim/base/near_matches.hpp"

namespace rackcast {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_slurm_groups = 1000;

/// Nodes whose memory differs by less than this are equal: it is what the operating system left of the same.
constexpr double slurm_memory_tolerance = 1.03;

bool same_but_memory(const SlurmNode& a, const SlurmNode& b) {
  return a.gpus == b.gpus && a.cpus == b.cpus && a.sockets == b.sockets &&
         a.cores_per_socket == b.cores_per_socket && a.threads_per_core == b.threads_per_core;
}

auto slurm_order_of(const SlurmNode& n) {
  return std::tie(n.gpus, n.cpus, n.sockets, n.cores_per_socket, n.threads_per_core, n.memory_mib);
}

std::vector<SlurmGroup> slurm_groups(const ImportSource& source, std::vector<SlurmNode> nodes) {
  std::ranges::stable_sort(
      nodes, [](const SlurmNode& a, const SlurmNode& b) { return slurm_order_of(a) < slurm_order_of(b); });
  std::vector<SlurmGroup> out;
  for (SlurmNode& node : nodes) {
    if (out.empty() || !same_but_memory(out.back().node, node) ||
        node.memory_mib > slurm_memory_tolerance * out.back().node.memory_mib) {
      if (out.size() == most_slurm_groups)
        source.fail(node.place, fmt::format("more than {} kinds of nodes", most_slurm_groups));
      out.push_back({node, 0, 0, {}, {}});
    }
    SlurmGroup& group = out.back();
    ++group.nodes;
    group.in_service += node.in_service;
    ++group.states[node.state];
    for (const std::string_view partition : node.partitions) ++group.partitions[product_name(partition)];
  }
  std::ranges::stable_sort(out, std::ranges::greater{}, &SlurmGroup::nodes);
  return out;
}

ordered_json slurm_group_json(const SlurmGroup& group) {
  const SlurmNode& node = group.node;
  ordered_json out{{"nodes", group.nodes}, {"in_service", group.in_service}};
  out["gpus"] = ordered_json::array();
  for (const SlurmGpus& g : node.gpus) {
    ordered_json gpus{{"type", g.type.empty() ? ordered_json(nullptr) : ordered_json(g.type)}};
    gpus[g.slices ? "slices_per_node" : "per_node"] = g.count;
    out["gpus"].push_back(gpus);
  }
  out["cpus"] = node.cpus;
  if (node.sockets > 0) out["sockets"] = node.sockets;
  if (node.sockets > 0 && node.cores_per_socket > 0) out["cores"] = node.sockets * node.cores_per_socket;
  out["memory"] = fmt::format("{:.0f} MiB", node.memory_mib);
  out["states"] = group.states;
  out["partitions"] = group.partitions;
  return out;
}

struct SlurmTotals {
  int nodes = 0, out_of_service = 0, gpus = 0, gpus_in_service = 0;
  std::optional<int> in_use;
};

SlurmTotals slurm_totals(const std::vector<SlurmNode>& nodes) {
  SlurmTotals sum;
  for (const SlurmNode& node : nodes) {
    ++sum.nodes;
    sum.out_of_service += !node.in_service;
    for (const SlurmGpus& g : node.gpus) {
      if (g.slices) continue;
      sum.gpus += g.count;
      sum.gpus_in_service += node.in_service ? g.count : 0;
    }
    if (node.gpus_in_use) sum.in_use = sum.in_use.value_or(0) + *node.gpus_in_use;
  }
  return sum;
}

}  // namespace

void import_slurm_nodes(const Catalog& catalog, const ImportSource& source, ImportOutput& out) {
  const bool scontrol = source.text().find("NodeName=") != std::string_view::npos;
  if (!scontrol && trimmed(source.text()).starts_with('{'))
    source.fail(std::size_t{0}, "the JSON of Slurm is not read",
                "save the output of `scontrol show node`, without --json");
  const std::vector<SlurmNode> nodes = scontrol ? read_scontrol_nodes(source) : read_sinfo_nodes(source, out);
  if (!source.text().ends_with('\n'))
    out.warnings.emplace_back("the last line has no end: the file may be cut off");
  const SlurmTotals sum = slurm_totals(nodes);
  const std::vector<SlurmGroup> groups = slurm_groups(source, nodes);
  ordered_json inventory{{"nodes", sum.nodes},
                         {"out_of_service", sum.out_of_service},
                         {"gpus", sum.gpus},
                         {"gpus_in_service", sum.gpus_in_service}};
  if (sum.in_use) inventory["gpus_in_use"] = *sum.in_use;
  inventory["groups"] = ordered_json::array();
  for (const SlurmGroup& group : groups) inventory["groups"].push_back(slurm_group_json(group));
  out.body["inventory"] = inventory;
  if (sum.out_of_service > 0) {
    std::map<std::string, int> states;
    for (const SlurmNode& node : nodes)
      if (!node.in_service) ++states[node.state];
    std::vector<std::string> list;
    for (const auto& [state, count] : states) list.push_back(fmt::format("{} {}", count, state));
    out.warnings.push_back(fmt::format("out of service: {} of {} nodes ({}); \"cluster\" does not count them",
                                       sum.out_of_service, sum.nodes, name_list(list, 8)));
  }
  add_slurm_cluster(catalog, groups, out);
  out.summary = fmt::format("{} node{} in {} group{}, {} GPUs, {} of them in service", sum.nodes,
                            sum.nodes == 1 ? "" : "s", groups.size(), groups.size() == 1 ? "" : "s", sum.gpus,
                            sum.gpus_in_service);
}

}  // namespace rackcast
