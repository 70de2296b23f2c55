#pragma once
/// Fields of a line.
#include <string_view>
#include <vector>

namespace rackcast {

/// The parts of `text` between the separators, which may be empty: one more than there are separators.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (std::size_t from = 0;;) {
    const std::size_t end = text.find(separator, from);
    out.push_back(text.substr(from, end - from));
    if (end == std::string_view::npos) return out;
    from = end + 1;
  }
}

}  // namespace rackcast
