#include <doctest/doctest.h>

#include "reports/blocks/format.hpp"

using namespace rackcast::reports;

TEST_CASE("a day so many seconds after another one is named for people") {
  const auto day = calendar_day("2019-06-28");
  REQUIRE(day);
  CHECK(date_text(*day) == "28 June 2019");
  CHECK(date_text(*day, 86399) == "28 June 2019");
  CHECK(date_text(*day, 3 * 86400) == "1 July 2019");                          // June has 30 days
  CHECK(date_text(*calendar_day("2020-02-28"), 86400) == "29 February 2020");  // a leap year
  CHECK(date_text(*day, 1e12) == "after 9999");
  CHECK(date_text(*day, 1e300) == "after 9999");
}

TEST_CASE("what is no date of the calendar is none") {
  for (const char* text :
       {"", "yesterday", "2019-02-29", "2019-13-01", "2019-6-1", "2019/06/01", "20x9-06-01", "2019-06-011"})
    CHECK_FALSE(calendar_day(text));
}
