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
///     static void each(const auto& visit) {
///       visit(field("level", &Switches::level));
///       visit(field("count", &Switches::count));
///       visit(field("ports", &Switches::ports, "of each; null: the catalogue does not say"));
///     }
///   };
///
/// Members are numbers, booleans, texts, enumerations, other described structs, and optionals and vectors of
/// all of these. A struct under an empty key has its members in the object around. What is not known is an
/// empty optional: null in the document, or left out where the field says so. The ending of a key is its unit
/// (unit_of). Numbers are finite and, unless a field says otherwise, not negative.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "scenarios/document/form/any.hpp"

namespace rackcast::doc {

/// What a value has to keep.
struct Rule {
  double least = 0, most = std::numeric_limits<double>::infinity();
  std::string_view words = {};  ///< of a text: all that it may be, separated by spaces; empty: anything
  std::string_view key = {};    ///< whose ending is the unit, unless another one is given
  std::optional<std::string_view> given_unit = {};
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
    out.rule.given_unit = name;
    return out;
  }
  [[nodiscard]] constexpr Field of(std::string_view words) const {
    Field out = *this;
    out.rule.words = words;
    return out;
  }
};

/// The last part of a key decides on its unit: "time_s", "power_w"; "1" is a plain number.
std::string_view unit_of(std::string_view key);
/// The unit that is given, or that of the key.
std::string_view unit_of(const Rule& rule);

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
  Rule rule{.key = key};
  if (std::is_integral_v<T> && !std::is_same_v<T, bool>) rule.most = 1e9;
  return {key, member, meaning, rule};
}

/// Specialised by every described struct: its `name` in the schema, maybe its `meaning`, and each(), which
/// calls a function with every field in their order. Specialisations stand in scenarios/document/fields, so
/// that files which only fill or show a document are not compiled with them.
template <class S>
struct Fields;

template <class S>
concept Described = requires {
  Fields<S>::name;
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

template <class T>
concept HasCustom = requires {
  Custom<T>::type;
};

template <>
struct Custom<Any> {
  static Written write(const Any& any);
  static Any read(const Json& json);
  static Written schema();
  static constexpr std::string_view type = "anything";
};

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
void for_each_field(const Visit& visit) {
  Fields<S>::each(visit);
}

}  // namespace rackcast::doc
