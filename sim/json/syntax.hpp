#pragma once
#include <string>
#include <string_view>

#include "sim/json/reader.hpp"

namespace rackcast {

/// What the parser read last before it gave up, and which object or array was open then.
struct SyntaxFailure {
  std::size_t position = 0;      ///< bytes it had read; one more than there are at the end of the text
  std::string_view token = {};   ///< what it had read last, control characters spelled out as <U+000A>
  std::string_view reason = {};  ///< in the parser's words
  bool inside = false;           ///< an object or array is open
  bool open_is_object = false;   ///< which of the two the innermost is
  std::size_t open_offset = 0;   ///< where it starts
};

/// Throws the Error for `failure`; common mistakes have messages of their own.
[[noreturn]] void fail_syntax(const JsonSource& source, const SyntaxFailure& failure);

}  // namespace rackcast
