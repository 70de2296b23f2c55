#include "sim/base/near_matches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

constexpr std::size_t longest_compared = 64;  ///< keeps a hostile key from costing time
constexpr std::size_t shortest_part = 3;      ///< "a" is part of too many names to say anything

/// Lower case with one kind of separator; ASCII only, so that no locale matters.
std::string folded(std::string_view text) {
  std::string out{text.substr(0, longest_compared)};
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-' || c == ' ') c = '_';
  }
  return out;
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

/// Smaller is nearer; nothing if the two have little to do with each other.
std::optional<std::size_t> remoteness(std::string_view wrong, std::string_view name) {
  if (wrong.empty() || name.empty()) return std::nullopt;
  const std::size_t edits = edit_distance(wrong, name);
  const std::size_t allowed = std::max<std::size_t>(1, std::min(wrong.size(), name.size()) / 3);
  if (edits <= allowed && edits < std::max(wrong.size(), name.size())) return 10 * edits;
  if (std::min(wrong.size(), name.size()) < shortest_part) return std::nullopt;
  if (name.starts_with(wrong) || wrong.starts_with(name)) return 100 + edits;
  if (name.find(wrong) != name.npos || wrong.find(name) != wrong.npos) return 200 + edits;
  return std::nullopt;
}

template <class Name>
std::vector<std::string> nearest(std::string_view wrong, std::span<const Name> known, std::size_t count) {
  const std::string sought = folded(wrong);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const Name& name : known) {
    if (const auto far = remoteness(sought, folded(name))) found.emplace_back(*far, name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [far, name] : found) {
    if (names.size() == count) break;
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

template <class Name>
std::string hint(std::string_view wrong, std::span<const Name> known) {
  const std::vector<std::string> names = near_matches(wrong, known);
  if (names.empty()) return {};
  std::string text = "did you mean ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += in_quotes(names[i]);
  }
  return text + '?';
}

template <class Name>
std::string listed(std::span<const Name> names, std::size_t most) {
  const std::size_t shown = std::min(most, names.size());
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += ", ";
    text += names[i];
  }
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

}  // namespace

std::vector<std::string> near_matches(std::string_view wrong, std::span<const std::string> known,
                                      std::size_t count) {
  return nearest(wrong, known, count);
}
std::vector<std::string> near_matches(std::string_view wrong, std::span<const std::string_view> known,
                                      std::size_t count) {
  return nearest(wrong, known, count);
}
std::string did_you_mean(std::string_view wrong, std::span<const std::string> known) {
  return hint(wrong, known);
}
std::string did_you_mean(std::string_view wrong, std::span<const std::string_view> known) {
  return hint(wrong, known);
}
std::string name_list(std::span<const std::string> names, std::size_t most) {
  return listed(names, most);
}
std::string name_list(std::span<const std::string_view> names, std::size_t most) {
  return listed(names, most);
}

}  // namespace rackcast
