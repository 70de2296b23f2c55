// The rules applied to the tree as it stands.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/layering/source_rules.hpp"

namespace rackcast::layering {
namespace {

namespace fs = std::filesystem;

const fs::path root = RACKCAST_SOURCE_DIR;
constexpr int most_lines = 450;

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  REQUIRE(stream.good());
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

bool is_source(const fs::path& file) {
  constexpr std::string_view known[] = {".cpp", ".hpp", ".h", ".cu", ".cuh"};
  return std::ranges::count(known, file.extension().string()) > 0;
}

/// Files below `folder` in a fixed order; nothing where the folder does not exist.
std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

void report(const fs::path& file, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    FAIL_CHECK(fs::relative(file, root).string() << ":" << finding.line << ": " << finding.message);
  }
}

TEST_CASE("every layer includes only what it may") {
  for (const Layer& layer : layers()) {
    for (const fs::path& file : files_below(root / layer.folder)) {
      if (is_source(file)) report(file, forbidden_includes(layer, read(file)));
    }
  }
}

TEST_CASE("every layer links only what it may") {
  for (const Layer& layer : layers()) {
    const fs::path file = root / layer.folder / "CMakeLists.txt";
    report(file, forbidden_links(layer, read(file)));
  }
}

TEST_CASE("nothing but main.cpp and the commands print or exit") {
  for (const Layer& layer : layers()) {
    for (const fs::path& file : files_below(root / layer.folder)) {
      if (is_source(file)) report(file, prints_or_exits(read(file)));
    }
  }
}

TEST_CASE("every folder with sources is a layer of the table or the tests") {
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || name.starts_with(".") || name == "build" || name == "tests" ||
        name == "commands")
      continue;
    const auto files = files_below(entry.path());
    CAPTURE(name);
    if (std::ranges::any_of(files, is_source)) CHECK(find_layer(name) != nullptr);
  }
}

TEST_CASE("source files stay small") {
  const auto check = [](const fs::path& file) {
    if (!is_source(file)) return;
    const std::string text = read(file);
    CAPTURE(file);
    CHECK(std::ranges::count(text, '\n') <= most_lines);
  };
  check(root / "main.cpp");
  for (const fs::path& file : files_below(root / "commands")) check(file);
  for (const fs::path& file : files_below(root / "tests")) check(file);
  for (const Layer& layer : layers()) {
    for (const fs::path& file : files_below(root / layer.folder)) check(file);
  }
}

// Files that are broken on purpose live in a folder called "hostile".
TEST_CASE("every JSON file of the tree parses, comments allowed") {
  std::vector<fs::path> folders = {root / "tests", root / "docs"};
  for (const Layer& layer : layers()) folders.push_back(root / layer.folder);
  for (const fs::path& folder : folders) {
    for (const fs::path& file : files_below(folder)) {
      if (file.extension() != ".json" || file.parent_path().filename() == "hostile") continue;
      const std::string text = read(file);
      try {
        const auto document = nlohmann::json::parse(text, nullptr, true, true);
      } catch (const nlohmann::json::exception& error) {
        FAIL_CHECK(fs::relative(file, root).string() << ": " << error.what());
      }
    }
  }
}

}  // namespace
}  // namespace rackcast::layering
