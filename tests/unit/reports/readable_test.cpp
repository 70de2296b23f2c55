#include "reports/blocks/readable.hpp"

#include <doctest/doctest.h>

using namespace rackcast::reports;

TEST_CASE("money, counts and rates within a sentence have their thousands apart") {
  CHECK(readable("owned it costs 606000 USD a year (184000 USD less)") ==
        "owned it costs 606,000 USD a year (184,000 USD less)");
  CHECK(readable("660 x NVIDIA DGX-1V (5280 GPUs) at 1234567.5 samples/s.") ==
        "660 × NVIDIA DGX-1V (5,280 GPUs) at 1,234,567.5 samples/s.");
  CHECK(readable("660 + 2 spares x NVIDIA DGX-1V") == "660 + 2 spares × NVIDIA DGX-1V");
  CHECK(readable("20000 x NVIDIA DGX-1V needs") == "20,000 × NVIDIA DGX-1V needs");
  CHECK(readable("20000 + 12 spares x NVIDIA DGX-1V") == "20,000 + 12 spares × NVIDIA DGX-1V");
  CHECK(readable("1024 x 1024 pixels") == "1024 × 1024 pixels");
  CHECK(readable("60000 USD/year") == "60,000 USD/year");
  CHECK(readable("100 vehicles x 8 h, speed (x 0.6 to x 1.6)") ==
        "100 vehicles × 8 h, speed (× 0.6 to × 1.6)");
  CHECK(readable("-4000 USD") == "-4,000 USD");
}

TEST_CASE("years, versions, paths and words keep their digits") {
  for (const char* text :
       {"", " ", "prices of 2018 and later", "arXiv 1708.02188", "resnext101-32x4d", "x y", "x 4", "999 USD",
        "a4000 USD", "10000USD", "NVIDIA V100 x", "/tmp/2018 nodes.json"}) {
    CHECK(readable(text) == text);
  }
}

TEST_CASE("units have their signs") {
  CHECK(readable("288 us, 0.1 %") == "288 µs, 0.1 %");
  CHECK(readable("5.2 m2 planned") == "5.2 m² planned");
  CHECK(readable("1.82 m3/s, 4 m3") == "1.82 m³/s, 4 m³");
}

TEST_CASE("numbers of cells and code stay as they are") {
  Report report;
  report.title = "4 x 5000 USD";
  Table table{"5000 USD", {{"a"}}, {{Cell{"5000 USD", 5000, "USD"}}}};
  report.sections.push_back({"s", "t", {{table}, {Code{"", "set price=5000 USD"}}}});
  const Report out = readable(report);
  CHECK(out.title == report.title);
  const auto& read = std::get<Table>(out.sections[0].blocks[0].body);
  CHECK(read.caption == "5,000 USD");
  CHECK(read.rows[0][0].text == "5,000 USD");
  CHECK(*read.rows[0][0].value == 5000);
  CHECK(std::get<Code>(out.sections[0].blocks[1].body).text == "set price=5000 USD");
}
