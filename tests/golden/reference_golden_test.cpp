// docs/reference/result.md carries what `rackcast schema result --reference` prints.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "scenarios/document/result.hpp"
#include "scenarios/document/whole.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"

namespace rackcast {
namespace {

TEST_CASE("the reference of the result document lists the keys that the program writes") {
  const std::string path = std::string{RACKCAST_SOURCE_DIR} + "/docs/reference/result.md";
  const std::string page = read_file(path), begin = "<!-- keys -->\n\n";
  const auto from = page.find(begin);
  REQUIRE(from != std::string::npos);
  const std::string intro = page.substr(0, from + begin.size()),
                    keys = doc::document_reference<doc::Result>();
  if (std::getenv("RACKCAST_UPDATE_GOLDEN") != nullptr) {
    write_file_atomically(path, intro + keys);
    return;
  }
  INFO("RACKCAST_UPDATE_GOLDEN=1 writes the keys into the page");
  CHECK(page == intro + keys);
}

}  // namespace
}  // namespace rackcast
