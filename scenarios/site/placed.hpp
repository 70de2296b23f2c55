#pragma once
/// Errors about a name, at the place where the scenario has it.
#include <utility>

#include "sim/base/error.hpp"

namespace rackcast {

template <class Function>
auto placed(const Where& where, Function&& function) {
  try {
    return std::forward<Function>(function)();
  } catch (const Error& e) {
    if (e.where().line) throw;
    throw Error{e.message(), where, e.hint(), e.kind()};
  }
}

}  // namespace rackcast
