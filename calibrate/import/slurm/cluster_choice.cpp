/// The node of the catalogue that is the same as a group of nodes. Slurm knows numbers and no wiring: a node
/// is taken only if it is the only one with the same GPUs, CPU cores and memory.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "calibrate/import/gpu_names.hpp"
#include "calibrate/import/slurm/slurm_nodes.hpp"
#include "sim/base/error.hpp"
#include "sim/base/near_matches.hpp"
#include "sim/base/utf8.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {
namespace {

/// Hardware threads may be listed as cores, and Slurm's memory is what the operating system leaves.
bool same_host(const SlurmNode& node, const NodeSpec& known) {
  if (!known.cpu_cores) return false;
  const int cores = known.cpu_cores->value, listed = node.sockets * node.cores_per_socket;
  if (std::ranges::none_of(std::array{node.cpus, listed},
                           [&](int n) { return n == cores || n == 2 * cores; }))
    return false;
  if (!known.dram || node.memory_mib <= 0) return true;
  const double ratio = node.memory_mib * (1 << 20) / known.dram->value.base();
  return ratio > 0.75 && ratio < 1.1;
}

struct CatalogueFit {
  std::vector<std::string> same_gpus, same_all;  ///< ids of nodes
};

CatalogueFit nodes_like(const Catalog& catalog, const SlurmNode& node, const std::vector<std::string>& gpus) {
  CatalogueFit fit;
  for (const std::string& id : catalog.ids("nodes")) {
    const Json* gpu = catalog.find("nodes", id).json.find("gpu_id");
    if (!gpu || gpu->kind() != JsonKind::string || std::ranges::count(gpus, gpu->string()) == 0) continue;
    const NodeSpec known = node_spec(catalog, id);
    if (known.gpus != node.gpus.front().count) continue;
    fit.same_gpus.push_back(id);
    if (same_host(node, known)) fit.same_all.push_back(id);
  }
  return fit;
}

/// A template of the catalogue that takes this GPU: PCIe cards in a server, or a board of at most four
/// modules that are wired to each other. Empty if there is none, as for boards with NVSwitches.
std::string template_for(const Catalog& catalog, const std::string& gpu, int count) {
  const bool links = value_or(gpu_spec(catalog, gpu).nvlink_links, 0) > 0;
  if (links && (count < 2 || count > 4)) return {};
  std::string id = links ? "nvlink_mesh_server" : "pcie_server";
  try {
    (void)node_spec(catalog, {.node = id, .gpu = gpu, .gpus = count});
    return id;
  } catch (const Error&) {
    return {};
  }
}

std::string write_node_hint(const std::string& node) {
  return fmt::format("write \"cluster\": {{\"node\": \"{}\"}} into the scenario that extends this file",
                     node);
}

/// What a warning calls the nodes of the group.
std::string group_in_words(const SlurmGroup& group) {
  return fmt::format("{} node{} with {}", group.in_service, group.in_service == 1 ? "" : "s",
                     slurm_gpus_in_words(group.node.gpus));
}

void add_known_node(const SlurmGroup& group, const std::string& id, nlohmann::ordered_json& cluster,
                    ImportOutput& out) {
  cluster["node"] = id;
  out.warnings.push_back(
      fmt::format("{}: taken as {} of the catalogue, the only one with these GPUs, CPU cores and memory; "
                  "Slurm says nothing of wiring and network: compare `rackcast topology show {}`",
                  group_in_words(group), id, id));
}

/// What can be said if no node of the catalogue is certain.
void add_uncertain_node(const Catalog& catalog, const SlurmGroup& group, const std::vector<std::string>& gpus,
                        const CatalogueFit& fit, nlohmann::ordered_json& cluster, ImportOutput& out) {
  const SlurmGpus& own = group.node.gpus.front();
  if (!fit.same_gpus.empty()) {
    const auto& likely = fit.same_all.empty() ? fit.same_gpus : fit.same_all;
    out.warnings.push_back(fmt::format("{}: may be one of these nodes of the catalogue: {}; {}",
                                       group_in_words(group), fmt::join(fit.same_gpus, ", "),
                                       write_node_hint(likely.front())));
    return;
  }
  if (gpus.size() > 1) {
    out.warnings.push_back(fmt::format(
        "{}: the type may be {}: {}", group_in_words(group), fmt::join(gpus, ", "),
        "write \"cluster\": {\"node\": ..., \"gpu\": ...} into the scenario that extends this file"));
    return;
  }
  const std::string id = template_for(catalog, gpus.front(), own.count);
  if (id.empty()) {
    out.warnings.push_back(fmt::format(
        "{}: the catalogue has no node with {} {}: import `nvidia-smi topo -m` of such a node, and "
        "write \"cluster\": {{\"node\": \"part.json\", \"gpu\": \"{}\"}} into the scenario",
        group_in_words(group), own.count, gpus.front(), gpus.front()));
    return;
  }
  cluster["node"] = id;
  cluster["gpu"] = gpus.front();
  cluster["gpus_in_node"] = own.count;
  out.warnings.push_back(fmt::format(
      "{}: wiring, CPUs and network are assumed to be those of {} of the catalogue, since Slurm does "
      "not know them; import `nvidia-smi topo -m` or lstopo of such a node for its own",
      group_in_words(group), id));
}

void choose_slurm_node(const Catalog& catalog, const SlurmGroup& group, nlohmann::ordered_json& cluster,
                       ImportOutput& out) {
  const std::vector<SlurmGpus>& gpus = group.node.gpus;
  const std::string missing =
      "write \"cluster\": {\"node\": ...} into the scenario that extends this file (`rackcast catalog list "
      "nodes`)";
  if (gpus.size() > 1) {
    out.warnings.push_back(
        fmt::format("{}: a scenario has one kind of GPU in a node: {}", group_in_words(group), missing));
    return;
  }
  if (gpus.front().slices) {
    out.warnings.push_back(
        fmt::format("{}: these are slices of GPUs (MIG), not GPUs: {}", group_in_words(group), missing));
    return;
  }
  const std::string& type = gpus.front().type;
  if (type.empty()) {
    out.warnings.push_back(
        fmt::format("{}: Slurm does not say of which type the GPUs are: {}", group_in_words(group), missing));
    return;
  }
  const std::vector<std::string> known = catalogue_gpus_called(catalog, type);
  if (known.empty()) {
    const std::string near = did_you_mean(type, catalog.ids("gpus"));
    out.warnings.push_back(fmt::format("{} is no GPU of the catalogue{}{}: {}", in_quotes(type),
                                       near.empty() ? "" : "; ", near, missing));
    return;
  }
  const CatalogueFit fit = nodes_like(catalog, group.node, known);
  if (fit.same_all.size() == 1) {
    add_known_node(group, fit.same_all.front(), cluster, out);
  } else {
    add_uncertain_node(catalog, group, known, fit, cluster, out);
  }
}

}  // namespace

