/// Numbers with units: digits, a point, an exponent; then the unit. Nothing depends on the locale.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "sim/base/error.hpp"
#include "sim/base/utf8.hpp"
#include "sim/units/dimension_text.hpp"
#include "sim/units/quantity_text.hpp"
#include "sim/units/unit_hint.hpp"

namespace rackcast {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

/// The length of the number that `text` starts with; 0 if it does not start with one. The grammar is that of
/// JSON but for leading zeros; so "inf", "nan", "0x10", ".5" and "+1" are none.
std::size_t number_length(std::string_view text) {
  std::size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
  std::size_t end = skip_digits(text, at);
  if (end == at) return 0;
  if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) end = skip_digits(text, end + 1);
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    at = end + 1;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent_end = skip_digits(text, at);
    if (exponent_end > at) end = exponent_end;  // else the E starts a unit, as in "5EB"
  }
  return end;
}

/// The number without what people put between groups of digits; empty if that is not what is wrong.
std::string without_separators(std::string_view text) {
  std::string number;
  bool removed = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool between = i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]);
    if (between && (text[i] == ',' || text[i] == '_' || text[i] == '\'' || text[i] == ' ')) {
      removed = true;
    } else {
      number += text[i];
    }
  }
  return removed ? number : std::string{};
}

[[noreturn]] void fail_number(std::string_view text) {
  const std::string hint = "write a number and a unit, such as \"104 TB\" or \"1.5e3 GB/s\"";
  if (text.empty()) throw Error{"the quantity is empty", {}, hint};
  std::string_view rest = text;
  if (rest[0] == '.' && rest.size() > 1 && is_digit(rest[1])) {
    throw Error{fmt::format("{} does not start with a digit", in_quotes(text)),
                {},
                fmt::format("write \"0{}\"", printable(text))};
  }
  if (rest[0] == '+') {
    throw Error{fmt::format("{} starts with a plus sign", in_quotes(text)), {}, "leave the plus sign out"};
  }
  throw Error{fmt::format("{} does not start with a number", in_quotes(text)), {}, hint};
}

double to_number(std::string_view digits, std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value)) {
    throw Error{fmt::format("the number in {} is out of range", in_quotes(text))};
  }
  return value;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// What stands between number and unit when it can be no unit: a comma, a second number.
void reject_bad_separators(std::string_view rest, std::string_view whole) {
  if (rest.empty() || rest[0] == '/') return;
  const std::string_view next = trimmed(rest);
  const bool continues = rest[0] == ',' || rest[0] == '_' || rest[0] == '\'' || rest[0] == '.';
  if (!continues && !is_digit(next[0])) return;
  if (next.starts_with("1/")) return;  // "5 1/h" is a rate
  const std::string plain = without_separators(whole);
  throw Error{fmt::format("{} is not one number and a unit", in_quotes(whole)),
              {},
              plain.empty()
                  ? "write a point before the fraction and nothing between groups of digits"
                  : fmt::format("write \"{}\": a point before the fraction, nothing between groups of digits",
                                printable(plain))};
}

AnyQuantity parse(std::string_view text, const std::optional<Dimension>& wanted) {
  const std::string_view whole = trimmed(text);
  const std::size_t length = number_length(whole);
  if (length == 0) fail_number(whole);
  const std::string_view rest = whole.substr(length);
  reject_bad_separators(rest, whole);
  const double number = to_number(whole.substr(0, length), whole);
  if (trimmed(rest).empty()) return {number, dimensionless};
  const AnyQuantity unit = parse_unit(rest, wanted);
  const double base = number * unit.base;
  if (!std::isfinite(base)) throw Error{fmt::format("the number in {} is out of range", in_quotes(whole))};
  return {base, unit.dimension};
}

}  // namespace

AnyQuantity parse_any_quantity(std::string_view text) {
  return parse(text, std::nullopt);
}

AnyQuantity parse_any_quantity(std::string_view text, Dimension wanted) {
  return parse(text, wanted);
}

void require_dimension(std::string_view text, const AnyQuantity& any, Dimension wanted) {
  if (any.dimension == wanted) return;
  if (any.dimension == dimensionless) {
    const std::string_view unit = usual_unit(wanted);
    throw Error{fmt::format("{} needs a unit: {} is expected", in_quotes(text), dimension_name(wanted)),
                {},
                unit.empty()
                    ? "write it as " + describe(wanted)
                    : fmt::format("write \"{} {}\" or another unit of the kind", printable(text), unit)};
  }
  throw Error{fmt::format("{} is {}, but {} is expected", in_quotes(text), dimension_name(any.dimension),
                          dimension_name(wanted)),
              {},
              "write " + describe(wanted)};
}

}  // namespace rackcast
