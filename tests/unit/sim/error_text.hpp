#pragma once
#include <string>
#include <string_view>

#include "sim/base/error.hpp"

namespace rackcast {

/// The whole message of the Error that `action` throws; empty if it throws none.
template <class Action>
std::string error_text(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

}  // namespace rackcast
