#pragma once
/// The few functions on UTF-8 text that messages and the JSON reader need.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace rackcast {

/// Bytes of the well-formed UTF-8 sequence at `at` (1 to 4), or 0 if the bytes there are none: overlong
/// forms, surrogates and code points past U+10FFFF are not well formed (The Unicode Standard 15.0, table
/// 3-7).
std::size_t utf8_sequence_length(std::string_view text, std::size_t at);

/// The offset of the first byte that is not UTF-8, or nothing.
std::optional<std::size_t> first_bad_utf8(std::string_view text);

/// How many characters (code points; a bad byte counts as one) `text` has.
std::size_t utf8_count(std::string_view text);

/// `text` made fit for a terminal: tabs become spaces; control characters, bytes that are not UTF-8 and
/// characters that change the writing direction become '?'. One character in, one character out; line ends
/// stay if `keep_lines`.
std::string printable(std::string_view text, bool keep_lines = false);

/// `text` in quotes for a message: printable, and shortened when it is longer than a name would be.
std::string in_quotes(std::string_view text);

}  // namespace rackcast
