// scenarios/document by itself: one small described struct, written, read, refused, and its schema.
#include <doctest/doctest.h>

#include <string>

#include "scenarios/document/form/read.hpp"
#include "scenarios/document/form/schema.hpp"
#include "scenarios/document/form/write.hpp"
#include "sim/base/error.hpp"
#include "tests/unit/schema_faults.hpp"

namespace rackcast::doc {

struct Crate {
  enum class Wood { oak, pine };
  struct Lid {
    double weight_kg = 0;
  };
  struct Label {
    std::string owner;
  };
  std::int64_t bottles = 0;
  std::string place;
  Wood wood = Wood::oak;
  std::optional<double> depth_m;
  std::vector<std::int64_t> years;
  bool closed = false;
  Lid lid;
  Label label;
};

template <>
struct Words<Crate::Wood> {
  static constexpr std::string_view list = "oak pine";
};
template <>
struct Fields<Crate::Lid> {
  static constexpr std::string_view name = "lid";
  static void each(const auto& visit) { visit(field("weight_kg", &Crate::Lid::weight_kg)); }
};
template <>
struct Fields<Crate::Label> {
  static constexpr std::string_view name = "label";
  static void each(const auto& visit) { visit(field("label.owner", &Crate::Label::owner)); }
};
template <>
struct Fields<Crate> {
  static constexpr std::string_view name = "crate";
  static void each(const auto& visit) {
    visit(field("", &Crate::label));
    visit(field("bottles", &Crate::bottles, "full ones").from(1));
    visit(field("place", &Crate::place).of("cellar attic"));
    visit(field("wood", &Crate::wood));
    visit(field("size.depth_m", &Crate::depth_m));
    visit(field("years", &Crate::years).omitted());
    visit(field("closed", &Crate::closed));
    visit(field("", &Crate::lid).when(&Crate::closed));
  }
};

namespace {

const std::string crate_text = R"({
  "label": {"owner": "Ada"},
  "bottles": 6,
  "place": "attic",
  "wood": "pine",
  "size": {"depth_m": 0.4},
  "years": [2001, 2002],
  "closed": true,
  "weight_kg": 1.5
})";

Crate read_crate(const std::string& text) {
  return read<Crate>(parse_json(text, "crate.json"));
}

std::string crate_with(const std::string& from, const std::string& to) {
  REQUIRE(crate_text.find(from) != std::string::npos);
  return std::string{crate_text}.replace(crate_text.find(from), from.size(), to);
}

std::string crate_schema() {
  Definitions definitions;
  definitions.add<Crate>();
  return definitions.schema("crate").dump();
}

}  // namespace

TEST_CASE("what a described struct reads it writes again, key by key in the order of its description") {
  const Crate crate = read_crate(crate_text);
  CHECK(crate.bottles == 6);
  CHECK(crate.wood == Crate::Wood::pine);
  CHECK(crate.label.owner == "Ada");
  CHECK(crate.lid.weight_kg == 1.5);
  CHECK(write(crate) == Written::parse(crate_text));
  CHECK(write(crate).dump().starts_with(R"({"label":{"owner":"Ada"},"bottles":6,)"));
}

TEST_CASE("what is not known is null, or left out where the description says so") {
  Crate crate = read_crate(crate_text);
  crate.depth_m.reset();
  crate.years.clear();
  crate.closed = false;  // the weight of the lid is there only when closed
  const Written out = write(crate);
  CHECK(out["size"]["depth_m"].is_null());
  CHECK_FALSE(out.contains("years"));
  CHECK_FALSE(out.contains("weight_kg"));
  const Crate again = read_crate(out.dump());
  CHECK_FALSE(again.depth_m);
  CHECK(again.years.empty());
}

TEST_CASE("a described struct refuses what breaks its description, at its place") {
  struct Case {
    std::string text, pointer, message;
    int line;
  };
  for (const Case& c : {Case{crate_with("6", "\"six\""), "/bottles", "whole number", 3},
                        Case{crate_with("0.4", "-0.4"), "/size/depth_m", "not negative", 6},
                        Case{crate_with("6", "0"), "/bottles", "from 1", 3},
                        Case{crate_with("\"bottles\": 6,", ""), "", "bottles", 1},
                        Case{crate_with("attic", "garden"), "/place", "cellar, attic", 4},
                        Case{crate_with("pine", "elm"), "/wood", "oak, pine", 5},
                        Case{crate_with("2002", "-2002"), "/years/1", "from 0", 7},
                        Case{crate_with(",\n  \"weight_kg\": 1.5", ""), "", "weight_kg", 1}}) {
    CAPTURE(c.text);
    try {
      (void)read_crate(c.text);
      FAIL("it was read");
    } catch (const Error& error) {
      const std::string what = error.what();
      CAPTURE(what);
      CHECK(error.where().file == "crate.json");
      CHECK(error.where().pointer == c.pointer);
      CHECK(error.where().line == c.line);
      CHECK(what.find(c.message) != std::string::npos);
    }
  }
}

TEST_CASE("the schema accepts what is written and refuses what the reader refuses") {
  const std::string schema = crate_schema();
  Crate open = read_crate(crate_text);
  open.closed = false;
  open.depth_m.reset();
  open.years.clear();
  CHECK(schema_faults(schema, write(read_crate(crate_text)).dump()) == "");
  CHECK(schema_faults(schema, write(open).dump()) == "");
  for (const std::string& text :
       {crate_with("6", "\"six\""), crate_with("0.4", "-0.4"), crate_with("\"bottles\": 6,", ""),
        crate_with("attic", "garden"), crate_with("pine", "elm"), crate_with("\"Ada\"", "7")}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_crate(text), Error);
    CHECK_FALSE(schema_faults(schema, text).empty());
  }
}

TEST_CASE("the reference page says type, unit and meaning of every key") {
  Definitions definitions;
  definitions.add<Crate>();
  const std::string page = definitions.reference();
  for (const char* row :
       {"| `bottles` | integer |  | full ones |", "| `size.depth_m` | number or null | m |  |",
        "| `weight_kg` | number, may be absent | kg |  |", "| `years` | list of integer, may be absent |"}) {
    CAPTURE(row);
    CHECK(page.find(row) != std::string::npos);
  }
}

}  // namespace rackcast::doc
