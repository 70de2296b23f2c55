#include "calibrate/tables/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

std::size_t after_key(const std::string& text, const std::string& file, TextSpan span, std::string_view key) {
  const std::string opening = fmt::format("\"{}\": ", key);
  const std::size_t at = text.find(opening, span.begin);
  if (at == std::string::npos || at >= span.end)
    throw Error{fmt::format("{} lacks \"{}\", which is fitted", file, key)};
  return at + opening.size();
}

}  // namespace

std::size_t replace_member(std::string& text, const std::string& file, TextSpan span, std::string_view key,
                           const std::string& value) {
  const std::size_t begin = after_key(text, file, span, key);
  const std::size_t end = std::min(text.find('\n', begin), text.find(",\n", begin));
  text.replace(begin, end - begin, value);
  return span.end + value.size() - (end - begin);
}

TextSpan object_in(const std::string& text, const std::string& file, TextSpan span, std::string_view key) {
  const std::size_t begin = after_key(text, file, span, key);
  const std::size_t line = text.rfind('\n', begin) + 1;
  const std::string closing = "\n" + text.substr(line, text.find('"', line) - line) + "}";
  return {begin, std::min(text.find(closing, begin), span.end)};
}

}  // namespace rackcast
