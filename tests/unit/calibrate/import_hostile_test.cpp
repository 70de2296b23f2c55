// Files that nobody should trust: every importer answers each with an Error or with warnings, and soon.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "calibrate/import/import.hpp"
#include "sim/base/error.hpp"
#include "sim/base/input_file.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {
namespace {

struct Hostile {
  std::string name, text;
};

std::string repeat(const std::string& part, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += part;
  return out;
}

std::string digits_replaced(std::string text, const std::string& with) {
  std::string out;
  bool in_number = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !in_number) out += with;
    if (!digit) out += c;
    in_number = digit;
  }
  return out;
}

/// Nine ways to spoil a good file of the kind; the tenth, a folder or a file without permission, fails before
/// any importer sees it (tests/cli).
std::vector<Hostile> spoiled(const std::string& good) {
  const std::string line = good.substr(0, good.find('\n', good.size() / 2) + 1);
  std::string units = good;
  for (const auto& [from, to] : {std::pair{"MiB", "YB"}, {"us)", "fortnights)"}, {"4x", "9x"}, {"NV", "NW"}})
    for (std::size_t at = 0; (at = units.find(from, at)) != std::string::npos; ++at)
      units.replace(at, std::string_view{from}.size(), to);
  return {
      {"empty", ""},
      {"blank", repeat(" \n\t\r\n", 1000)},
      {"binary", good.substr(0, good.size() / 3) + std::string("\0\x01\xff\xfe", 4) + good},
      {"not UTF-8", good.substr(0, good.size() / 3) + "\xff\xfe\x80" + good.substr(good.size() / 3)},
      {"huge numbers", digits_replaced(good, "99999999999999999999")},
      {"negative numbers", digits_replaced(good, "-1")},
      {"deep nesting", "<topology>" + repeat("<object type=\"Bridge\" bridge_type=\"1-1\">", 200'000)},
      {"deep braces", "\"fio version\" : " + repeat("{\"a\":[", 100'000)},
      {"duplicated", good + good},
      {"wrong units", units},
      {"one long line", repeat("GPU0 \"x\" [1] = ", 200'000)},
      {"missing columns",
       [&] {
         std::string out;
         std::size_t column = 0;
         for (const char c : good) {
           column = c == '\n' ? 0 : column + 1;
           if (column < 20) out += c;
         }
         return out;
       }()},
  };
}

void check(const Catalog& catalog, const std::string& kind, const std::string& text) {
  try {
    const ImportResult result = import_text(catalog, {.kind = kind, .path = "hostile", .program = "t"}, text);
    CHECK_FALSE(result.text.empty());
  } catch (const Error& e) {
    CHECK_FALSE(e.message().empty());
    CHECK(e.where().file == "hostile");
  }
}

/// Good files of every kind that are text.
std::vector<std::filesystem::path> good_files() {
  std::vector<std::filesystem::path> out;
  for (const char* folder : {"imports", "launch"})
    for (const auto& entry :
         std::filesystem::directory_iterator{std::string{RACKCAST_SOURCE_DIR} + "/tests/data/" + folder})
      if (entry.is_regular_file() && entry.path().filename() != "README.md") out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

TEST_CASE("hostile files are refused or warned of, and nothing else happens") {
  const Catalog catalog = Catalog::builtin();
  for (const std::filesystem::path& path : good_files()) {
    const std::string name = path.filename().string(), good = read_file(path.string());
    const std::string kind = import_text(catalog, {.path = "good", .program = "t"}, good).kind;
    for (const Hostile& hostile : spoiled(good)) {
      INFO(name, ", ", hostile.name);
      check(catalog, kind, hostile.text);
    }
    // Cut anywhere, with every other kind as well.
    for (std::size_t part = 1; part < 12; ++part) {
      INFO(name, ", cut at ", part, "/12");
      check(catalog, kind, good.substr(0, good.size() * part / 12));
    }
    for (const ImportKindInfo& other : import_kinds()) {
      INFO(name, " as ", other.name);
      check(catalog, std::string{other.name}, good);
    }
  }
}

TEST_CASE("scripts that grow without bound as variables are replaced are refused") {
  const Catalog catalog = Catalog::builtin();
  const auto complaint = [&](const std::string& text) {
    try {
      (void)import_text(catalog, {.kind = "megatron-args", .path = "hostile", .program = "t"}, text);
    } catch (const Error& e) {
      CHECK(e.where().file == "hostile");
      CHECK(e.message().size() < 1000);
      return e.message();
    }
    return std::string{};
  };
  const std::string variable = "X=" + std::string(4096, 'x') + "\n";
  // 250,000 x 4096 bytes in one word.
  CHECK(complaint(variable + "--save \"" + repeat("$X", 250'000) + "\"\n") ==
        "this word has more than 1 MiB");
  // 4 x 4096 bytes for each of 2000 options.
  std::string options = variable;
  for (int i = 0; i < 2000; ++i) options += "--o" + std::to_string(i) + repeat(" \"$X$X\"", 4) + "\n";
  CHECK(complaint(options) == "the values of the options have more than 16 MiB together");
  // One that is replaced counts once.
  CHECK(complaint(variable + "--num-layers 2\n" + repeat("--o $X $X $X $X\n", 2000)).empty());
}

}  // namespace
}  // namespace rackcast
