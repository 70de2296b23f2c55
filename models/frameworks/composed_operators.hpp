#pragma once
/// Operators that a framework puts together from simple ones: the object `"composed"` of a profile
/// (models/data/frameworks). Each simple operator reads and writes its operands once, so the counts follow
/// from the framework's source, which the profile names.
#include <string_view>

namespace rackcast {

/// Times that an element of the operator's map is read or written. All 0: the operator is one kernel.
struct ComposedOperator {
  double forward = 0, backward = 0;

  [[nodiscard]] bool stated() const { return forward > 0 || backward > 0; }
};

struct ComposedOperators {
  ComposedOperator gelu, layer_norm, dropout;
  /// What attention without a kernel of its own does with its scores between the two products: scale, mask
  /// and softmax. The dropout of training comes on top.
  ComposedOperator scores;
  /// In mixed precision all of them run in 32 bits, so maps are cast before and after.
  bool wide = false;

  /// Of an operator of a network by its kind. Not stated: one kernel.
  [[nodiscard]] ComposedOperator of(std::string_view kind) const {
    if (kind == "gelu") return gelu;
    if (kind == "layer_norm") return layer_norm;
    if (kind == "dropout") return dropout;
    return {};
  }

  /// Bytes that the operator moves for each element of a map that is kept in `width` bytes.
  [[nodiscard]] double bytes(const ComposedOperator& op, bool forward, double width) const {
    const double accesses = forward ? op.forward : op.backward;
    if (!wide || width >= 4) return accesses * width;
    return 4 * accesses + 2 * (width + 4);
  }
};

}  // namespace rackcast
