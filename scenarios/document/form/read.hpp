#pragma once
/// From JSON to described structs. Every Error points at the place of the document that it is about.
///
/// A key that the description lacks is ignored: a later program may have added it. A described struct may
/// have a function check(const S&, const Json&) beside it that holds its members against each other.
#include <cstdint>

#include "scenarios/document/form/field.hpp"
#include "sim/json/reader.hpp"

namespace rackcast::doc {

inline constexpr std::string_view damaged_hint =
    "write the document again: its \"command\" is the command line that made it";

/// Throws Error unless the number keeps the rule.
void check_number(const Json& json, double value, const Rule& rule);
/// The place of the text among words that spaces separate, or an Error that lists them.
std::size_t place_of_word(const Json& json, std::string_view words);
/// The member at a dotted path. Where it or an object around it is missing or null: nullptr if it
/// `may_be_missing`, else an Error that names what is missing.
const Json* find_path(const Json& object, std::string_view path, bool may_be_missing);

template <Described S>
S read(const Json& json, const Rule& rule = {});

/// Not inlined: every field of a type shares it.
template <class T>
[[gnu::noinline]] T read_value(const Json& json, const Rule& rule) {
  if constexpr (IsOptional<T>::value) {
    return read_value<typename T::value_type>(json, rule);
  } else if constexpr (IsVector<T>::value) {
    T out;
    for (const Json& one : json.array()) out.push_back(read_value<typename T::value_type>(one, rule));
    return out;
  } else if constexpr (HasCustom<T>) {
    return Custom<T>::read(json);
  } else if constexpr (Described<T>) {
    return read<T>(json, rule);
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(place_of_word(json, Words<T>::list));
  } else if constexpr (std::is_same_v<T, bool>) {
    return json.boolean();
  } else if constexpr (std::is_integral_v<T>) {
    const std::int64_t value = json.integer();
    check_number(json, static_cast<double>(value), rule);
    return static_cast<T>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    check_number(json, json.number(), rule);
    return json.number();
  } else {
    static_assert(std::is_same_v<T, std::string>);
    if (!rule.words.empty()) place_of_word(json, rule.words);
    return json.string();
  }
}

template <Described S>
S read(const Json& json, const Rule& rule) {
  S out;
  for_each_field<S>([&](const auto& field) {
    using Member = typename std::decay_t<decltype(field)>::Member;
    if (field.condition && !(out.*field.condition)) return;
    if constexpr (Described<Member>) {
      if (field.key.empty()) {
        out.*field.member = read<Member>(json, field.rule);
        return;
      }
    }
    const Json* found = find_path(json, field.key, may_be_missing(field));
    if (found) out.*field.member = read_value<Member>(*found, field.rule);
  });
  if constexpr (requires { check(out, json, rule); })
    check(out, json, rule);
  else if constexpr (requires { check(out, json); })
    check(out, json);
  return out;
}

}  // namespace rackcast::doc
