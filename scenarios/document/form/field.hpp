#pragma once
/// How the parts of a document are described: once, for its writer, its reader, its JSON schema and
/// its reference page.
///
///   struct Switches {
///     std::string level;
///     std::int64_t count = 0;
///     std::optional<std::int64_t> ports;
///   };
///   template <>
///   struct Fields<Switches> {
///     static constexpr std::string_view name = "switches";
///     static constexpr auto list = std::tuple{
///         field("level", &Switches::level),
///         field("count", &Switches::count),
///         field("ports", &Switches::ports, "of each; null: the catalogue does not say"),
///     };
///   };
///
/// Members are numbers, booleans, texts, enumerations, other described structs, and optionals and vectors of
/// all of these. A struct under an empty key has its members in the object around. What is not known is an
/// empty optional: null in the document, or left out where the field says so. The ending of a key is its unit
/// (unit_of). Numbers are finite and, unless a field says otherwise, not negative.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace rackcast {
class Json;
}

namespace rackcast::doc {

using Written = nlohmann::ordered_json;

/// What a value has to keep.
struct Rule {
  double least = 0, most = std::numeric_limits<double>::infinity();
  std::string_view words = {};  ///< of a text: all that it may be, separated by spaces; empty: anything
  std::string_view unit = {};   ///< of a prediction
};

template <class S, class M>
struct Field {
  using Struct = S;
  using Member = M;

  std::string_view key;  ///< "year.energy_usd" stands in the object "year"
  M S::*member;
  std::string_view meaning;
  Rule rule;
  bool left_out = false;         ///< where it is empty, zero or false
  bool must_be_there = false;    ///< although it is a text
  bool may_be_missing = false;   ///< when read: documents of earlier programs lack it
  bool S::*unneeded = nullptr;   ///< left out where this member is true
  bool S::*condition = nullptr;  ///< there only where this member, of an earlier field, is true

