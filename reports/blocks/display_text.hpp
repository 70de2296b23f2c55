#pragma once
/// UTF-8 on a terminal: what a text is wide, and where it may break.
#include <string>
#include <string_view>
#include <vector>

namespace rackcast::reports {

/// Columns that a terminal uses: 0 for combining marks, 2 for East Asian wide letters and emoji, else 1.
int display_width(std::string_view utf8);

/// One line that cannot act on a terminal or a page: line ends and tabs become spaces; control characters,
/// direction overrides and bytes that are not UTF-8 become U+FFFD.
std::string single_line(std::string_view text);

/// Lines of at most `width` columns, broken at spaces; a longer word is cut. At least one line.
std::vector<std::string> wrap(std::string_view text, int width);

/// `text` followed (or preceded) by spaces up to `width` columns.
std::string pad_right(std::string_view text, int width);
std::string pad_left(std::string_view text, int width);

/// `piece` `count` times.
std::string repeat(std::string_view piece, int count);

}  // namespace rackcast::reports
