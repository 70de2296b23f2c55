#pragma once
/// From described structs to JSON, keys in the order of their description.
#include <cmath>
#include <nlohmann/json.hpp>

#include "scenarios/document/form/field.hpp"

namespace rackcast::doc {

template <class T>
bool is_empty(const T& value) {
  if constexpr (IsOptional<T>::value)
    return !value.has_value();
  else if constexpr (IsVector<T>::value || std::is_same_v<T, std::string>)
    return value.empty();
  else if constexpr (std::is_arithmetic_v<T>)
    return value == T{};
  else
    return false;
}

template <Described S>
Written write(const S& value);

/// The word at a place of a list that spaces separate.
std::string word_of(std::string_view words, std::size_t place);
/// Puts a value at a dotted path. An empty path: takes the members of the value in.
void put(Written& object, std::string_view path, Written value);

/// Not inlined: every field of a type shares it.
template <class T>
[[gnu::noinline]] Written write_value(const T& value) {
  if constexpr (IsOptional<T>::value) {
    return value ? write_value(*value) : Written(nullptr);
  } else if constexpr (IsVector<T>::value) {
    Written out = Written::array();
    for (const auto& one : value) out.push_back(write_value(one));
    return out;
  } else if constexpr (HasCustom<T>) {
    return Custom<T>::write(value);
  } else if constexpr (Described<T>) {
    return write(value);
  } else if constexpr (std::is_enum_v<T>) {
    return Written(word_of(Words<T>::list, static_cast<std::size_t>(value)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isfinite(value) ? Written(value) : Written(nullptr);
  } else {
    return Written(value);
  }
}

template <Described S>
Written write(const S& value) {
  Written out = Written::object();
  for_each_field<S>([&](const auto& field) {
    const auto& member = value.*field.member;
    if ((field.left_out && is_empty(member)) || (field.unneeded && value.*field.unneeded) ||
        (field.condition && !(value.*field.condition)))
      return;
    put(out, field.key, write_value(member));
  });
  return out;
}

}  // namespace rackcast::doc