void add_slurm_cluster(const Catalog& catalog, const std::vector<SlurmGroup>& groups, ImportOutput& out) {
  // Slices count only where no node has whole GPUs: seven of them may be one GPU.
  const auto gpus_in_service = [](const SlurmGroup& group) {
    std::pair<double, double> whole_and_slices;
    for (const SlurmGpus& g : group.node.gpus)
      (g.slices ? whole_and_slices.second : whole_and_slices.first) +=
          static_cast<double>(g.count) * group.in_service;
    return whole_and_slices;
  };
  constexpr std::pair<double, double> none;
  const auto largest = std::ranges::max_element(groups, {}, gpus_in_service);
  if (largest == groups.end() || gpus_in_service(*largest) == none) {
    out.warnings.emplace_back("no node with GPUs is in service: the document holds no scenario");
    return;
  }
  std::vector<std::string> others;
  for (const SlurmGroup& group : groups)
    if (&group != &*largest && gpus_in_service(group) != none) others.push_back(group_in_words(group));
  if (!others.empty())
    out.warnings.push_back(
        fmt::format("a scenario has one kind of node: \"cluster\" has the {} and leaves out {}",
                    group_in_words(*largest), name_list(others, 8)));
  nlohmann::ordered_json cluster = nlohmann::ordered_json::object();
  choose_slurm_node(catalog, *largest, cluster, out);
  cluster["nodes"] = largest->in_service;
  constexpr int most_nodes_of_a_scenario = 100'000;
  if (largest->in_service > most_nodes_of_a_scenario)
    out.warnings.emplace_back("a scenario has at most 100000 nodes: lower \"nodes\" of \"cluster\"");
  out.body["scenario"] = {{"cluster", std::move(cluster)}};
}

}  // namespace rackcast
