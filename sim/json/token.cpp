#include "sim/json/token.hpp"

namespace rackcast {
namespace {

bool belongs_to_number(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

}  // namespace

std::size_t string_token_start(std::string_view text, std::size_t end) {
  // The opening quote is the nearest one that is not behind an odd number of backslashes: inside a string
  // every quote is, and no backslash can stand in front of a string.
  std::size_t at = end - 1;
  while (at > 0) {
    at = text.rfind('"', at - 1);
    if (at == text.npos) return end - 1;
    std::size_t slashes = 0;
    while (slashes < at && text[at - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) break;
  }
  return at;
}

std::size_t number_token_start(std::string_view text, std::size_t end) {
  std::size_t at = end;
  if (at > 0 && !belongs_to_number(text[at - 1])) --at;
  while (at > 0 && belongs_to_number(text[at - 1])) --at;
  return at;
}

}  // namespace rackcast
