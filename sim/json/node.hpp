#pragma once
/// The data behind a Json. Only the files that read JSON and other formats include this header.
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "sim/json/reader.hpp"

namespace rackcast {

/// Where a value of a document stands; enough to tell line, column and JSON pointer when somebody asks.
struct JsonPlace {
  static constexpr std::uint32_t no_parent = std::numeric_limits<std::uint32_t>::max();

  std::size_t offset = 0;            ///< of the first byte of the value
  std::size_t slot = 0;              ///< in an object the offset of the key, in an array the index
  std::uint32_t parent = no_parent;  ///< the place of the object or array around it
  bool is_member = false;            ///< of an object; else an element or the top level
};

/// A source and the places of its values, shared by them. Complete before the first Json is handed out.
struct JsonDocument {
  JsonSource source;
  std::vector<JsonPlace> places;

  [[nodiscard]] std::string pointer(std::uint32_t place) const;
  [[nodiscard]] Where where(std::uint32_t place) const;
  [[nodiscard]] Where key_where(std::uint32_t place) const;  ///< of its key; of the value if it has none
};

struct JsonNumber {
  double value = 0;
  std::int64_t integer = 0;
  bool is_integer = false;  ///< exact, and fits `integer`
};

struct Json::Node {
  std::shared_ptr<const JsonDocument> document;  ///< null for a value that nobody wrote
  std::uint32_t place = 0;
  std::variant<std::monostate, bool, JsonNumber, std::string, std::vector<Json>, std::vector<Json::Member>>
      value;
};

/// Line, column and source line of `offset`. Costs one pass over the text before it: only errors ask.
Where locate(const JsonSource& source, std::size_t offset);

/// The text of the string literal that starts at `offset` of a text that has been parsed.
std::string string_literal_at(std::string_view text, std::size_t offset);

}  // namespace rackcast
