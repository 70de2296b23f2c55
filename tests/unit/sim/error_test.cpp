#include "sim/base/error.hpp"

#include <doctest/doctest.h>

#include "sim/base/utf8.hpp"

using namespace rackcast;

TEST_CASE("an error shows place, source line, caret, details and hint") {
  const Error error{"unknown key \"deadlin\" in /goal\nexpected one of: deadline, objective",
                    Where{"scenarios/x.json", 12, 3, "/goal/deadlin", "  \"deadlin\": \"14 days\""},
                    "did you mean \"deadline\"?"};
  CHECK(std::string{error.what()} ==
        "scenarios/x.json:12:3: error: unknown key \"deadlin\" in /goal\n"
        "   12 |   \"deadlin\": \"14 days\"\n"
        "      |   ^\n"
        "  expected one of: deadline, objective\n"
        "  hint: did you mean \"deadline\"?");
  CHECK(error.kind() == ErrorKind::invalid_input);
  CHECK(error.where().pointer == "/goal/deadlin");
}

TEST_CASE("an error without a place is one line") {
  CHECK(std::string{Error{"no nodes"}.what()} == "error: no nodes");
  CHECK(std::string{Error{"no such file", Where{"a.json"}}.what()} == "a.json: error: no such file");
}

TEST_CASE("the caret stands below the character, whatever stands before it") {
  const auto caret_line = [](const char* snippet, int column) {
    const std::string text = Error{"m", Where{"f", 1, column, "", snippet}}.what();
    return text.substr(text.rfind("| ") + 2);
  };
  CHECK(caret_line("\t\t\"a\": x", 8) == "       ^");
  CHECK(caret_line("\"é€\": x", 7) == "      ^");
  CHECK(caret_line("ab", 99) == "  ^");  // never far behind the line
}

TEST_CASE("nothing in an error reaches the terminal as a control character") {
  const Error error{"bad \x1b[31mred\x07", Where{"f\x1b.json", 1, 1, "", "\x1b]0;title\x07 \xC2\x9B \xFF"},
                    "h\x1b"};
  for (const char c : std::string_view{error.what()}) CHECK((c == '\n' || (c >= 0x20 && c < 0x7F)));
}

TEST_CASE("characters that turn the writing direction are made harmless") {
  CHECK(printable("a\u202Eb\u2066c") == "a?b?c");
  CHECK(printable("Köln 東京") == "Köln 東京");
}

TEST_CASE("long names are cut in messages") {
  CHECK(in_quotes(std::string(500, 'x')).size() < 100);
  CHECK(in_quotes("a\nb") == "\"a?b\"");
}

TEST_CASE("UTF-8 is checked byte by byte") {
  CHECK_FALSE(first_bad_utf8("plain and Köln and 東京 and 🚗"));
  CHECK(first_bad_utf8("12345678\xFF") == 8);
  CHECK(first_bad_utf8("\xC0\x80") == 0);          // overlong
  CHECK(first_bad_utf8("a\xED\xA0\x80") == 1);     // a surrogate
  CHECK(first_bad_utf8("\xF4\x90\x80\x80") == 0);  // beyond U+10FFFF
  CHECK(first_bad_utf8("ab\xE2\x82") == 2);        // cut off
  CHECK(utf8_count("a€🚗") == 3);
}
