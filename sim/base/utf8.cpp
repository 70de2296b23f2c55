#include "sim/base/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace rackcast {
namespace {

constexpr std::size_t longest_quoted_name = 80;

bool is_continuation(unsigned char byte) {
  return (byte & 0xC0u) == 0x80u;
}

char32_t decode(std::string_view sequence) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(sequence[i]);
  };
  switch (sequence.size()) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1Fu) << 6 | (byte(1) & 0x3Fu);
    case 3:
      return (byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    default:
      return (byte(0) & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu);
  }
}

/// Control characters (C0, DEL, C1), direction overrides and isolates, line separators, byte order marks.
bool is_unsafe(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

}  // namespace

std::size_t utf8_sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[at + i]);
  };
  const std::size_t left = text.size() - at;
  if (left == 0) return 0;
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (left < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(byte(i))) return 0;
  }
  const unsigned second = byte(1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)) return 0;
  if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return 0;
  return length;
}

std::optional<std::size_t> first_bad_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    // Eight ASCII bytes at a time: nearly every byte of a scenario or a catalogue is one.
    std::uint64_t word = 0;
    while (at + sizeof word <= text.size()) {
      std::memcpy(&word, text.data() + at, sizeof word);
      if ((word & 0x8080808080808080u) != 0) break;
      at += sizeof word;
    }
    if (at == text.size()) break;
    const std::size_t length = utf8_sequence_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::size_t utf8_count(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    const std::size_t length = utf8_sequence_length(text, at);
    at += length == 0 ? 1 : length;
  }
  return count;
}

std::string printable(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence_length(text, at);
    if (length == 0) {
      out += '?';
      ++at;
      continue;
    }
    const std::string_view sequence = text.substr(at, length);
    if (sequence == "\t") {
      out += ' ';
    } else if (is_unsafe(decode(sequence)) && !(keep_lines && sequence == "\n")) {
      out += '?';
    } else {
      out += sequence;
    }
    at += length;
  }
  return out;
}

std::string in_quotes(std::string_view text) {
  if (text.size() <= longest_quoted_name) return '"' + printable(text) + '"';
  std::size_t cut = longest_quoted_name;
  while (cut > longest_quoted_name - 4 && is_continuation(static_cast<unsigned char>(text[cut]))) --cut;
  return '"' + printable(text.substr(0, cut)) + "…\"";
}

}  // namespace rackcast
