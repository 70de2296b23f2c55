#include "scenarios/machine_drawing.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "models/cluster.hpp"
#include "scenarios/describe.hpp"
#include "topologies/drawings.hpp"
#include "topologies/node_builder.hpp"

namespace rackcast {
namespace {

using Document = nlohmann::ordered_json;

constexpr std::size_t most_shapes = 1500;  ///< of a network of a page

double pixel(double value) {
  return std::round(value * 10) / 10;
}

Document document(const Shape& shape) {
  constexpr const char* kinds[] = {"rect", "line", "arc", "text"};
  Document out = Document::array({kinds[static_cast<int>(shape.kind)], shape.style});
  if (shape.kind == Shape::Kind::line || shape.kind == Shape::Kind::arc)
    out.push_back(std::round(shape.width * 100) / 100);
  for (const double number : shape.numbers) out.push_back(pixel(number));
  if (shape.kind == Shape::Kind::text) {
    out.push_back(shape.anchor);
    out.push_back(shape.words);
  }
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

Document drawings_document(const std::vector<MachineDrawing>& drawings) {
  Document out = Document::array();
  for (const MachineDrawing& drawing : drawings) {
    Document shapes = Document::array();
    for (const Shape& shape : drawing.picture.shapes) shapes.push_back(document(shape));
    out.push_back({{"of", drawing.of},
                   {"title", drawing.title},
                   {"words", drawing.words},
                   {"width", pixel(drawing.picture.width)},
                   {"height", pixel(drawing.picture.height)},
                   {"shapes", std::move(shapes)}});
  }
  return out;
}

}  // namespace rackcast
