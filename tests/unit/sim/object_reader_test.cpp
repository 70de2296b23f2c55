#include <doctest/doctest.h>

#include <limits>

#include "sim/json/reader.hpp"
#include "sim/units/quantity_text.hpp"
#include "tests/unit/sim/error_text.hpp"

using namespace rackcast;

namespace {

/// The message of reading `text` with `read`, without the source line and caret.
template <class Read>
std::string said(const std::string& text, Read read) {
  std::string message = error_text([&] {
    ObjectReader reader{parse_json(text, "x.json").require("goal")};
    read(reader);
  });
  for (std::size_t at = message.find("\n    "); at != message.npos; at = message.find("\n    ")) {
    message.erase(at, message.find('\n', at + 1) - at);
  }
  return message;
}

}  // namespace

TEST_CASE(
    "issue 23, item 28: an unknown unit is answered with what is expected, not with the nearest letters") {
  const auto said = [](const char* text) {
    return error_text([text] {
      ObjectReader reader{parse_json(std::string{"{\"size\": \""} + text + "\"}", "x.json")};
      (void)reader.quantity<Bytes>("size");
    });
  };
  CHECK(contains(said("5 parsecs"), "hint: write a data size such as"));
  CHECK(contains(said("5 GBs"), "hint: did you mean \"GB\""));
}

TEST_CASE("members come out with their types") {
  ObjectReader reader{parse_json(
      R"({"name": "a", "on": true, "n": 4, "share": 0.5, "deadline": "14 days", "kind": "cost", "$schema": "s"})",
      "x")};
  constexpr std::string_view kinds[] = {"nodes", "cost"};
  CHECK(reader.has("$schema"));
  CHECK(reader.string("name") == "a");
  CHECK(reader.string_or("other", "b") == "b");
  CHECK(reader.boolean_or("on", false));
  CHECK(reader.boolean_or("off", true));
  CHECK(reader.integer("n", 1, 10) == 4);
  CHECK(reader.integer_or("m", 7, 1, 10) == 7);
  CHECK(reader.number("share", 0, 1) == 0.5);
  CHECK(reader.number_or("part", 0.25, 0, 1) == 0.25);
  CHECK(reader.quantity<Duration>("deadline") == Duration{14 * 86400.0});
  CHECK(reader.quantity_or("size", Bytes{5}) == Bytes{5});
  CHECK(reader.choice("kind", kinds) == 1);
  reader.finish();
}

TEST_CASE("an unknown key points at the key and lists the known ones") {
  CHECK(error_text([] {
          ObjectReader reader{
              parse_json("{\n  \"goal\": {\n    \"deadlin\": \"14 days\"}}", "x.json").require("goal")};
          (void)reader.has("objective");
          (void)reader.has("deadline");
          reader.finish();
        }) ==
        "x.json:3:5: error: unknown key \"deadlin\" in /goal\n"
        "    3 |     \"deadlin\": \"14 days\"}}\n"
        "      |     ^\n"
        "  expected one of: deadline, objective\n"
        "  hint: did you mean \"deadline\"?");
  CHECK(error_text([] { ObjectReader{parse_json("{\"a\": 1}", "x")}.finish(); }) ==
        "x:1:2: error: unknown key \"a\"\n"
        "    1 | {\"a\": 1}\n"
        "      |  ^\n"
        "  no keys are expected here");
}

TEST_CASE("a missing key points at what may be its misspelling") {
  CHECK(said(R"({"goal": {"deadlin": "14 days"}})", [](auto& r) { r.require("deadline"); }) ==
        "x.json:1:11: error: the key \"deadline\" is missing in /goal\n  hint: is \"deadlin\" a misspelling "
        "of it?");
  CHECK(said(R"({"goal": {"other": 1}})", [](auto& r) { r.require("deadline"); }) ==
        "x.json:1:10: error: the key \"deadline\" is missing in /goal\n  hint: add \"deadline\": ... to this "
        "object");
  CHECK(contains(error_text([] { (void)parse_json("{\"Nodes\": 1}", "x").require("nodes"); }),
                 "x:1:1: error: the key \"nodes\" is missing"));
}

