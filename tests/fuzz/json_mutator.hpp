#pragma once
/// Mutations of a JSON text as a tree: the result is JSON again, with a member gone, a value of another kind,
/// a number at an end of its range, a subtree in another place.
#include <functional>
#include <optional>
#include <random>
#include <string>

namespace rackcast::fuzz {

/// Nothing if the text is not JSON. `bytes` mutates the characters of one text.
std::optional<std::string> mutate_json(const std::string& text, std::minstd_rand& random,
                                       const std::function<std::string(std::string)>& bytes);

/// The first text with one subtree of the second: in the place of a member of the same name, if there is one.
std::optional<std::string> cross_json(const std::string& a, const std::string& b, std::minstd_rand& random);

}  // namespace rackcast::fuzz
