#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rackcast {

/// The names that a user may have meant by `wrong`, best first, at most `count`. Case, '_', '-' and ' ' make
/// no difference. A name is near if it differs by few edits for its length (edit distance with swaps of
/// neighbours: Damerau, CACM 7(3), 1964, in the restricted form), or if one of the two starts with or
/// contains the other.
std::vector<std::string> near_matches(std::string_view wrong, std::span<const std::string> known,
                                      std::size_t count = 3);
std::vector<std::string> near_matches(std::string_view wrong, std::span<const std::string_view> known,
                                      std::size_t count = 3);

/// `did you mean "deadline"?` from near_matches, or an empty string when nothing is near.
std::string did_you_mean(std::string_view wrong, std::span<const std::string> known);
std::string did_you_mean(std::string_view wrong, std::span<const std::string_view> known);

/// The names separated by commas; a long list is cut with "and 37 more".
std::string name_list(std::span<const std::string> names, std::size_t most = 40);
std::string name_list(std::span<const std::string_view> names, std::size_t most = 40);

}  // namespace rackcast
