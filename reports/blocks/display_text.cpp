#include "reports/blocks/display_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace rackcast::reports {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

struct Letter {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The letter at the front of a text that is not empty. Overlong forms, surrogates and stray bytes are
/// invalid letters of one byte.
Letter front_letter(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    return {first, 1, true};
  }
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) {
    return {};
  }
  char32_t code = first & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) {
      return {};
    }
    code = (code << 6) | (byte(i) & 0x3Fu);
  }
  constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < smallest[bytes] || code > 0x10FFFF || surrogate) {
    return {};
  }
  return {code, bytes, true};
}

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t code) {
  return std::ranges::any_of(ranges, [code](Range r) { return code >= r.first && code <= r.last; });
}

/// Combining marks and joiners (the blocks of Unicode 15 that hold nothing else).
constexpr std::array<Range, 7> zero_width{{{0x300, 0x36F},
                                           {0x1AB0, 0x1AFF},
                                           {0x1DC0, 0x1DFF},
                                           {0x200B, 0x200D},
                                           {0x20D0, 0x20FF},
                                           {0xFE00, 0xFE0F},
                                           {0xFE20, 0xFE2F}}};
/// East Asian Width W and F (Unicode Standard Annex 11), by block.
constexpr std::array<Range, 10> double_width{{{0x1100, 0x115F},
                                              {0x2E80, 0x303E},
                                              {0x3041, 0xA4CF},
                                              {0xAC00, 0xD7A3},
                                              {0xF900, 0xFAFF},
                                              {0xFE30, 0xFE6F},
                                              {0xFF00, 0xFF60},
                                              {0xFFE0, 0xFFE6},
                                              {0x1F300, 0x1FAFF},
                                              {0x20000, 0x3FFFD}}};
/// Letters that act instead of showing: C0 and C1 controls, line separators, direction marks and overrides.
constexpr std::array<Range, 6> unsafe{
    {{0, 0x1F}, {0x7F, 0x9F}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}, {0xFEFF, 0xFEFF}}};

int letter_width(Letter letter) {
  if (!letter.valid) {
    return 1;
  }
  return within(zero_width, letter.code) ? 0 : within(double_width, letter.code) ? 2 : 1;
}

/// How many letters of ASCII that print, most of any text, it begins with: each a byte and a column.
std::size_t plain_letters(std::string_view text) {
  std::size_t plain = 0;
  while (plain < text.size() && text[plain] >= 0x20 && text[plain] < 0x7F) ++plain;
  return plain;
}

/// The longest front of `text` that fits `width` columns; at least one letter.
std::size_t fitting_bytes(std::string_view text, int width) {
  std::size_t used = 0;
  int columns = 0;
  while (used < text.size()) {
    const Letter letter = front_letter(text.substr(used));
    columns += letter_width(letter);
    if (columns > width && used > 0) {
      break;
    }
    used += letter.bytes;
  }
  return used;
}

}  // namespace

int display_width(std::string_view utf8) {
  int columns = 0;
  for (;;) {
    const std::size_t plain = plain_letters(utf8);
    columns += static_cast<int>(plain);
    utf8.remove_prefix(plain);
    if (utf8.empty()) break;
    const Letter letter = front_letter(utf8);
    columns += letter_width(letter);
    utf8.remove_prefix(letter.bytes);
  }
  return columns;
}

std::string single_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const std::size_t plain = plain_letters(text);
    line += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Letter letter = front_letter(text);
    if (letter.code == '\n' || letter.code == '\r' || letter.code == '\t') {
      line += ' ';
    } else if (!letter.valid || within(unsafe, letter.code)) {
      line += replacement;
    } else {
      line += text.substr(0, letter.bytes);
    }
    text.remove_prefix(letter.bytes);
  }
  return line;
}

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines(1);
  int used = 0;
  const auto break_line = [&] {
    lines.emplace_back();
    used = 0;
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) {
      continue;
    }
    if (used > 0 && used + 1 + display_width(word) > width) {
      break_line();
    } else if (used > 0) {
      lines.back() += ' ';
      ++used;
    }
    for (std::size_t fits = 0; (fits = fitting_bytes(word, width)) < word.size();) {
      lines.back() += word.substr(0, fits);
      word.remove_prefix(fits);
      break_line();
    }
    lines.back() += word;
    used += display_width(word);
  }
  return lines;
}

std::string pad_right(std::string_view text, int width) {
  return std::string(text) + repeat(" ", width - display_width(text));
}

std::string pad_left(std::string_view text, int width) {
  return repeat(" ", width - display_width(text)) + std::string(text);
}

std::string repeat(std::string_view piece, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    out += piece;
  }
  return out;
}

}  // namespace rackcast::reports
