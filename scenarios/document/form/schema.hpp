#pragma once
/// The JSON schema (draft-07) and the reference page of described structs.
#include <map>
#include <nlohmann/json.hpp>

#include "scenarios/document/form/field.hpp"
#include "scenarios/document/form/figures.hpp"

namespace rackcast::doc {

/// Collects the described structs that a document is made of, each once, in the order in which they are met.
class Definitions {
 public:
  struct Definition {
    std::string name, meaning;
    nlohmann::ordered_json schema;
    std::vector<ReferenceRow> rows;
  };

  /// Adds S and what it is made of.
  template <Described S>
  void add() {
    const std::string name{Fields<S>::name};
    if (places_.contains(name)) return;
    const std::size_t place = definitions_.size();
    places_[name] = place;
    definitions_.push_back({name, std::string{meaning_of<S>()}, empty_object(), {}});
    Definition filled = definitions_.back();
    for_each_field<S>([&](const auto& field) {
      using Member = typename std::decay_t<decltype(field)>::Member;
      if constexpr (Described<Member>) {
        if (field.key.empty()) {
          add<Member>();
          take_in(filled, Fields<Member>::name, always_there(field));
          return;
        }
      }
      put(filled, field.key, schema_of<Member>(field.rule), field.meaning,
          always_there(field) && !may_be_missing(field));
      describe(filled, field.key, typed<Member>(field.rule), unit_text<Member>(field.rule), field.meaning,
               always_there(field));
    });
    definitions_[place] = std::move(filled);
  }

  /// The schema of the struct that was added first, which refers to the others.
  [[nodiscard]] Written schema(const std::string& title) const;
  /// A page in Markdown: a table for each struct, in the order in which they were met.
  [[nodiscard]] std::string reference() const;

 private:
  template <class S>
  static constexpr std::string_view meaning_of() {
    if constexpr (requires { Fields<S>::meaning; }) return Fields<S>::meaning;
    return {};
  }

  /// Not inlined, as typed() below: every field of a type shares it.
  template <class T>
  [[gnu::noinline]] nlohmann::ordered_json schema_of(const Rule& rule) {
    if constexpr (IsOptional<T>::value) {
      return or_null(schema_of<typename T::value_type>(rule));
    } else if constexpr (IsVector<T>::value) {
      return list_of(schema_of<typename T::value_type>(rule));
    } else if constexpr (HasCustom<T>) {
      if constexpr (requires { Custom<T>::rows(); }) {
        const std::string name{Custom<T>::name};
        if (places_.try_emplace(name, definitions_.size()).second)
          definitions_.push_back(
              {name, std::string{Custom<T>::meaning}, Custom<T>::schema(), Custom<T>::rows()});
        return reference_to(name);
      }
      return Custom<T>::schema();
    } else if constexpr (std::is_enum_v<T>) {
      return text_schema({.words = Words<T>::list});
    } else if constexpr (Described<T>) {
      add<T>();
      return reference_to(Fields<T>::name);
    } else if constexpr (std::is_same_v<T, bool>) {
      return boolean_schema();
    } else if constexpr (std::is_arithmetic_v<T>) {
      return number_schema(std::is_integral_v<T>, rule);
    } else {
      return text_schema(rule);
    }
  }

  template <class T>
  static std::string type_of() {
    if constexpr (IsOptional<T>::value)
      return type_of<typename T::value_type>() + " or null";
    else if constexpr (IsVector<T>::value)
      return "list of " + type_of<typename T::value_type>();
    else if constexpr (HasCustom<T>)
      return std::string{Custom<T>::type};
    else if constexpr (Described<T>)
      return "[" + std::string{Fields<T>::name} + "](#" + std::string{Fields<T>::name} + ")";
    else if constexpr (std::is_same_v<T, bool>)
      return "true or false";
    else if constexpr (std::is_integral_v<T>)
      return "integer";
    else if constexpr (std::is_floating_point_v<T>)
      return "number";
    else
      return "text";
  }

  /// The type, or the words that the text may be.
  template <class T>
  [[gnu::noinline]] static std::string typed(const Rule& rule) {
    return rule.words.empty() ? type_of<T>() : "one of " + std::string{rule.words};
  }

  /// Only numbers and predictions have a unit.
  template <class M>
  [[gnu::noinline]] static std::string unit_text(const Rule& rule) {
    using T = typename Inner<M>::type;
    constexpr bool counts = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
    return (counts || std::is_same_v<T, Prediction>)&&unit_of(rule) != "1" ? std::string{unit_of(rule)} : "";
  }

  static nlohmann::ordered_json or_null(nlohmann::ordered_json schema);
  static nlohmann::ordered_json number_schema(bool whole, const Rule& rule);
  static nlohmann::ordered_json text_schema(const Rule& rule);
  static nlohmann::ordered_json boolean_schema();
  static nlohmann::ordered_json empty_object();
  /// Takes in the properties of another struct, which the document may lack unless `always`.
  void take_in(Definition& definition, std::string_view name, bool always) const;
  /// Puts a property at its dotted path.
  static void put(Definition& definition, std::string_view path, nlohmann::ordered_json schema,
                  std::string_view meaning, bool required);
  /// Adds a row of the reference.
  static void describe(Definition& definition, std::string_view key, std::string type, std::string unit,
                       std::string_view meaning, bool always);
  static nlohmann::ordered_json list_of(nlohmann::ordered_json schema);
  static nlohmann::ordered_json reference_to(std::string_view name);

  std::vector<Definition> definitions_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace rackcast::doc
