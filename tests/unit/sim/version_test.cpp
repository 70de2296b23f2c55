#include "sim/base/version.hpp"

#include <doctest/doctest.h>

namespace rackcast {
namespace {

TEST_CASE("the version is the project's and the commit has no blanks in it") {
  CHECK(version().find('.') != std::string_view::npos);
  CHECK(commit().find_first_of(" \n") == std::string_view::npos);
}

}  // namespace
}  // namespace rackcast
