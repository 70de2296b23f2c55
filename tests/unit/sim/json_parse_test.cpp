#include <doctest/doctest.h>

#include <limits>

#include "sim/json/reader.hpp"
#include "tests/unit/sim/error_text.hpp"

using namespace rackcast;

namespace {

std::string said(const std::string& text, JsonLimits limits = {}) {
  return error_text([&] { parse_json(text, "x.json", limits); });
}

}  // namespace

TEST_CASE("every kind of value is read, with comments between") {
  const Json json = parse_json(
      "// head\n{\"n\": null, \"b\": true, \"i\": -3, /* mid */ \"d\": 2.5e-3,\n \"s\": \"a\\n\\u00e9\", "
      "\"a\": [1, [2]], \"o\": {\"k\": false}}",
      "x.json");
  CHECK(json.require("n").is_null());
  CHECK(json.require("b").boolean());
  CHECK(json.require("i").integer() == -3);
  CHECK(json.require("d").number() == 2.5e-3);
  CHECK(json.require("s").string() == "a\n\u00e9");
  CHECK(json.require("a").array()[1].array()[0].integer() == 2);
  CHECK_FALSE(json.require("o").require("k").boolean());
  CHECK(json.object()[3].first == "d");  // in file order
  CHECK(json.find("z") == nullptr);
}

TEST_CASE("every value knows line, column, pointer and source line") {
  const Json json = parse_json(
      "{\n  \"goal\": {\"a/b~\": [ true,\n\t\"x\\\\\\\"y\", 12 , -1.5e3]},\n \"k\" : null }", "x.json");
  const Json& list = json.require("goal").require("a/b~");
  const auto stands = [](const Json& value, int line, int column, const char* pointer) {
    const Where where = value.where();
    CHECK(where.line == line);
    CHECK(where.column == column);
    CHECK(where.pointer == pointer);
    CHECK(where.file == "x.json");
  };
  stands(json, 1, 1, "");
  stands(json.require("goal"), 2, 11, "/goal");
  stands(list, 2, 20, "/goal/a~1b~0");
  stands(list.array()[0], 2, 22, "/goal/a~1b~0/0");
  stands(list.array()[1], 3, 2, "/goal/a~1b~0/1");
  stands(list.array()[2], 3, 12, "/goal/a~1b~0/2");
  stands(list.array()[3], 3, 17, "/goal/a~1b~0/3");
  stands(json.require("k"), 4, 8, "/k");
  CHECK(json.require("k").key_where().column == 2);
  CHECK(json.require("k").where().snippet == " \"k\" : null }");
}

TEST_CASE("columns count characters and line ends may be those of Windows") {
  const Json json = parse_json("{\"a\": 1,\r\n \"é€🚗\": 2}", "x.json");
  const Where where = json.require("é€🚗").where();
  CHECK(where.line == 2);
  CHECK(where.column == 9);
  CHECK(json.require("a").where().snippet == "{\"a\": 1,");
}

TEST_CASE("a value outlives the text it came from") {
  Json inner;
  {
    const Json outer = parse_json("{\"a\": {\"b\": 4}}", "x.json");
    inner = outer.require("a").require("b");
  }
  CHECK(inner.integer() == 4);
  CHECK(inner.where().pointer == "/a/b");
}

TEST_CASE("syntax errors are said in the words of the user's mistake") {
  CHECK(said("{\"a\": 1,\n}") ==
        "x.json:2:1: error: a comma stands before the closing \"}\"\n"
        "    2 | }\n"
        "      | ^\n"
        "  hint: remove that comma");
  CHECK(contains(said("{\"a\": [1,]}"), "x.json:1:10: error: a comma stands before the closing \"]\""));
  CHECK(contains(said("{\"a\":1 \"b\":2}"), "x.json:1:8: error: a \",\" is missing before this"));
  CHECK(contains(said("[1 2]"), "x.json:1:4: error: a \",\" is missing before this"));
  CHECK(contains(said("{\"a\" 1}"), "x.json:1:6: error: a \":\" is missing before this"));
  CHECK(contains(said("{'a': 1}"), "x.json:1:2: error: text in single quotes"));
  CHECK(contains(said("# c"), "x.json:1:1: error: \"#\" starts no comment here"));
  CHECK(contains(said("{a: 1}"), "1:2: error: \"a\" is not JSON"));
  CHECK(contains(said("{a: 1}"), "hint: write keys in double quotes: \"a\""));
  CHECK(contains(said("{\"a\": P100}"), "hint: write text in double quotes: \"P\""));
  CHECK(contains(said("{\"a\": True}"), "hint: write true"));
  CHECK(contains(said("{\"a\": False}"), "hint: write false"));
  CHECK(contains(said("{\"a\": None}"), "hint: write null, or leave the key out"));
  CHECK(contains(said("{\"a\": -Infinity}"), "1:7: error: \"-Infinity\" is not JSON"));
  CHECK(contains(said("{\"a\": NaN}"), "hint: numbers must be finite"));
  CHECK(contains(said("{\"a\": 3 GB}"), "hint: write a number with a unit in double quotes"));
  CHECK(contains(said("{\"a\": \"x\n\"}"), "1:7: error: invalid string"));
  CHECK(contains(said("{\"a\": \"x\n\"}"), "hint: is the closing quote missing?"));
  CHECK(contains(said(R"({"a": "C:\path"})"), "hint: write a backslash as \\\\"));
  CHECK(contains(said("{\"a\": 1] "), "unexpected ']'; expected '}'"));
  CHECK(contains(said("[01]"), "unexpected number literal; expected ']'"));
  CHECK(contains(said("[1, -]"), "invalid number; expected digit after '-'"));
  CHECK(contains(said("// only"), "error: the text ends before a value"));
  CHECK(contains(said("{} {}"), "1:4: error: text follows the end of the value"));
  CHECK(contains(said(" \n "), "2:2: error: the text is empty"));
  CHECK(contains(said("{\"a\": [1, 2"),
                 "error: the text ends inside an array that starts in line 1, column 7"));
  CHECK(contains(said("{\"a\": 1 "), "hint: is a \"}\" missing, or is the file cut off?"));
}

