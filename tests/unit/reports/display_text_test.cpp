#include "reports/blocks/display_text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace rackcast::reports;

TEST_CASE("width counts columns, not bytes") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("é×–") == 3);           // two or three bytes each, one column
  CHECK(display_width("e\u0301") == 1);       // the accent combines
  CHECK(display_width("車両") == 4);          // two columns each
  CHECK(display_width("\xff\xfe") == 2);      // stray bytes: one each
  CHECK(display_width("\xe4\xbd") == 2);      // a letter cut short
  CHECK(display_width("\xed\xa0\x80") == 3);  // a surrogate is not a letter
}

TEST_CASE("a single line cannot act on the terminal") {
  CHECK(single_line("a\nb\tc") == "a b c");
  CHECK(single_line("\x1b[31mred") == "\uFFFD[31mred");
  CHECK(single_line("a\u202Eb") == "a\uFFFDb");
  CHECK(single_line("\xff") == "\uFFFD");
  CHECK(single_line("\u0085\u2028") == "\uFFFD\uFFFD");
}

TEST_CASE("wrapping breaks at spaces and cuts a word that is too long") {
  CHECK(wrap("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrap("abcdefgh", 3) == std::vector<std::string>{"abc", "def", "gh"});
  CHECK(wrap("", 5) == std::vector<std::string>{""});
  CHECK(wrap("車両車両", 5) ==
        std::vector<std::string>{"車両", "車両"});  // 2 x 2 columns fit, a third does not
}

TEST_CASE("wrapping ends even where a letter is wider than the line") {
  CHECK(wrap("車両", 1) == std::vector<std::string>{"車", "両"});
}

TEST_CASE("padding fills columns") {
  CHECK(pad_right("é", 3) == "é  ");
  CHECK(pad_left("車", 3) == " 車");
  CHECK(pad_right("long", 2) == "long");
}

TEST_CASE("a word of a million letters is cut into lines in one pass") {
  const auto lines = wrap(std::string(1'000'000, 'x'), 80);
  REQUIRE(lines.size() == 12'500);
  CHECK(lines.front().size() == 80);
  CHECK(lines.back().size() == 80);
}
