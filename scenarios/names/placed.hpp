#pragma once
/// Errors about a name, at the place where the scenario has it.
#include <utility>

#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

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

/// What a parser makes of a name; its errors are at the place of the name.
template <class Parse>
auto parsed(const Json& name, Parse&& parse) {
  return placed(name.where(), [&] { return std::forward<Parse>(parse)(name.string()); });
}

}  // namespace rackcast
