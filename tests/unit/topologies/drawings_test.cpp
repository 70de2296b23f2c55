#include "topologies/drawings/drawings.hpp"

#include <doctest/doctest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <map>
#include <sstream>
#include <string>

#include "topologies/fabrics/cluster_builder.hpp"
#include "topologies/fabrics/named_cluster.hpp"
#include "topologies/graph/bisection.hpp"
#include "topologies/graph/graph_export.hpp"
#include "topologies/nodes/node_builder.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

/// Throws if the text is not well-formed XML.
boost::property_tree::ptree parsed(const std::string& xml) {
  std::istringstream in{xml};
  boost::property_tree::ptree tree;
  boost::property_tree::read_xml(in, tree);
  return tree;
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

NodeSpec one_port() {
  return node_spec(catalog(), {.node = "workstation", .gpu = "p100_pcie_16gb", .nics = 1, .nic_link = "edr"});
}

}  // namespace

TEST_CASE("every node of the catalogue is drawn as well-formed SVG, all GPUs in it") {
  for (const std::string& id : catalog().ids("nodes")) {
    CAPTURE(id);
    const Json* rule = catalog().find("nodes", id).json.find("template");
    // A template takes any GPU; one that joins its GPUs by NVLink needs a GPU with such links.
    const std::string chosen = rule == nullptr                   ? ""
                               : rule->find("nvlink") != nullptr ? "v100_sxm2_16gb"
                                                                 : "k40";
    const NodeSpec spec = node_spec(catalog(), {.node = id, .gpu = chosen});
    const std::string svg = draw_node(build_node(spec), spec.name);
    CHECK(parsed(svg).count("svg") == 1);
    CHECK(count(svg, "class=\"gpu\"") == spec.gpus);
    CHECK(count(svg, "x=\"-") == 0);  // nothing left of the page
  }
}

TEST_CASE("titles are escaped") {
  const std::string title = R"(<script>"a" & 'b'</script>)";
  const std::string svg = draw_node(build_node(node_spec(catalog(), "dgx2")), title);
  CHECK(svg.find("<script") == std::string::npos);
  CHECK(parsed(svg).get<std::string>("svg.title") == title);
}

TEST_CASE("named clusters and all shapes of fabrics are drawn") {
  for (const std::string& id : catalog().ids("clusters")) {
    CAPTURE(id);
    const NamedCluster c = cluster_of(catalog(), id);
    const std::string svg = draw_fabric(plan_fabric(catalog(), c.node, c.nodes, c.fabric.choice), c.name);
    CHECK(parsed(svg).count("svg") == 1);
    CHECK(svg.size() < 300'000);  // bundled
  }
  for (const FabricKind& kind : fabric_kinds()) {
    if (kind.name == "single_switch") continue;
    CAPTURE(kind.name);
    const FabricPlan plan = plan_fabric(catalog(), one_port(), 900, {.kind = std::string{kind.name}});
    CHECK(parsed(draw_fabric(plan, kind.name)).count("svg") == 1);
  }
}

TEST_CASE("lines of a network tell the levels that they join") {
  const auto lines = [](int nodes, const FabricChoice& choice) {
    std::map<std::string, int> styles;
    for (const Shape& shape : picture_of_fabric(plan_fabric(catalog(), one_port(), nodes, choice), "").shapes)
      if (shape.kind == Shape::Kind::line || shape.kind == Shape::Kind::arc) ++styles[shape.style];
    return styles;
  };
  auto two = lines(40, {.storage_servers = 4});
  CHECK(two["trunk"] > 0);
  CHECK(two["core-trunk"] == 0);
  auto three = lines(1944, {.kind = "three_level"});
  CHECK(three["trunk"] > 0);
  CHECK(three["core-trunk"] > 0);
  auto small = lines(8, {.storage_servers = 4});
  CHECK(small["network"] == 8);
  CHECK(small["storage-cable"] > 0);
}

TEST_CASE("a floor has a rack for every so many nodes") {
  const std::string svg =
      draw_floor({.nodes = 30, .nodes_per_rack = 12, .node_units = 3, .node_name = "node"}, "floor");
  CHECK(parsed(svg).count("svg") == 1);
  CHECK(count(svg, "class=\"rack\"") == 3);
  CHECK(count(svg, "class=\"server\"") == 30);
}

TEST_CASE("exports have every device and one edge per cable") {
  const Topology t = build_node(node_spec(catalog(), "dgx1v_16gb"));
  const std::string dot = to_dot(t);
  CHECK(count(dot, "--") == static_cast<int>(t.links().size()) / 2);
  CHECK(dot.find("node0/gpu5") != std::string::npos);
  const auto graph = parsed(to_graphml(t)).get_child("graphml.graph");
  CHECK(graph.count("node") == t.devices().size());
  CHECK(graph.count("edge") == t.links().size() / 2);
}

TEST_CASE("the bisection of a full fat tree is half of the nodes at the rate of their ports") {
  const auto bisection = [](int nodes, const FabricChoice& choice) {
    const Topology t =
        build_cluster(build_node(one_port()), plan_fabric(catalog(), one_port(), nodes, choice));
    const int half = nodes / 2;
    CHECK(full_bisection_bandwidth(t).base() == doctest::Approx(half * 12.1e9));
    return bisection_bandwidth(t).base();
  };
  CHECK(bisection(648, {}) == doctest::Approx(324 * 12.1e9));
  CHECK(bisection(1944, {.kind = "three_level"}) == doctest::Approx(972 * 12.1e9));
  // Two to one: a half of 5 leaves has 5 x 12 uplinks for 5 x 24 nodes.
  CHECK(bisection(240, {.oversubscription = 2, .down_ports = 24}) == doctest::Approx(60 * 12.1e9));
  // A torus of 4 x 4 x 4 with three cables per neighbour: two cuts of 16 switches across the ring.
  CHECK(bisection(64 * 18, {.kind = "torus_3d"}) == doctest::Approx(2 * 16 * 3 * 12.1e9));
  // Four groups of a dragonfly+, 324 / 3 = 108 cables per pair: two by two of them are cut.
  CHECK(bisection(4 * 324, {.spine_switch = "sb7800", .kind = "dragonfly_plus"}) ==
        doctest::Approx(4 * 108 * 12.1e9));
}

TEST_CASE("the bisection of a node counts NVLinks and PCIe") {
  // DGX-2: eight GPUs times six links of 20 GB/s through the trunks, and the socket link
  const double dgx2 = bisection_bandwidth(build_node(node_spec(catalog(), "dgx2"))).base();
  CHECK(dgx2 == doctest::Approx(8 * 6 * 20e9 + 10e9));
  // DGX-1V: two pairs of two links and two of one, and QPI's 6 GB/s
  CHECK(bisection_bandwidth(build_node(node_spec(catalog(), "dgx1v_16gb"))).base() ==
        doctest::Approx((2 + 2 + 1 + 1) * 20e9 + 6e9));
  CHECK(bisection_bandwidth(build_node(one_port())).base() == 0);
}

TEST_CASE("diameters: one switch 2 links, two levels 4, three levels 6, a cube of four 2 + 6") {
  const auto links = [](int nodes, const FabricChoice& choice) {
    return network_diameter(
               build_cluster(build_node(one_port()), plan_fabric(catalog(), one_port(), nodes, choice)))
        .links;
  };
  CHECK(links(30, {}) == 2);
  CHECK(links(300, {}) == 4);
  CHECK(links(1944, {.kind = "three_level"}) == 6);
  CHECK(links(64 * 18, {.kind = "torus_3d"}) == 8);
}