TEST_CASE("a repeated key is refused with both places") {
  CHECK(said("{\n \"a\": 1,\n \"b\": {\"a\": 2},\n \"a\": 3}") ==
        "x.json:4:2: error: the key \"a\" is repeated\n"
        "    4 |  \"a\": 3}\n"
        "      |  ^\n"
        "  hint: it stands in line 2, column 2 already; remove one of the two");
  CHECK(contains(said(R"({"a": 1, "\u0061": 2})"), "the key \"a\" is repeated"));
}

TEST_CASE("numbers keep what they can and refuse the rest") {
  CHECK(parse_json("9223372036854775807", "x").integer() == 9223372036854775807);
  CHECK(parse_json("-9223372036854775808", "x").integer() == std::numeric_limits<std::int64_t>::min());
  CHECK(parse_json("9223372036854775808", "x").number() == 0x1p63);
  CHECK(parse_json("123456789012345678901234567890", "x").number() == doctest::Approx(1.2345678901234568e29));
  CHECK(parse_json("1e6", "x").integer() == 1000000);
  CHECK(error_text([] { (void)parse_json("18446744073709551615", "x").integer(); }) ==
        "x:1:1: error: the value is 1.8446744073709552e+19, but a whole number below 2^63 is expected\n"
        "    1 | 18446744073709551615\n"
        "      | ^");
  CHECK(contains(said("[1, -1e999]"), "1:5: error: the number \"-1e999\" is out of range"));
}

TEST_CASE("limits hold") {
  CHECK(parse_json(std::string(64, '[') + std::string(64, ']'), "x").array().size() == 1);
  CHECK(contains(said(std::string(65, '[') + std::string(65, ']')),
                 "1:65: error: objects and arrays are nested more than 64 deep"));
  CHECK(contains(said("[1, 2, 3]", JsonLimits{.max_bytes = 4}),
                 "the text has 9 bytes, more than the 4 allowed"));
  CHECK(contains(said("[1, 2, 3]", JsonLimits{.max_values = 3}), "1:8: error: more than 3 values"));
}

TEST_CASE("a long line is cut around the place, and the caret still fits") {
  std::string text = "[";
  for (int i = 0; i < 500; ++i) text += "\"é\",";
  const std::string message = said(text + "oops" + std::string(500, ' ') + "]");
  const auto lines_start = message.find('\n') + 1;
  const auto caret_start = message.find('\n', lines_start) + 1;
  const std::string line = message.substr(lines_start, caret_start - lines_start - 1);
  CHECK(line.size() < 150);
  CHECK(contains(message, "x.json:1:2002: error: \"oops\" is not JSON"));
  // Characters in front of the caret are as many as in front of the word.
  std::size_t before = 0;
  for (const char c : line.substr(0, line.find("oops")))
    before += (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  CHECK(message.find('^', caret_start) - caret_start == before);
}

TEST_CASE("the text of --set is JSON where it can be") {
  CHECK(parse_json_or_string("7", "--set").integer() == 7);
  CHECK(parse_json_or_string("true", "--set").boolean());
  CHECK(parse_json_or_string("7 days", "--set").string() == "7 days");
  CHECK(parse_json_or_string("a \"b\" \\ \t", "--set").string() == "a \"b\" \\ \t");
  CHECK(parse_json_or_string("", "--set").string().empty());
  CHECK(parse_json_or_string("[1, 2]", "--set").array().size() == 2);
  CHECK(
      contains(error_text([] { parse_json_or_string("[1, 2", "--set"); }), "the text ends inside an array"));
}
