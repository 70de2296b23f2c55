#include "reports/blocks/format.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace rackcast::reports;

TEST_CASE("numbers keep three significant digits") {
  CHECK(number_text(0) == "0");
  CHECK(number_text(13) == "13");
  CHECK(number_text(13.44) == "13.4");
  CHECK(number_text(0.01234) == "0.0123");
  CHECK(number_text(22134) == "22,100");
  CHECK(number_text(-1234) == "-1,230");
  CHECK(number_text(999'600) == "1 million");  // 999,600 rounds to 1,000,000
  CHECK(number_text(40.48e9) == "40.5 billion");
  CHECK(number_text(1e-308) == "1e-308");
  CHECK(number_text(1e300) == "1e+300");
  CHECK(number_text(1.234e15) == "1.23e+15");
  CHECK(number_text(std::numeric_limits<double>::infinity()) == "unbounded");
}

TEST_CASE("counts keep every digit") {
  CHECK(count_text(999) == "999");
  CHECK(count_text(1234567) == "1,234,567");
  CHECK(count_text(-1234) == "-1,234");
  CHECK(counted(1, "node") == "1 node");
  CHECK(counted(13, "node") == "13 nodes");
}

TEST_CASE("small percentages keep a digit") {
  CHECK(percent_text(0.924) == "92 %");
  CHECK(percent_text(0.0424) == "4.2 %");
  CHECK(percent_text(0) == "0 %");
  CHECK(percent_text(1) == "100 %");
}

TEST_CASE("what is nearly nothing or nearly everything is not rounded to it") {
  CHECK(percent_text(0.0004) == "0.04 %");
  CHECK(percent_text(0.00001) == "<0.01 %");
  CHECK(percent_text(-0.00001) == ">-0.01 %");
  CHECK(percent_text(0.994) == "99 %");
  CHECK(percent_text(0.997) == "99.7 %");
  CHECK(percent_text(0.9999) == "99.99 %");
  CHECK(percent_text(0.999999) == ">99.99 %");
}

TEST_CASE("an interval is in the unit of its value") {
  // 13.4, 11.9 and 15.2 days of 86,400 s.
  CHECK(prediction_text({1157760, 1028160, 1313280, "s"}) == "13.4 days (11.9 to 15.2)");
  CHECK(prediction_text({0.92, 0.88, 0.95, "1"}) == "92 % (88 to 95)");
  CHECK(prediction_text({22134, 20000, 24000, "1/s"}) == "22,100/s (20,000 to 24,000)");
  CHECK(prediction_text({5, 4, 6, "racks"}) == "5 racks (4 to 6)");
}

TEST_CASE("a prediction without an interval is only its value") {
  CHECK(prediction_text({22134, 22134, 22134, "1/s"}) == "22,100/s");
}

TEST_CASE("a missing value is an empty cell") {
  CHECK(count_cell({}).text.empty());
  CHECK(number_cell({}).text.empty());
  CHECK(percent_cell({}).text.empty());
  CHECK(prediction_cell({}).text.empty());
  CHECK(count_cell(13).value == 13.0);
}
