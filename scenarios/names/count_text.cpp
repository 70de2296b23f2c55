#include "scenarios/names/count_text.hpp"

#include <fmt/format.h>

namespace rackcast {

std::string count_of(double n, const char* what) {
  return fmt::format("{:.0f} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace rackcast
