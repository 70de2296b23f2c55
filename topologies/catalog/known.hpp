#pragma once
/// A catalogued value as the rest of the program uses it: typed, still knowing its source.
#include <optional>
#include <string>

#include "topologies/catalog/fact.hpp"

namespace rackcast {

/// A value with its origin. `fact` names it in the catalogue ("gpus/p100_sxm2/fp32_tflops"), so that a result
/// can list what it rests on and mark what is from memory.
template <class T>
struct Known {
  T value{};
  Confidence confidence = Confidence::memory;
  std::string source;
  std::string fact;

  const T& operator*() const { return value; }
  const T* operator->() const { return &value; }
};

template <class T>
using Maybe = std::optional<Known<T>>;  ///< absent: unknown, not zero

/// The value, or `fallback` where the catalogue does not know it.
template <class T>
T value_or(const Maybe<T>& maybe, T fallback) {
  return maybe ? maybe->value : fallback;
}

}  // namespace rackcast