TEST_CASE("a value of the wrong kind is named with what is expected") {
  CHECK(said(R"({"goal": {"a": 5}})", [](auto& r) { (void)r.string("a"); }) ==
        "x.json:1:16: error: \"a\" is a number, but a string is expected");
  CHECK(said(R"({"goal": {"a": "5"}})", [](auto& r) { (void)r.integer("a", 0, 9); }) ==
        "x.json:1:16: error: \"a\" is a string, but a whole number is expected\n  hint: write it without "
        "quotes");
  CHECK(said(R"({"goal": {"a": "5 s"}})", [](auto& r) { (void)r.number("a", 0, 9); }) ==
        "x.json:1:16: error: \"a\" is a string, but a number is expected\n"
        "  hint: write it without quotes and without a unit");
  CHECK(said(R"({"goal": {"a": 2.5}})", [](auto& r) { (void)r.integer("a", 0, 9); }) ==
        "x.json:1:16: error: \"a\" is 2.5, but a whole number is expected");
  CHECK(said(R"({"goal": {"a": "true"}})", [](auto& r) { (void)r.boolean_or("a", false); }) ==
        "x.json:1:16: error: \"a\" is a string, but true or false is expected\n  hint: write it without "
        "quotes");
  CHECK(said(R"({"goal": {"a": [null]}})", [](auto& r) { (void)r.require("a").array()[0].object(); }) ==
        "x.json:1:17: error: element 0 is null, but an object is expected");
  CHECK(
      said(R"({"goal": {"a": {}}})", [](auto& r) { (void)r.require("a").array(); }) ==
      "x.json:1:16: error: \"a\" is an object, but an array is expected\n  hint: put it in square brackets");
  CHECK(said(R"({"goal": [1]})", [](auto&) {}) ==
        "x.json:1:10: error: \"goal\" is an array, but an object is expected");
}

TEST_CASE("a number out of range says the range") {
  constexpr double no_bound = std::numeric_limits<double>::infinity();
  CHECK(said(R"({"goal": {"max_nodes": 0}})", [](auto& r) { (void)r.integer("max_nodes", 1, 1000000); }) ==
        "x.json:1:24: error: \"max_nodes\" is 0, but must be from 1 to 1000000");
  CHECK(said(R"({"goal": {"share": 1.5}})", [](auto& r) { (void)r.number("share", 0, 1); }) ==
        "x.json:1:20: error: \"share\" is 1.5, but must be from 0 to 1");
  CHECK(said(R"({"goal": {"f": -1}})", [=](auto& r) { (void)r.number("f", 0, no_bound); }) ==
        "x.json:1:16: error: \"f\" is -1, but must be at least 0");
  CHECK(said(R"({"goal": {"f": 2}})", [=](auto& r) { (void)r.number("f", -no_bound, 1); }) ==
        "x.json:1:16: error: \"f\" is 2, but must be at most 1");
}

TEST_CASE("a quantity without a good unit says how to write it") {
  const auto bandwidth = [](auto& r) {
    (void)r.template quantity<Bandwidth>("b");
  };
  CHECK(said(R"({"goal": {"b": 3350}})", bandwidth) ==
        "x.json:1:16: error: \"b\" needs a unit\n  hint: write \"3350 GB/s\" instead of 3350");
  CHECK(said(R"({"goal": {"b": "3350"}})", bandwidth) ==
        "x.json:1:16: error: \"3350\" needs a unit: a bandwidth is expected\n"
        "  hint: write \"3350 GB/s\" or another unit of the kind");
  CHECK(said(R"({"goal": {"b": "3 Gb/s"}})", bandwidth) ==
        "x.json:1:16: error: the unit \"Gb\" is ambiguous: bits or bytes?\n"
        "  hint: write \"GB\" for bytes or \"Gbit\" for bits");
  CHECK(said(R"({"goal": {"b": "3 days"}})", bandwidth) ==
        "x.json:1:16: error: \"3 days\" is a duration, but a bandwidth is expected\n"
        "  hint: write a bandwidth such as \"25 GB/s\"");
  CHECK(said(R"({"goal": {"b": "0 GB/s"}})", bandwidth) ==
        "x.json:1:16: error: \"b\" is \"0 GB/s\", but must be more than zero");
  CHECK(said(R"({"goal": {"b": "-1 GB/s"}})", [](auto& r) {
          (void)r.template quantity<Bandwidth>("b", false);
        }) == "x.json:1:16: error: \"b\" is \"-1 GB/s\", but must not be negative");
  CHECK(said(R"({"goal": {"b": true}})", bandwidth) ==
        "x.json:1:16: error: \"b\" is a boolean, but a bandwidth is expected\n"
        "  hint: write a bandwidth such as \"25 GB/s\"");
  CHECK(said(R"({"goal": {"b": 7}})", [](auto& r) {
          (void)r.template quantity<Quantity<Dimension{.time = 2}>>("b");
        }) == "x.json:1:16: error: \"b\" needs a unit\n  hint: write a quantity in s^2 in quotes");
}

