#pragma once
/// Which activations are not kept for the backward pass but computed again (V. Korthikanti et al., "Reducing
/// Activation Recomputation in Large Transformer Models", arXiv 2205.05198, section 5).
#include <array>
#include <cstddef>
#include <string_view>

namespace rackcast {

enum class Recomputation {
  none,
  selective,  ///< attention's scores, softmax and their product with the values
  full,       ///< layers keep their inputs alone
};
inline constexpr std::array<std::string_view, 3> recomputation_names{"none", "selective", "full"};

constexpr std::string_view to_string(Recomputation recompute) {
  return recomputation_names[static_cast<std::size_t>(recompute)];
}

}  // namespace rackcast
