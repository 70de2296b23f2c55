#pragma once
/// Why something in a document is as it is: a code, with the names and numbers that its sentence needs.
/// The kinds below make the writer, the reader, the JSON schema and the reference page of reasons;
/// reports/sentences has the sentence of each.
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "scenarios/document/form/any.hpp"

namespace rackcast::doc {

struct ReasonKind {
  /// Keys are separated by spaces. One that ends in "?" may be absent. The ending of a number is its unit
  /// (unit_of).
  std::string_view code, texts, numbers, meaning;
};
std::span<const ReasonKind> reason_kinds();

class Reason {
 public:
  using Value = std::variant<double, std::string>;
  struct Fact {
    Fact(std::string_view k, std::string text) : key{k}, value{std::move(text)} {}
    Fact(std::string_view k, std::string_view text) : key{k}, value{std::string{text}} {}
    Fact(std::string_view k, const char* text) : key{k}, value{std::string{text}} {}
    template <class Number>
    requires std::is_arithmetic_v<Number> Fact(std::string_view k, Number number)
        : key{k}, value{static_cast<double>(number)} {}
    /// Absent where there is no value.
    template <class Number>
    Fact(std::string_view k, std::optional<Number> number) : key{number ? k : std::string_view{}} {
      if (number) value = static_cast<double>(*number);
    }

    std::string key;
    Value value;
    bool operator==(const Fact&) const = default;
  };

  Reason() = default;
  /// Throws std::logic_error unless the facts are those of the code's kind.
  explicit Reason(std::string_view code, std::initializer_list<Fact> facts = {},
                  std::vector<Reason> parts = {});

  [[nodiscard]] const std::string& code() const { return code_; }
  [[nodiscard]] const std::vector<Fact>& facts() const { return facts_; }
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  /// The fact must be there, which the reader and the constructor have checked.
  [[nodiscard]] double number(std::string_view key) const;
  [[nodiscard]] std::optional<double> number_if(std::string_view key) const;  ///< nothing: absent
  [[nodiscard]] const std::string& text(std::string_view key) const;
  bool operator==(const Reason&) const = default;

  std::vector<Reason> parts;  ///< reasons that it consists of, or what is to be added

 private:
  friend struct Custom<Reason>;
  [[nodiscard]] const Fact* find(std::string_view key) const;
  /// What is wrong with the facts; empty: nothing.
  [[nodiscard]] std::string fault() const;

  std::string code_;
  std::vector<Fact> facts_;
};

}  // namespace rackcast::doc
