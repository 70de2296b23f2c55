#pragma once
/// The looks of terminal text: colours, frames and fills.
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

/// Parameters of the ANSI escape "select graphic rendition".
struct Style {
  static constexpr std::string_view bold = "1", dim = "2", good = "32", bad = "31", caution = "33",
                                    heading = "1;36", column = "4";
};

inline std::string_view tone_style(Tone tone) {
  switch (tone) {
    case Tone::good:
      return Style::good;
    case Tone::bad:
      return Style::bad;
    case Tone::caution:
      return Style::caution;
    case Tone::plain:
      break;
  }
  return "";
}

/// The drawing letters of one look.
struct Glyphs {
  std::string_view horizontal, vertical, top_left, top_right, bottom_left, bottom_right, bullet, missing;
  std::array<std::string_view, 6> fills;
};
inline constexpr Glyphs block_glyphs{"─", "│", "┌", "┐", "└", "┘", "•", "–", {"█", "░", "▓", "·", "▒", "▚"}};
inline constexpr Glyphs ascii_glyphs{"-", "|", "+", "+", "+", "+", "*", "-", {"#", ".", "%", ":", "+", "="}};

inline constexpr std::array<std::string_view, 6> part_colours{"34", "36", "31", "32", "33", "35"};

/// The signs that rackcast itself uses, one column for one; letters in names stay as they are.
inline std::string plain_signs(std::string text) {
  constexpr std::array<std::pair<std::string_view, char>, 7> signs{
      {{"×", 'x'}, {"–", '-'}, {"…", '.'}, {"⚠", '!'}, {"µ", 'u'}, {"²", '2'}, {"³", '3'}}};
  for (const auto& [sign, plain] : signs) {
    for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at)) {
      text.replace(at, sign.size(), 1, plain);
    }
  }
  return text;
}

/// An entry of a legend: a key (one column, perhaps with colour codes) and its text.
struct LegendEntry {
  std::string key, text;
};

}  // namespace rackcast::reports
