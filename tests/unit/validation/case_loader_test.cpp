#include "scenarios/validation/cases/case_loader.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "sim/base/error.hpp"

using namespace rackcast;

namespace {

std::string case_text(const std::string& id, const std::string& more = "") {
  return R"({"id":")" + id +
         R"(","series":"src/box/net","kind":"measurement","system":{"gpu":"p100_sxm2","gpus":1},"workload":)"
         R"({"model":"resnet50","task":"training","batch_per_gpu":32,"precision":"fp32","extra":{"new_key":[1,{}]}},)"
         R"("measured":{"metric":"images_per_s","value":195,"unit":"images/s"})" +
         more + "}";
}

std::size_t readable(const std::vector<ValidationCase>& cases) {
  std::size_t n = 0;
  for (const ValidationCase& c : cases) n += c.unreadable.empty();
  return n;
}

}  // namespace

TEST_CASE("a case is read with its numbers, its place and its free-form facts") {
  const auto cases =
      parse_cases("[\n" + case_text("a") + ",\n" + case_text("b", ",\"future\":null") + "\n]\n", "x/f.json");
  REQUIRE(cases.size() == 2);
  CHECK(cases[0].id == "a");
  CHECK(cases[0].source == "src");
  CHECK(cases[0].one_gpu());
  CHECK(*cases[0].workload.batch_per_gpu == 32);
  CHECK(*cases[0].measured == 195);
  CHECK(cases[0].line == 2);
  CHECK(cases[1].line == 3);
  CHECK(cases[0].unreadable.empty());
  CHECK(cases[1].unreadable == "no case has a member \"future\"");
  CHECK(member_in(cases[0].workload.extra, "new_key") != nullptr);
}

TEST_CASE("what cannot be is named: unknown members, contradictions, measurements that are none") {
  const auto why = [](const std::string& json) {
    return parse_cases(json, "f.json").at(0).unreadable;
  };
  CHECK(why(R"({"id":"a","sistem":{}})") == "no case has a member \"sistem\"; did you mean \"system\"?");
  CHECK(why(R"({"id":"a","system":{"fabric":{"speed":1}}})") ==
        "no case has a member \"system.fabric.speed\"");
  CHECK(why(R"({"id":"a","system":{"gpus":8,"nodes":2,"gpus_per_node":2}})") ==
        "system.gpus is 8, and 2 nodes with 2 GPUs each have 4");
  CHECK(why(R"({"id":"a","measured":{"metric":"images_per_s","value":0}})") ==
        "measured.value is 0, and what was measured is above zero");
  CHECK(why(R"({"id":"a","measured":{"metric":"images_per_s","value":-1}})")
            .starts_with("measured.value is -1"));
  CHECK(why(R"({"id":"a","measured":{"metric":"out_of_memory","value":0}})").empty());
  CHECK(why(R"({"id":"a","measured":{"metric":"out_of_memory","value":2}})") ==
        "measured.value is 2, and a verdict is 1 or 0");
  CHECK(why(R"({"id":"a","workload":{"extra":{"anything":1},"input":{"of":"a kernel"}}})").empty());
}

TEST_CASE("the first case that cannot be read is an error at its place") {
  const std::string bad = "[\n" + case_text("a") + ",\n" + case_text("b", ",\"future\":1") + ",\n" +
                          case_text("c", ",\"past\":1") + "]";
  CHECK_NOTHROW(require_readable(parse_cases("[" + case_text("a") + "]", "f.json")));
  try {
    require_readable(parse_cases(bad, "f.json"));
    FAIL("a broken case was taken");
  } catch (const Error& e) {
    CHECK(e.where().file == "f.json");
    CHECK(e.where().line == 3);
    CHECK(e.message() == "case \"b\": no case has a member \"future\" (1 more case cannot be read)");
    CHECK(e.hint().find("--keep-going") != std::string::npos);
  }
}

TEST_CASE("of GPUs that are said to share images by inference one of each group runs") {
  std::string text = case_text("a");
  text.replace(text.find(R"("gpus":1)"), 8, R"("gpus":480,"gpus_per_node":16,"nodes":30)");
  text.replace(text.find(R"("batch_per_gpu":32)"), 18, R"("batch_per_gpu":3.5)");
  text.replace(text.find(R"("new_key":[1,{}])"), 16, R"("spatial_parallel_inferred":2)");
  const auto cases = parse_cases(text, "f.json");
  CHECK(*cases[0].system.gpus == 240);
  CHECK(*cases[0].system.gpus_per_node == 8);
  CHECK(*cases[0].system.nodes == 30);
  CHECK(*cases[0].workload.batch_per_gpu == 7);
}

