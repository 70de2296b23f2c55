#pragma once
/// New numbers in a data file whose layout and comments stay.
#include <cstddef>
#include <string>
#include <string_view>

namespace rackcast {

/// Characters of a text from `begin` to before `end`.
struct TextSpan {
  std::size_t begin = 0, end = 0;
};

/// Replaces the value of `"key": value` inside the span; the file has one member on a line. Returns the
/// span's new end. Throws Error naming `file` where the span has no such key.
std::size_t replace_member(std::string& text, const std::string& file, TextSpan span, std::string_view key,
                           const std::string& value);

/// The object behind `"key": {`, up to the brace on a line of the key's own indentation. Throws Error naming
/// `file`.
TextSpan object_in(const std::string& text, const std::string& file, TextSpan span, std::string_view key);

}  // namespace rackcast
