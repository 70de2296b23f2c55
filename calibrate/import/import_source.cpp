#include "calibrate/import/import_source.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "sim/base/utf8.hpp"
#include "sim/json/node.hpp"

namespace rackcast {

ImportSource::ImportSource(std::string name, std::string text) : source_{std::move(name), std::move(text)} {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (source_.text.starts_with(byte_order_mark)) source_.text.erase(0, byte_order_mark.size());
}

std::vector<ImportLine> ImportSource::lines() const {
  std::vector<ImportLine> out;
  const std::string_view all = source_.text;
  for (std::size_t at = 0; at < all.size();) {
    std::size_t end = all.find('\n', at);
    if (end == std::string_view::npos) end = all.size();
    std::string_view line = all.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out.push_back({line, at});
    at = end + 1;
  }
  return out;
}

void ImportSource::fail(std::size_t offset, const std::string& message, const std::string& hint) const {
  throw Error{message, locate(source_, offset), hint};
}

void ImportSource::fail(std::string_view part, const std::string& message, const std::string& hint) const {
  fail(static_cast<std::size_t>(part.data() - source_.text.data()), message, hint);
}

double ImportSource::number(std::string_view part, double low, double high, std::string_view what) const {
  const std::optional<double> value = to_number(part);
  if (!value) fail(part, fmt::format("{} is {}, which is not a number", what, in_quotes(part)));
  if (!(*value >= low && *value <= high)) {
    fail(part, fmt::format("{} is {}, but must lie between {:g} and {:g}", what, in_quotes(part), low, high));
  }
  return *value;
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0;;) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) return out;
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    out.push_back(line.substr(at, end - at));
    at = end;
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return text.substr(0, 0);
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::string_view> between(std::string_view line, std::string_view before,
                                        std::string_view after) {
  const std::size_t begin = line.find(before);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(begin + before.size());
  if (after.empty()) return rest;
  const std::size_t end = rest.find(after);
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(0, end);
}

std::string count_in_words(double count) {
  if (count >= 1e12) return fmt::format("{:.3g} trillion", count / 1e12);
  if (count >= 1e9) return fmt::format("{:.3g} billion", count / 1e9);
  if (count >= 1e5) return fmt::format("{:.3g} million", count / 1e6);
  return fmt::format("{:.0f}", count);
}

std::string product_name(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string out;
  for (const char c : trimmed(text).substr(0, longest)) {
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    out += plain ? c : '?';
  }
  return out;
}

}  // namespace rackcast
