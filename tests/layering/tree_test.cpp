// The rules applied to the tree as it stands.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

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

/// The source files of all layers, each once, with their path from the root.
std::vector<std::pair<std::string, fs::path>> sources() {
  std::vector<std::pair<std::string, fs::path>> found;
  for (const Layer& layer : layers()) {
    for (const fs::path& file : files_below(root / layer.folder)) {
      const std::string path = fs::relative(file, root).generic_string();
      if (is_source(file) && layer_of(path) == &layer) found.emplace_back(path, file);
    }
  }
  return found;
}

TEST_CASE("every layer includes only what it may") {
  for (const auto& [path, file] : sources()) report(file, forbidden_includes(*layer_of(path), read(file)));
}

TEST_CASE("every room includes only from rooms on its floor and below") {
  for (const auto& [path, file] : sources()) report(file, includes_from_above(path, read(file)));
}

TEST_CASE("every room of the table exists and has a README") {
  for (const Rooms& house : rooms()) {
    for (const auto& floor : house.floors) {
      for (const std::string_view room : floor) {
        const fs::path folder = root / house.layer / room;
        CAPTURE(folder);
        CHECK(fs::exists(folder / "README.md"));
      }
    }
  }
}

TEST_CASE("no folder holds more sources than a newcomer reads through") {
  constexpr int most_files = 27;
  std::map<fs::path, int> files;
  for (const auto& [path, file] : sources()) ++files[file.parent_path()];
  for (const fs::path& file : files_below(root / "commands")) files[file.parent_path()] += is_source(file);
  for (const fs::path& file : files_below(root / "tests")) files[file.parent_path()] += is_source(file);
  for (const auto& entry : files) {
    CAPTURE(entry.first);
    CHECK(entry.second <= most_files);
  }
}

TEST_CASE("source files that comments and documents name exist") {
  static const std::regex name(
      R"re(\b(?:sim|topologies|models|scenarios|reports|calibrate|commands|tests)/[\w/]+\.[ch]pp\b)re");
  const auto check = [](const fs::path& file) {
    const std::string text = read(file);
    for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) {
      if (!fs::exists(root / it->str())) {
        FAIL_CHECK(fs::relative(file, root).string() << " names " << it->str() << ", which does not exist");
      }
    }
  };
  for (const auto& [path, file] : sources()) check(file);
  for (const std::string_view folder :
       {"docs", "sim", "topologies", "models", "scenarios", "reports", "calibrate"}) {
    for (const fs::path& file : files_below(root / folder)) {
      if (file.extension() == ".md") check(file);
    }
  }
  check(root / "README.md");
}

TEST_CASE("every layer links only what it may") {
  for (const Layer& layer : layers()) {
    const fs::path file = root / layer.folder / "CMakeLists.txt";
    report(file, forbidden_links(layer, read(file)));
  }
}

TEST_CASE("nothing but main.cpp and the commands print or exit") {
  for (const auto& [path, file] : sources()) report(file, prints_or_exits(read(file)));
}

TEST_CASE("a clock that somebody sets changes no answer, limit or measurement") {
  for (const auto& [path, file] : sources()) report(file, reads_wall_clock(read(file)));
  for (const fs::path& file : files_below(root / "commands"))
    if (is_source(file) && file.filename() != "calibrate_run.cpp")  // the date of a box
      report(file, reads_wall_clock(read(file)));
}

/// Words of the catalogue that name hardware: makers, architectures, and GPUs by the part of their name with
/// the number. Two characters ("t4") name other things as well.
std::vector<std::string> names_of_hardware() {
  static const std::regex word("[A-Za-z]{3,}"), model("^[a-z]*[0-9][a-z0-9]+");
  std::vector<std::string> out;
  const auto add = [&out](std::string name) {
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (name.size() > 2 && std::ranges::count(out, name) == 0) out.push_back(name);
  };
  for (const fs::path& file : files_below(root / "topologies/data/architectures")) {
    const auto entry = nlohmann::json::parse(read(file));
    add(entry.at("vendor").get<std::string>());
    const auto name = entry.at("name").get<std::string>();
    for (std::sregex_iterator it(name.begin(), name.end(), word), end; it != end; ++it) add(it->str());
  }
  for (const fs::path& file : files_below(root / "topologies/data/gpus")) {
    const std::string id = file.stem().string();
    std::smatch found;
    if (std::regex_search(id, found, model)) add(found.str());
  }
  return out;
}

/// Where a name may stand in C++ all the same.
struct NamedInCode {
  std::string_view file, name, why;
};
constexpr NamedInCode named_in_code[] = {
    {"topologies/catalog/catalog.cpp", "nvidia", "the tool nvidia-smi, whose files can be imported"},
    {"topologies/catalog/plain_name.cpp", "amd", "how people write words of link names"},
    {"topologies/catalog/plain_name.cpp", "mi250x", "how people write words of link names"},
    {"topologies/catalog/plain_name.cpp", "mi300x", "how people write words of link names"},
    {"topologies/hardware/node_spec.cpp", "p100", "an example in a hint"},
    {"models/gpu/lowering.cpp", "h100", "the GPU that a published share of the peak was measured on"},
    {"scenarios/format/search_spec.cpp", "p100", "an example in a hint"},
    {"scenarios/names/defaults.hpp", "nvidia", "the source of a figure"},
    {"scenarios/names/defaults.hpp", "pascal", "the source of a figure"},
    {"scenarios/validation/predict/reliability_case.cpp", "h100", "the node of the one published run"},
    {"reports/sections/evidence.cpp", "nvidia", "left out of titles that the table repeats in full"},
};

TEST_CASE("no GPU, architecture or maker is named in code: what is special about one is data") {
  const std::vector<std::string> names = names_of_hardware();
  CHECK(std::ranges::count(names, "hopper") == 1);
  CHECK(std::ranges::count(names, "v100") == 1);
  CHECK(std::ranges::count(names, "amd") == 1);
  std::map<std::pair<std::string, std::string>, int> used;
  for (const auto& [path, file] : sources()) {
    // Importers read what drivers and tools of one maker print; the measuring module is written for one.
    if (path.starts_with("calibrate/")) continue;
    for (const Finding& finding : names_in_code(read(file), names)) {
      bool allowed = false;
      for (const NamedInCode& one : named_in_code) {
        if (one.file != path || finding.message.find('"' + std::string{one.name} + '"') == std::string::npos)
          continue;
        allowed = true;
        ++used[{std::string{one.file}, std::string{one.name}}];
      }
      if (!allowed) report(file, {finding});
    }
  }
  for (const NamedInCode& one : named_in_code) {
    CAPTURE(one.file);
    CAPTURE(one.name);
    CHECK(used[{std::string{one.file}, std::string{one.name}}] > 0);  // else the exception has gone
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
