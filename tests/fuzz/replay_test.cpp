// Every seed and every past finding, handed to its reader: without clang, in each run of the tests.
#include <doctest/doctest.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "sim/base/input_file.hpp"
#include "tests/fuzz/target.hpp"

namespace rackcast::fuzz {
namespace {

namespace fs = std::filesystem;

const fs::path root = RACKCAST_SOURCE_DIR;

std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> out;
  if (glob((root / pattern).c_str(), 0, nullptr, &found) == 0)
    out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return out;
}

/// The files of seeds.txt for each target.
std::map<std::string, std::vector<std::string>> seeds() {
  std::map<std::string, std::vector<std::string>> out;
  std::ifstream file{root / "tests/fuzz/seeds.txt"};
  for (std::string line; std::getline(file, line);) {
    std::istringstream words{line};
    std::string target, pattern;
    if (line.starts_with('#') || !(words >> target)) continue;
    while (words >> pattern) {
      const bool only_words = pattern.starts_with('+');
      const std::vector<std::string> files = matches(pattern.substr(only_words ? 1 : 0));
      INFO("pattern: ", pattern);
      CHECK_FALSE(files.empty());
      if (!only_words) out[target].insert(out[target].end(), files.begin(), files.end());
    }
  }
  return out;
}

}  // namespace

TEST_CASE("each target has seeds, takes at least one of them, and breaks on none") {
  const auto all = seeds();
  CHECK(all.size() == targets().size());
  for (const Target& target : targets()) {
    INFO("target: ", target.name);
    const auto found = all.find(std::string{target.name});
    REQUIRE(found != all.end());
    int taken = 0;
    for (const std::string& file : found->second) {
      INFO("file: ", file);
      CHECK_NOTHROW(taken += accepts(target, read_file(file)));
    }
    CHECK(taken > 0);
  }
}

TEST_CASE("what fuzzers found once is refused, or read, without harm") {
  const fs::path folder = root / "tests/fuzz/regressions";
  for (const auto& entry : fs::directory_iterator{folder}) {
    if (!entry.is_directory()) continue;
    const Target* target = find_target(entry.path().filename().string());
    INFO("folder: ", entry.path().string());
    REQUIRE(target != nullptr);
    for (const auto& file : fs::directory_iterator{entry.path()}) {
      INFO("file: ", file.path().string());
      CHECK_NOTHROW(accepts(*target, read_file(file.path().string())));
    }
  }
}

}  // namespace rackcast::fuzz