TEST_CASE("cases come as an array, one per line, alone or under the key cases") {
  CHECK(readable(parse_cases("[" + case_text("a") + "," + case_text("b") + "]", "f")) == 2);
  CHECK(readable(parse_cases(case_text("a") + "\n" + case_text("b") + "\n", "f")) == 2);
  CHECK(parse_cases(case_text("a") + "\n" + case_text("b") + "\n", "f").size() == 2);
  CHECK(readable(parse_cases(case_text("a"), "f")) == 1);
  CHECK(readable(parse_cases("{\"cases\":[" + case_text("a") + "]}", "f")) == 1);
  CHECK(parse_cases("[]", "f").empty());
}

TEST_CASE("an empty or binary file is one unreadable case") {
  for (const std::string& text :
       {std::string{}, std::string{" \n\t"}, std::string("\0\1\2\xff\xfe", 5), std::string{"not json"}}) {
    const auto cases = parse_cases(text, "f.json");
    REQUIRE(cases.size() == 1);
    CHECK_FALSE(cases[0].unreadable.empty());
    CHECK(cases[0].id.starts_with("f.json:"));
  }
}

TEST_CASE("a truncated file keeps its whole cases and reports the last") {
  const std::string text =
      "[\n" + case_text("a") + ",\n" + case_text("b") + ",\n" + case_text("c").substr(0, 60);
  const auto cases = parse_cases(text, "f.json");
  REQUIRE(cases.size() == 3);
  CHECK(readable(cases) == 2);
  CHECK(cases[2].id == "f.json:4");
  CHECK(cases[2].unreadable == "the text ends inside this case");
}

TEST_CASE("one broken case in the middle does not hide its neighbours") {
  const std::string text =
      "[\n" + case_text("a") + ",\n{\"id\":\"b\",\"system\":{\"gpu\":},\n" + case_text("c") + "\n]\n";
  const auto cases = parse_cases(text, "f.json");
  REQUIRE(cases.size() == 3);
  CHECK(cases[0].id == "a");
  CHECK_FALSE(cases[1].unreadable.empty());
  CHECK(cases[1].line == 3);
  CHECK(cases[2].id == "c");
  CHECK(cases[2].line == 4);
}

TEST_CASE("wrong kinds are named and the id is kept") {
  const auto number_as_text =
      parse_cases(R"({"id":"a","system":{"gpus":"one"},"measured":{"metric":"m","value":1}})", "f");
  REQUIRE(number_as_text.size() == 1);
  CHECK(number_as_text[0].id == "a");
  CHECK(number_as_text[0].unreadable.find("system.gpus is") == 0);
  CHECK(parse_cases("[1, null, \"x\", []]", "f").size() == 4);
  CHECK(readable(parse_cases("[1, null, \"x\", []]", "f")) == 0);
  CHECK(readable(parse_cases(R"([{"id":"a","system":[],"workload":7,"measured":"fast"}])", "f")) == 0);
}

TEST_CASE("null and absent members are unknown, not wrong") {
  const auto cases = parse_cases(R"({"id":"a","system":null,"workload":{"model":null,"extra":null}})", "f");
  REQUIRE(cases.size() == 1);
  CHECK(cases[0].unreadable.empty());
  CHECK_FALSE(cases[0].measured);
  CHECK_FALSE(cases[0].system.gpus);
}

TEST_CASE("a number too large for a double is reported for its case only") {
  const std::string text =
      "[" + case_text("a") + ",\n{\"id\":\"b\",\"measured\":{\"metric\":\"m\",\"value\":1e999}}]";
  const auto cases = parse_cases(text, "f");
  REQUIRE(cases.size() == 2);
  CHECK(readable(cases) == 1);
}

TEST_CASE("a folder is read with everything below it, and a repeated id is refused once") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "rackcast_case_loader_test";
  fs::remove_all(folder);
  fs::create_directories(folder / "deep");
  std::ofstream{folder / "a.json"} << "[" << case_text("a") << "]";
  std::ofstream{folder / "deep" / "b.jsonl"} << case_text("a") << "\n" << case_text("b") << "\n";
  std::ofstream{folder / "notes.txt"} << "not a case";
  const auto cases = load_cases(folder.string());
  fs::remove_all(folder);
  REQUIRE(cases.size() == 3);
  CHECK(readable(cases) == 2);
  CHECK(cases[1].unreadable == "the id stands at an earlier case already");
  CHECK_THROWS_AS((void)load_cases((folder / "absent").string()), Error);
}

TEST_CASE("every case of the suite is readable and has an id of its own") {
  const auto cases = load_cases(std::string{RACKCAST_SOURCE_DIR} + "/tests/validation/cases");
  CHECK(cases.size() > 4000);
  CHECK(readable(cases) == cases.size());
}
