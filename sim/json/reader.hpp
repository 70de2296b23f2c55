#pragma once
/// Checked JSON: every value knows where it stands, every key must be asked for, every number has a unit.
///
/// Parsing (comments allowed) keeps the position of each value and rejects repeated keys. An ObjectReader
/// hands out the members of one object; finish() rejects the members nobody asked for, with a "did you mean".
///
///   Json scenario = parse_json_file("scenario.json");
///   ObjectReader goal{scenario.require("goal")};
///   Duration deadline = goal.quantity<Duration>("deadline");
///   int nodes = goal.integer_or("max_nodes", 4096, 1, 1'000'000);
///   goal.finish();
///
/// Every failure is an Error with file, line, column, JSON pointer and source line.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/near_matches.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// A named text that values point back into.
struct JsonSource {
  std::string name;  ///< file name or "--set cluster.nodes=4"
  std::string text;
};

enum class JsonKind { null, boolean, number, string, array, object };
std::string_view to_string(JsonKind kind);  ///< "a number", "an object", for messages

/// One value of a parsed text. Cheap to copy (shared, immutable).
class Json {
 public:
  using Member = std::pair<std::string, Json>;

  Json() = default;  ///< null without a place

  [[nodiscard]] JsonKind kind() const;
  [[nodiscard]] bool is_null() const { return kind() == JsonKind::null; }
  [[nodiscard]] Where where() const;
  [[nodiscard]] Where key_where() const;  ///< of the key in front of it; of the value if it has none
  /// "key" as messages name this value: its key or index in quotes, or "the value" where it has none.
  [[nodiscard]] std::string name() const;

  // Checked access: an Error names what was found and what was expected.
  [[nodiscard]] const std::string& string() const;
  [[nodiscard]] double number() const;  ///< finite
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] const std::vector<Json>& array() const;
  [[nodiscard]] const std::vector<Member>& object() const;  ///< in file order

  /// Member of an object, or nullptr.
  [[nodiscard]] const Json* find(std::string_view key) const;
  /// Member of an object, or an Error with a "did you mean".
  [[nodiscard]] const Json& require(std::string_view key) const;

  /// Throws Error pointing at this value.
  [[noreturn]] void fail(std::string message, std::string hint = {}) const;

  // Edits return a new value; the places of the parts are kept.
  /// This object with the members of `over` laid over it, objects recursively (for "extends").
  [[nodiscard]] Json merged(const Json& over) const;
  /// This value with `value` at the dotted path (for --set). Missing objects are made; array elements go by
  /// number and must exist. Error if the path leads through a number, a string or a boolean.
  [[nodiscard]] Json with(std::string_view dotted_path, const Json& value) const;
  /// This object without the member; the same if it has none.
  [[nodiscard]] Json without(std::string_view key) const;

  struct Node;
  explicit Json(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

 private:
  std::shared_ptr<const Node> node_;
};

struct JsonLimits {
  std::size_t max_bytes = 64u << 20;
  int max_depth = 64;
  std::size_t max_values = 4'000'000;  ///< a value takes some 150 bytes of memory
};

/// Parses JSON with // and /* */ comments. `name` appears in messages. Throws Error on bad syntax, repeated
/// keys, bytes that are not UTF-8, numbers out of range, too much nesting or text.
Json parse_json(std::string text, std::string name, JsonLimits limits = {});

/// Reads and parses a file; Error if it is missing, not a regular file, unreadable or too large.
Json parse_json_file(const std::string& path, JsonLimits limits = {});

/// The value of "--set path=TEXT": JSON if it is (7, true, {"a": 1}), else the text itself (7 days).
Json parse_json_or_string(std::string text, std::string name);

/// Hands out the members of one object and rejects what nobody asked for.
class ObjectReader {
 public:
  explicit ObjectReader(Json object);  ///< Error if it is not an object

  [[nodiscard]] const Json& json() const { return object_; }
  [[nodiscard]] bool has(std::string_view key);  ///< also marks the key as known

  const Json& require(std::string_view key);
  const Json* find(std::string_view key);

  std::string string(std::string_view key);
  std::string string_or(std::string_view key, std::string_view fallback);
  bool boolean_or(std::string_view key, bool fallback);
  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high);
  std::int64_t integer_or(std::string_view key, std::int64_t fallback, std::int64_t low, std::int64_t high);
  /// A plain number (a count or a fraction), checked against [low, high].
  double number(std::string_view key, double low, double high);
  double number_or(std::string_view key, double fallback, double low, double high);

  /// A quantity written as a string with a unit ("104 TB"); a bare number is an error that shows how to write
  /// it. Must be finite, not negative (positive if `positive`) and plausible (sim/units/dimension_text.hpp).
  template <class Q>
  Q quantity(std::string_view key, bool positive = true) {
    return Q{quantity_base(key, Q::dimension, positive)};
  }
  template <class Q>
  Q quantity_or(std::string_view key, Q fallback, bool positive = true) {
    return find(key) ? quantity<Q>(key, positive) : fallback;
  }
  /// The index of the string among `names`; Error lists them.
  std::size_t choice(std::string_view key, std::span<const std::string_view> names);

  /// Rejects members nobody asked for. Call once, after the last read.
  void finish() const;

 private:
  double quantity_base(std::string_view key, Dimension dimension, bool positive);

  Json object_;
  std::vector<std::string> known_;
};

}  // namespace rackcast
