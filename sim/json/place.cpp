/// From byte offsets to what people count: lines, columns, JSON pointers.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/base/utf8.hpp"
#include "sim/json/node.hpp"

namespace rackcast {
namespace {

constexpr std::size_t widest_snippet = 100;  ///< bytes; a longer line is cut around the column
constexpr std::string_view cut_mark = "…";

std::size_t back_to_character(std::string_view text, std::size_t at) {
  std::size_t steps = 0;
  while (at > 0 && at < text.size() && steps < 3 && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u) {
    --at;
    ++steps;
  }
  return at;
}

/// Puts the line, or the part of it around byte `at`, into `where`.
void set_snippet(Where& where, std::string_view line, std::size_t at) {
  if (line.size() <= widest_snippet) {
    where.snippet = line;
    return;
  }
  std::size_t begin = at > widest_snippet / 2 ? at - widest_snippet / 2 : 0;
  begin = back_to_character(line, std::min(begin, line.size() - widest_snippet));
  const std::size_t end = back_to_character(line, std::min(begin + widest_snippet, line.size()));
  if (begin > 0) where.snippet = cut_mark;
  where.snippet += line.substr(begin, end - begin);
  if (end < line.size()) where.snippet += cut_mark;
  const std::size_t before = utf8_count(line.substr(begin, at - begin)) + (begin > 0 ? 1 : 0);
  where.caret = static_cast<int>(before) + 1;
}

/// "~" and "/" as RFC 6901 writes them.
std::string escaped(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

Where locate(const JsonSource& source, std::size_t offset) {
  const std::string_view text = source.text;
  const std::size_t at = std::min(offset, text.size());
  Where where;
  where.file = source.name;
  if (text.empty()) return where;
  const std::size_t line_break = at == 0 ? text.npos : text.rfind('\n', at - 1);
  const std::size_t begin = line_break == text.npos ? 0 : line_break + 1;
  std::size_t end = std::min(text.find('\n', at), text.size());
  if (end > begin && text[end - 1] == '\r') --end;
  const std::string_view line = text.substr(begin, std::max(begin, end) - begin);
  const std::size_t in_line = std::min(at - begin, line.size());
  where.line =
      static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n')) + 1;
  where.column = static_cast<int>(utf8_count(line.substr(0, in_line))) + 1;
  set_snippet(where, line, in_line);
  return where;
}

std::string string_literal_at(std::string_view text, std::size_t offset) {
  std::size_t end = offset + 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return nlohmann::json::parse(text.substr(offset, end + 1 - offset)).get<std::string>();
}

std::string JsonDocument::pointer(std::uint32_t place) const {
  std::vector<std::string> steps;
  for (; places[place].parent != JsonPlace::no_parent; place = places[place].parent) {
    const JsonPlace& at = places[place];
    steps.push_back(at.is_member ? escaped(string_literal_at(source.text, at.slot))
                                 : std::to_string(at.slot));
  }
  std::string text;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) text += '/' + *step;
  return text;
}

Where JsonDocument::where(std::uint32_t place) const {
  Where where = locate(source, places[place].offset);
  where.pointer = pointer(place);
  return where;
}

Where JsonDocument::key_where(std::uint32_t place) const {
  const JsonPlace& at = places[place];
  Where where = locate(source, at.is_member ? at.slot : at.offset);
  where.pointer = pointer(place);
  return where;
}

}  // namespace rackcast