TEST_CASE("an unknown choice lists the known ones") {
  constexpr std::string_view names[] = {"nodes", "cost", "energy"};
  CHECK(said(R"({"goal": {"objective": "node"}})", [&](auto& r) { (void)r.choice("objective", names); }) ==
        "x.json:1:24: error: \"objective\" is \"node\", which is not known\n"
        "  expected one of: nodes, cost, energy\n"
        "  hint: did you mean \"nodes\"?");
}

TEST_CASE("laying one object over another keeps the rest and the places") {
  const Json base = parse_json("{\"a\": 1, \"o\": {\"x\": 1, \"y\": [1]}}", "base.json");
  const Json over = parse_json("{\"o\": {\"y\": [2, 3], \"z\": 4}, \"b\": 5}", "over.json");
  const Json merged = base.merged(over);
  CHECK(merged.require("a").where().file == "base.json");
  CHECK(merged.require("o").require("x").integer() == 1);
  CHECK(merged.require("o").require("y").array().size() == 2);
  CHECK(merged.require("o").require("y").where().file == "over.json");
  CHECK(merged.require("o").require("z").where().pointer == "/o/z");
  CHECK(merged.require("b").integer() == 5);
  CHECK(merged.where().file == "over.json");  // what the whole lacks is missing there
  CHECK(merged.require("o").where().file == "over.json");
  CHECK(base.require("o").find("z") == nullptr);  // the base is untouched
  CHECK(merged.merged(parse_json("7", "n")).integer() == 7);
}

TEST_CASE("a dotted path sets members, makes objects and checks elements") {
  const Json json =
      parse_json(R"({"cluster": {"nodes": 4}, "racks": [{"kw": 10}, {"kw": 20}], "n": 1})", "x");
  const Json eight = parse_json("8", "--set");
  CHECK(json.with("cluster.nodes", eight).require("cluster").require("nodes").integer() == 8);
  CHECK(json.with("goal.limits.power", eight).require("goal").require("limits").require("power").integer() ==
        8);
  CHECK(json.with("racks.1.kw", eight).require("racks").array()[1].require("kw").integer() == 8);
  CHECK(json.with("racks.0", eight).require("racks").array()[0].integer() == 8);
  CHECK(json.with("cluster.nodes", eight).require("cluster").require("nodes").where().file == "--set");
  CHECK(Json{}.with("a.b", eight).require("a").require("b").integer() == 8);
  CHECK(json.require("cluster").require("nodes").integer() == 4);
  const auto refused = [&](const char* path) {
    return error_text([&] { (void)json.with(path, eight); });
  };
  CHECK(contains(refused("racks.2.kw"), "--set:1:1: error: \"2\" is no element of an array of 2"));
  CHECK(contains(refused("racks.2.kw"), "hint: elements go from 0 to 1"));
  CHECK(contains(refused("racks.x"), "\"x\" is no element of an array of 2"));
  CHECK(contains(refused("racks.-1"), "\"-1\" is no element of an array of 2"));
  CHECK(contains(refused("n.a"), "the path \"n.a\" leads through a number: \"n\" has no parts"));
  CHECK(contains(refused("a..b"), "the path \"a..b\" has an empty step"));
  CHECK(contains(refused(""), "has an empty step"));
}

TEST_CASE("a member can be left out") {
  const Json json = parse_json(R"({"extends": "base.json", "a": 1})", "x");
  const Json rest = json.without("extends");
  CHECK(rest.object().size() == 1);
  CHECK(rest.require("a").where().pointer == "/a");
  CHECK(json.without("none").object().size() == 2);
}

TEST_CASE("amounts far outside of what exists are refused with their field") {
  const auto refused = [](const char* text, auto zero) {
    return error_text([&] {
      ObjectReader reader{
          parse_json(std::string{"{\"goal\": {\"x\": \""} + text + "\"}}", "x.json").require("goal")};
      (void)reader.quantity<decltype(zero)>("x");
    });
  };
  CHECK(contains(refused("5e-324 GB/s", Bandwidth{}),
                 "\"5e-324 GB/s\" cannot be a bandwidth: it must lie between 1 B/s and 1 EB/s"));
  CHECK(contains(refused("1e-9 TFLOP/s", FlopRate{}), "between 1 MFLOP/s and 1 ZFLOP/s"));
  CHECK(contains(refused("1e308 USD", Money{}), "between 1e-9 USD and 1e15 USD"));
  CHECK(contains(refused("1e9 years", Duration{}), "x.json:1:"));
  CHECK(refused("1 B/s", Bandwidth{}) == "");
  CHECK(refused("30000 years", Duration{}) == "");
  CHECK(refused("1 bit", Bytes{}) == "");
}
