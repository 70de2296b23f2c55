#pragma once
#include <cstddef>
#include <string_view>

namespace rackcast {

/// The opening quote of the string token whose closing quote is the last byte before `end`.
std::size_t string_token_start(std::string_view text, std::size_t end);

/// The first byte of the number token that ends at `end` or, where the reader has looked one byte ahead, at
/// `end - 1`.
std::size_t number_token_start(std::string_view text, std::size_t end);

}  // namespace rackcast
