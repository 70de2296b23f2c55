#pragma once
/// Collects the operators of a network in forward order, names them, and works out what the backward pass
/// keeps.
///
/// What is kept is a property of tensors, not of operators: a convolution needs its input again, a relu its
/// output, an addition nothing. Each layer says what it needs; a tensor needed by anybody is counted once, at
/// the operator that produced it. So a relu behind a batch norm costs one tensor, not two, as in frameworks
/// that compute it in place. The network's own input is not counted.
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/networks/operator.hpp"
#include "models/networks/tensor_shape.hpp"

namespace rackcast {

/// A tensor on its way from one layer to the next.
struct Flow {
  static constexpr int network_input = -1;

  TensorShape shape;
  int producer = network_input;  ///< index of the operator that wrote it
};

/// What an operator's backward pass reads.
struct Kept {
  bool input = false;
  bool output = false;
  double extra = 0;   ///< elements that only the backward pass reads (masks, gates, attention scores)
  double scores = 0;  ///< of extra: what a fused attention kernel would not keep
};

class NetworkBuilder {
 public:
  // More than any real network needs; a larger description is a mistake or an attack.
  static constexpr std::size_t max_operators = 50'000;
  static constexpr std::int64_t max_dimension = 1'000'000'000;
  static constexpr double max_elements = 1e12;

  /// Appends `op` (its name is completed by the current prefix) and returns what it produces.
  /// Throws Error, without a place, if there are too many operators or too many elements.
  Flow add(Operator op, std::span<const Flow> inputs, const TensorShape& output, Kept kept);
  Flow add(Operator op, const Flow& input, const TensorShape& output, Kept kept) {
    return add(std::move(op), std::span<const Flow>(&input, 1), output, kept);
  }

  /// "conv" becomes "conv1", "conv2", ... within the current prefix.
  std::string numbered(std::string_view stem);
  /// "stem" the first time within the current prefix, then "stem2", "stem3", ...
  std::string unique(std::string_view name);

  /// While it lives, names start with `part` and a dot.
  class Prefix {
   public:
    Prefix(NetworkBuilder& network, std::string_view part);
    ~Prefix() { network_.prefix_.resize(length_); }
    Prefix(const Prefix&) = delete;
    Prefix& operator=(const Prefix&) = delete;

   private:
    NetworkBuilder& network_;
    std::size_t length_;
  };

  /// How operators are added while a Mode lives; modes nest.
  struct ModeFlags {
    bool shared = false;     ///< use weights that were counted before: no parameters
    bool auxiliary = false;  ///< belong to a branch that is used in training only
    bool frozen = false;     ///< weights are not trained
  };
  class Mode {
   public:
    Mode(NetworkBuilder& network, ModeFlags flags);
    ~Mode();
    Mode(const Mode&) = delete;
    Mode& operator=(const Mode&) = delete;

   private:
    NetworkBuilder& network_;
    ModeFlags before_;
  };

  /// While it lives, operators belong to `layer` (from 1) of a transformer, or to `block` of the layer
  /// around.
  class Place {
   public:
    Place(NetworkBuilder& network, std::int64_t layer);
    Place(NetworkBuilder& network, LayerBlock block);
    ~Place() { network_.place_ = before_; }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    NetworkBuilder& network_;
    LayerPlace before_;
  };

  /// Says what the operator that wrote `flow` is to its layer.
  void set_role(const Flow& flow, LayerRole role);

  [[nodiscard]] const std::string& prefix() const { return prefix_; }
  [[nodiscard]] std::size_t size() const { return operators_.size(); }
  [[nodiscard]] std::vector<Operator> take() { return std::move(operators_); }

 private:
  void keep(int producer);

  std::vector<Operator> operators_;
  std::vector<bool> kept_;
  std::vector<bool> needs_gradient_;  ///< per operator: it or one in front of it is trained
  std::map<std::string, int, std::less<>> numbers_;
  std::string prefix_;
  ModeFlags mode_;
  LayerPlace place_;
};

}  // namespace rackcast
