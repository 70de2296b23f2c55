#include "sim/base/split.hpp"

#include <doctest/doctest.h>

namespace rackcast {
namespace {

TEST_CASE("a line is split at each separator, and empty fields stay") {
  using Fields = std::vector<std::string_view>;
  CHECK(split("a,b", ',') == Fields{"a", "b"});
  CHECK(split("a|b,c||", '|') == Fields{"a", "b,c", "", ""});
  CHECK(split("", ',') == Fields{""});
}

}  // namespace
}  // namespace rackcast
