#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/json/reader.hpp"
#include "tests/ordinary_user.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

namespace {

const std::string hostile = std::string{RACKCAST_SOURCE_DIR} + "/tests/data/hostile/";

std::string said(const std::string& path, JsonLimits limits = {}) {
  return error_text([&] { parse_json_file(path, limits); });
}

}  // namespace

TEST_CASE("hostile files are refused with a reason") {
  struct Row {
    const char* file;
    const char* message;
  };
  constexpr Row rows[] = {
      {"truncated.json", "4:19: error: the text ends inside an array that starts in line 4, column 14"},
      {"binary.json", "1:8: error: this is not text: it holds a zero byte"},
      {"utf16.json", "error: this is not text: it holds a zero byte"},
      {"deep_nesting.json", "1:65: error: objects and arrays are nested more than 64 deep"},
      {"repeated_key.json", "4:3: error: the key \"nodes\" is repeated"},
      {"huge_number.json", "1:11: error: the number \"1e999\" is out of range"},
      {"empty.json", "error: the text is empty"},
      {"lone_surrogate.json", "1:10: error: invalid string: surrogate"},
      {"not_utf8.json", "1:12: error: the byte 0xf6 is not UTF-8"},
      {"not_a_number.json", "1:10: error: \"NaN\" is not JSON"},
      {"trailing_comma.json", "2:18: error: a comma stands before the closing \"]\""},
      {"terminal_escape.json", "1:2: error: invalid string: control character U+001B"},
      {"open_comment.json", "1:14: error: invalid comment; missing closing '*/'"},
      {"two_values.json", "2:1: error: text follows the end of the value"},
      {"long_line.json", "1:6011: error: \"oops\" is not JSON"},
  };
  for (const Row& row : rows) {
    const std::string message = said(hostile + row.file);
    CAPTURE(row.file);
    CAPTURE(message);
    CHECK(contains(message, row.message));
    CHECK(message.size() < 600);
    CHECK(message.find('\x1b') == message.npos);
  }
}

TEST_CASE("every hostile file is refused or read, and the list above is complete") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator{hostile}) {
    ++files;
    if (entry.path().filename() != "byte_order_mark.json") CHECK_FALSE(said(entry.path().string()).empty());
  }
  CHECK(files == 16);
}

TEST_CASE("a byte order mark is skipped and moves no column") {
  const Json json = parse_json_file(hostile + "byte_order_mark.json");
  CHECK(json.require("nodes").integer() == 4);
  CHECK(json.require("nodes").where().column == 11);
}

TEST_CASE("any cut of a good text is refused, and none crashes") {
  const std::string text = R"({"a": [1.5, {"b": "x\u00e9\"y"}, true, null], "c": -2e3 /* d */ , "e": {}})";
  parse_json(text, "whole");
  for (std::size_t length = 0; length < text.size(); ++length) {
    CAPTURE(length);
    CHECK_FALSE(error_text([&] { parse_json(text.substr(0, length), "cut"); }).empty());
  }
}

TEST_CASE("any changed byte is refused or read, and none crashes") {
  const std::string text = R"({"a": [1.5, {"b": "x\u00e9\"y"}, true], "c": -2e3 /* d */ })";
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = text;
      changed[at] = static_cast<char>(byte);
      error_text([&] { parse_json(changed, "changed"); });
    }
  }
}

TEST_CASE("a file that cannot be read says why") {
  const TemporaryFolder folder;
  std::ofstream{folder / "scenario.json"} << "{}";
  CHECK(said("") == "error: the file name is empty");
  CHECK(said(folder / "scenaro.json") == folder / "scenaro.json" +
                                             ": error: no such file\n  hint: did you mean \"" +
                                             folder / "scenario.json" + "\"?");
  CHECK(said(folder / "none/x.json") == folder / "none/x.json" +
                                            ": error: no such file\n  hint: there is no folder \"" +
                                            folder / "none" + "\" to read");
  CHECK(said(folder / "") == folder / "" + ": error: this is a folder\n  hint: name a file in it");
  CHECK(contains(said("/dev/null"),
                 "error: this is not a regular file\n  hint: pipes and devices are not read"));
  CHECK(contains(said(folder / "scenario.json", JsonLimits{.max_bytes = 1}),
                 "error: the file has 2 bytes, more than the 1 allowed"));
}

TEST_CASE("a pipe is refused without waiting for a writer") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(contains(said(folder / "pipe"), "error: this is not a regular file"));
}

TEST_CASE("a file without permission says so") {
  const TemporaryFolder folder;
  std::ofstream{folder / "closed.json"} << "{}";
  REQUIRE(::chmod((folder / "closed.json").c_str(), 0) == 0);
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  const std::string words = as_ordinary_user([&] { return said(folder / "closed.json"); });
  CHECK(contains(words, "error: no permission to read this file"));
}
