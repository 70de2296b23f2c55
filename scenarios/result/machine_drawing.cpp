#include "scenarios/result/machine_drawing.hpp"

#include <fmt/format.h>

#include <cmath>

#include "models/collectives/cluster.hpp"
#include "scenarios/names/count_text.hpp"
#include "topologies/drawings/drawings.hpp"
#include "topologies/nodes/node_builder.hpp"

namespace rackcast {
namespace {

constexpr std::size_t most_shapes = 1500;  ///< of a network of a page

double pixel(double value) {
  return std::round(value * 10) / 10;
}

doc::MachineDrawing::Shape shape_document(const Shape& shape) {
  doc::MachineDrawing::Shape out;
  out.kind = static_cast<doc::MachineDrawing::Shape::Kind>(shape.kind);
  out.style = shape.style;
  out.width = std::round(shape.width * 100) / 100;
  for (const double number : shape.numbers) out.numbers.push_back(pixel(number));
  out.anchor = shape.anchor;
  out.words = shape.words;
  return out;
}

}  // namespace

std::vector<MachineDrawing> machine_drawings(const Cluster& cluster) {
  const NodeSpec& node = cluster.node;
  std::vector<MachineDrawing> out;
  out.push_back({"node", "Inside one " + node.name,
                 fmt::format("{}, {}, {} and the links between them", count_of(node.gpus, "GPU"),
                             count_of(node.sockets, "CPU socket"), count_of(node.nics, "network port")),
                 picture_of_node(build_node(node), "")});
  if (cluster.fabric.leaves == 0) return out;
  Picture network = picture_of_fabric(cluster.fabric, "");
  if (network.shapes.size() > most_shapes) return out;
  out.push_back(
      {"network", "The network between the nodes", words_of_fabric(cluster.fabric), std::move(network)});
  return out;
}

std::vector<doc::MachineDrawing> drawings_document(const std::vector<MachineDrawing>& drawings) {
  std::vector<doc::MachineDrawing> out;
  for (const MachineDrawing& drawing : drawings) {
    auto& one = out.emplace_back(doc::MachineDrawing{drawing.of,
                                                     drawing.title,
                                                     drawing.words,
                                                     pixel(drawing.picture.width),
                                                     pixel(drawing.picture.height),
                                                     {}});
    for (const Shape& shape : drawing.picture.shapes) one.shapes.push_back(shape_document(shape));
  }
  return out;
}

}  // namespace rackcast