  [[nodiscard]] constexpr Field omitted() const {
    Field out = *this;
    out.left_out = true;
    return out;
  }
  /// A text without which the rest has no meaning.
  [[nodiscard]] constexpr Field needed() const {
    Field out = *this;
    out.must_be_there = true;
    return out;
  }
  [[nodiscard]] constexpr Field optional() const {
    Field out = *this;
    out.may_be_missing = true;
    return out;
  }
  [[nodiscard]] constexpr Field unless(bool S::*flag) const {
    Field out = *this;
    out.unneeded = flag;
    return out;
  }
  [[nodiscard]] constexpr Field when(bool S::*flag) const {
    Field out = *this;
    out.condition = flag;
    return out;
  }
  [[nodiscard]] constexpr Field from(double least) const {
    Field out = *this;
    out.rule.least = least;
    return out;
  }
  [[nodiscard]] constexpr Field up_to(double most) const {
    Field out = *this;
    out.rule.most = most;
    return out;
  }
  [[nodiscard]] constexpr Field above_zero() const { return from(std::numeric_limits<double>::min()); }
  [[nodiscard]] constexpr Field signed_number() const {
    return from(-std::numeric_limits<double>::infinity());
  }
  [[nodiscard]] constexpr Field unit(std::string_view name) const {
    Field out = *this;
    out.rule.unit = name;
    return out;
  }
  [[nodiscard]] constexpr Field of(std::string_view words) const {
    Field out = *this;
    out.rule.words = words;
    return out;
  }
};

/// The last part of a key decides on its unit: "time_s", "power_w"; "1" is a plain number.
constexpr std::string_view unit_of(std::string_view key) {
  constexpr std::pair<std::string_view, std::string_view> units[] = {
      {"bytes_per_s", "B/s"},
      {"flop_per_s", "FLOP/s"},
      {"per_s", "1/s"},
      {"per_s_per_gpu", "1/s"},
      {"usd_per_hour", "USD/h"},
      {"usd_per_kwh", "USD/kWh"},
      {"usd_per_year", "USD/year"},
      {"btu_per_h", "BTU/h"},
      {"g_co2_per_kwh", "g/kWh"},
      {"per_million", "per million"},
      {"_s", "s"},
      {"seconds", "s"},
      {"_w", "W"},
      {"_kw", "kW"},
      {"_usd", "USD"},
      {"_bytes", "B"},
      {"_kwh", "kWh"},
      {"_j", "J"},
      {"_kg", "kg"},
      {"_m", "m"},
      {"_m2", "m2"},
      {"_day", "days"},
      {"_days", "days"},
      {"_years", "years"},
      {"_kelvin", "K"},
      {"_litres", "l"},
      {"_tons", "tons of refrigeration"},
      {"_cfm", "ft3/min"},
  };
  for (const auto& [ending, unit] : units) {
    if (key.ends_with(ending)) return unit;
  }
  return "1";
}

template <class T>
struct Inner {
  using type = T;
};
template <class T>
struct Inner<std::optional<T>> : Inner<T> {};
template <class T>
struct Inner<std::vector<T>> : Inner<T> {};

/// Counts are at most a billion: no page is asked to draw more of anything.
template <class S, class M>
constexpr Field<S, M> field(std::string_view key, M S::*member, std::string_view meaning = {}) {
  using T = typename Inner<M>::type;
  Rule rule{.unit = unit_of(key)};
  if (std::is_integral_v<T> && !std::is_same_v<T, bool>) rule.most = 1e9;
  return {key, member, meaning, rule};
}

/// Specialised by every described struct: `name` in the schema, `list` of its fields in their order.
template <class S>
struct Fields;

template <class S>
concept Described = requires {
  Fields<S>::list;
};

/// Specialised by enumerations: `list` has the word of each value in their order, separated by spaces.
template <class E>
struct Words;

/// The value of a word; std::out_of_range for another word.
template <class E>
E value_of_word(std::string_view word) {
  std::size_t place = 0;
  for (std::string_view rest = Words<E>::list; !rest.empty(); ++place) {
    const std::string_view one = rest.substr(0, rest.find(' '));
    if (one == word) return static_cast<E>(place);
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
  }
  throw std::out_of_range{std::string{word}};
}

/// One row of the reference: a key of a described struct.
struct ReferenceRow {
  std::string key, type, unit, meaning;
  bool always = true;  ///< the document always has the key
};

/// Specialised by types with a form of their own in JSON: write(const T&), read(const Json&), schema() and
/// `type`. One that stands once in the schema has its `name`, `meaning` and rows() of the reference, too.
template <class T>
struct Custom;

template <class T>
concept HasCustom = requires {
  Custom<T>::type;
};

/// Any JSON, kept as it is.
struct Any {
  std::shared_ptr<const Written> value;
};
template <>
struct Custom<Any> {
  static Written write(const Any& any);
  static Any read(const Json& json);
  static Written schema();
  static constexpr std::string_view type = "anything";
};
Any any_of(Written value);
/// A text as it is, a number as a person types it, anything else as JSON; empty for null. `indent` of the
/// lines; -1: one line.
std::string text_of(const Any& any, int indent = -1);

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

/// Whether a document may lack the key, or have null there.
template <class S, class M>
constexpr bool may_be_missing(const Field<S, M>& field) {
  if (field.must_be_there) return false;
  return IsOptional<M>::value || IsVector<M>::value || std::is_same_v<M, std::string> ||
         std::is_same_v<M, Any> || field.left_out || field.may_be_missing || field.unneeded;
}

/// Whether every document has the key.
template <class S, class M>
constexpr bool always_there(const Field<S, M>& field) {
  return !field.left_out && !field.unneeded && !field.condition;
}

/// Calls `visit` with each field of S, in their order.
template <Described S, class Visit>
constexpr void for_each_field(Visit visit) {
  std::apply([&](const auto&... fields) { (visit(fields), ...); }, Fields<S>::list);
}

}  // namespace rackcast::doc
