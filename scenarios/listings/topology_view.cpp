#include "scenarios/listings/topology_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "scenarios/listings/table_writer.hpp"
#include "topologies/drawings/drawings.hpp"
#include "topologies/graph/graph_export.hpp"
#include "topologies/nodes/node_builder.hpp"
#include "topologies/nodes/node_matrix.hpp"

namespace rackcast {
namespace {

constexpr std::size_t most_devices = 40;  ///< of a matrix that is printed whole
constexpr int shown_of_each = 8;

/// The first GPUs and adapters of a node with too many for a page.
NodeMatrix shortened(const NodeMatrix& whole) {
  if (whole.devices.size() <= most_devices) return whole;
  std::vector<std::size_t> kept;
  std::map<char, int> count;
  for (std::size_t i = 0; i < whole.names.size(); ++i) {
    if (count[whole.names[i].front()]++ < shown_of_each) kept.push_back(i);
  }
  NodeMatrix out;
  for (const std::size_t i : kept) {
    out.devices.push_back(whole.devices[i]);
    out.names.push_back(whole.names[i]);
    out.cpu.push_back(whole.cpu[i]);
    auto& row = out.cells.emplace_back();
    for (const std::size_t j : kept) row.push_back(whole.cells[i][j]);
  }
  return out;
}

std::string gigabytes(Bandwidth rate) {
  return fmt::format("{:.4g}", rate.base() / 1e9);
}

TextTable matrix_table(const NodeMatrix& matrix) {
  TextTable table{"Matrix", {{"", false}}, {}};
  for (const std::string& name : matrix.names) table.columns.push_back({name, false});
  table.columns.push_back({"CPU", false});
  for (std::size_t i = 0; i < matrix.names.size(); ++i) {
    std::vector<std::string> row{matrix.names[i]};
    row.insert(row.end(), matrix.cells[i].begin(), matrix.cells[i].end());
    row.push_back(matrix.cpu[i] == no_id ? "-" : fmt::format("{}", matrix.cpu[i]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// With `sources` too wide for a page.
TextTable link_table(const Topology& t, bool sources) {
  TextTable table{
      "Links",
      {{"link", false}, {"cables", true}, {"GB/s raw", true}, {"achievable", true}, {"latency us", true}},
      {}};
  if (sources) {
    table.columns.push_back({"confidence", false});
    table.columns.push_back({"source", false});
  }
  std::vector<int> cables(t.link_classes().size(), 0);
  for (const Link& link : t.links()) cables[link.link_class] += link.from < link.to ? link.width : 0;
  for (std::size_t i = 0; i < cables.size(); ++i) {
    if (cables[i] == 0) continue;
    const LinkClass& link = t.link_classes()[i];
    table.rows.push_back({link.name, fmt::format("{}", cables[i]), gigabytes(link.raw),
                          gigabytes(link.achievable), fmt::format("{:.3g}", link.latency.base() * 1e6)});
    if (!sources) continue;
    table.rows.back().emplace_back(to_string(link.confidence));
    table.rows.back().push_back(link.source);
  }
  return table;
}

TextTable fabric_table(const FabricPlan& plan) {
  TextTable table{"Network", {{"what", false}, {"count", true}, {"which", false}}, {}};
  const auto add = [&table](const char* what, int count, const std::string& which) {
    if (count > 0) table.rows.push_back({what, fmt::format("{}", count), which});
  };
  add("nodes", plan.nodes, fmt::format("{} ports each, {}", plan.nics, to_string(plan.rails)));
  add("leaf switches", plan.leaves,
      fmt::format("{}; {} ports down, {} up", plan.leaf.name, plan.down, plan.up));
  add("spine switches", plan.spines, plan.spine.name);
  add("core switches", plan.cores, plan.core.name);
  if (plan.groups > 1) {
    add("groups", plan.groups * plan.planes,
        fmt::format("{} leaves and {} spines each", plan.leaves_per_group, plan.spines_per_group));
  }
  if (plan.planes > 1) add("separate networks", plan.planes, "one per port of a node");
  if (!plan.torus.empty())
    add("torus", static_cast<int>(plan.torus.size()),
        fmt::format("{} switches", fmt::join(plan.torus, " x ")));
  add("cables to nodes", plan.node_cables(), plan.port_link.id);
  add("cables between switches", plan.trunk_cables(), plan.up > 0 ? plan.trunk_link.id : "");
  return table;
}

FloorPlan floor_of(const FabricPlan& plan, const NodeSpec& node) {
  FloorPlan floor;
  floor.nodes = plan.nodes;
  floor.node_name = node.name;
  floor.node_units = std::max(1.0, value_or(node.rack_units, 4.0));
  // Two units of each rack are kept for its leaf switches; power and weight are not looked at here.
  floor.nodes_per_rack = std::max(1, static_cast<int>((floor.rack_units - 2) / floor.node_units));
  const double units = plan.spines * value_or(plan.spine.rack_units, 1.0) +
                       (plan.cores > 0 ? plan.cores * value_or(plan.core.rack_units, 1.0) : 0.0);
  floor.network_racks = static_cast<int>(std::ceil(units / floor.rack_units));
  return floor;
}

}  // namespace

std::string topology_matrix(const TopologyTarget& target, int width) {
  const NodeMatrix whole = node_matrix(build_node(target.node));
  const NodeMatrix part = shortened(whole);
  std::string text = to_text(part, target.node.sockets, value_or(target.node.cpu_cores, 0), width);
  if (part.devices.size() < whole.devices.size()) {
    text += fmt::format("  The first {} GPUs and adapters of {} devices; --json has all.\n", shown_of_each,
                        whole.devices.size());
  }
  return text;
}

std::string show_topology(const Catalog& catalog, const TopologyTarget& target, bool matrix) {
  std::vector<TextTable> tables;
  if (matrix) tables.push_back(matrix_table(node_matrix(build_node(target.node))));
  if (target.is_cluster) tables.push_back(fabric_table(plan_of(catalog, target)));
  tables.push_back(link_table(topology_of(catalog, target), matrix));
  return table_document(target.title,
                        fmt::format("{} GPUs, {} CPUs and {} network ports per node", target.node.gpus,
                                    target.node.sockets, target.node.nics),
                        tables);
}

std::string draw_topology(const Catalog& catalog, const TopologyTarget& target, std::string_view view,
                          std::string_view ending) {
  if (ending == ".dot") return to_dot(topology_of(catalog, target));
  if (ending == ".graphml") return to_graphml(topology_of(catalog, target));
  if (ending != ".svg") {
    throw Error{
        fmt::format("cannot draw a \"{}\" file", ending), {}, "use .svg, .dot or .graphml", ErrorKind::usage};
  }
  if (view == "node" || (view.empty() && !target.is_cluster)) {
    return draw_node(build_node(target.node), target.node.name);
  }
  if (!view.empty() && view != "fabric" && view != "floor") {
    throw Error{
        fmt::format("there is no view \"{}\"", view), {}, "views: node, fabric, floor", ErrorKind::usage};
  }
  const FabricPlan plan = plan_of(catalog, target);
  return view == "floor" ? draw_floor(floor_of(plan, target.node), target.title)
                         : draw_fabric(plan, target.title);
}

}  // namespace rackcast
