#include "scenarios/evaluate/step_key.hpp"

namespace rackcast {

bool StepKey::operator<(const StepKey& other) const {
  const auto all = [](const StepKey& key) {
    return std::tie(key.cluster, key.network, key.record, key.software, key.input, key.split, key.rest);
  };
  return all(*this) < all(other);
}

}  // namespace rackcast
