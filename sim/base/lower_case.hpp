#pragma once
/// Text in lower case, letters of ASCII only.
#include <cctype>
#include <string>
#include <string_view>

namespace rackcast {

inline char lower_case(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

inline std::string lower_case(std::string_view text) {
  std::string out{text};
  for (char& c : out) c = lower_case(c);
  return out;
}

}  // namespace rackcast
