#pragma once
/// Collects the layers of a network in the order in which they are written. Private to the importers of
/// graphs.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace rackcast {

/// What flows between layers, as the language of networks has it: [features], [length, features],
/// [height, width, channels] or [depth, height, width, channels].
using FlowSides = std::vector<std::int64_t>;

/// A layer goes on from the one before it. A value that is read elsewhere gets a name ("save"), and layers go
/// back to it by that name ("use"). Each written layer makes a flow, with a number; so does each input of the
/// network. The order of elements in memory counts for nothing: a flow takes any sides with as many elements.
class LayerWriter {
 public:
  /// Another input, in its form in the language ({"image": [...]}). Only inputs that layers read are written;
  /// the first of them is the network's.
  int add_input(nlohmann::ordered_json form, FlowSides sides);
  /// Writes `layer` behind the current flow and goes on from its result.
  int write(nlohmann::ordered_json layer, FlowSides sides);
  /// Goes on from a flow.
  void go_to(int flow);
  /// Goes on from a flow in another shape, or from a part of it. False where it has too few elements.
  bool go_to(int flow, const FlowSides& sides);
  /// The name of a flow in this shape, for layers that read it beside their input; "": it has too few
  /// elements.
  std::string named(int flow, const FlowSides& sides);
  /// One of the lists of a layer that joins several: from the current flow to this one in this shape. Null
  /// where it has too few elements.
  nlohmann::ordered_json branch(int flow, const FlowSides& sides);

  [[nodiscard]] const FlowSides& sides(int flow) const { return sides_[index(flow)]; }
  [[nodiscard]] int current() const { return current_; }
  [[nodiscard]] bool at_vector() const { return sides(current_).size() == 1; }
  /// The layer that computes the flow; nullptr for an input.
  nlohmann::ordered_json* layer_of(int flow);

  /// The form of the network's input; null where layers read none.
  [[nodiscard]] const nlohmann::ordered_json& input() const { return first_input_; }
  [[nodiscard]] nlohmann::ordered_json layers() const;

 private:
  struct Written {
    nlohmann::ordered_json layer;
    int flow = -1;  ///< the number of its result; -1: it goes back to another one
  };
  static std::size_t index(int flow) { return static_cast<std::size_t>(flow); }
  [[nodiscard]] std::string name(int flow) const {
    return flow == first_ ? "input" : "value" + std::to_string(flow);
  }

  std::vector<FlowSides> sides_;                       ///< of each flow
  std::vector<nlohmann::ordered_json> closed_inputs_;  ///< by flow; null: written, or no input
  std::vector<Written> written_;
  std::set<int> named_;
  nlohmann::ordered_json first_input_;
  int first_ = -1, current_ = -1;
};

double elements_in(const FlowSides& sides);

}  // namespace rackcast
