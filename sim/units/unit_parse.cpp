/// Units: terms joined by "/" and "*", a term being a named unit with an optional power ("m2", "s^2").
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/near_matches.hpp"
#include "sim/base/utf8.hpp"
#include "sim/units/unit_hint.hpp"
#include "sim/units/unit_table.hpp"

namespace rackcast {
namespace {

constexpr std::size_t longest_unit = 64;

std::string_view trimmed_unit(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

struct Spelling {
  std::string_view wrong;
  std::string_view right;
};

// Spellings that people write and that near_matches would not lead to the right one.
constexpr Spelling spellings[] = {
    {"$", "USD"},        {"dollars", "USD"}, {"sq m", "m2"},      {"sqm", "m2"},       {"K", "kB or KiB"},
    {"hr", "h"},         {"hrs", "h"},       {"yr", "years"},     {"y", "years"},      {"mo", "months"},
    {"w", "W or weeks"}, {"watt", "W"},      {"watts", "W"},      {"kilowatts", "kW"}, {"kw", "kW"},
    {"FLOPS", "FLOP/s"}, {"FLOPs", "FLOP"},  {"OPS", "OP/s"},     {"OPs", "OP"},       {"lb", "kg"},
    {"mbit", "Mbit"},    {"gbit", "Gbit"},   {"flops", "FLOP/s"}, {"bps", "bit/s"},    {"Bps", "B/s"},
    {"msec", "ms"},      {"usec", "us"},     {"m²", "m2"},        {"hz", "Hz"},        {"kwh", "kWh"},
};

bool is_ambiguous_bit_or_byte(std::string_view name) {
  return name == "b" || name == "gb" || name == "Gb" || name == "mb" || name == "Mb" || name == "kb" ||
         name == "Kb" || name == "tb" || name == "Tb" || name == "pb" || name == "Pb" || name == "gB" ||
         name == "tB" || name == "mB" || name == "Gib" || name == "Mib" || name == "Kib" || name == "Tib" ||
         name == "eb" || name == "Eb" || name == "pB";
}

[[noreturn]] void fail_ambiguous(std::string_view name) {
  std::string prefix{name.substr(0, name.size() - 1)};
  if (!prefix.empty()) prefix[0] = prefix[0] == 'k' || prefix[0] == 'K' ? 'k' : prefix[0];
  if (!prefix.empty() && prefix[0] >= 'a' && prefix[0] != 'k')
    prefix[0] = static_cast<char>(prefix[0] - 'a' + 'A');
  if (prefix == "ki") prefix = "Ki";
  throw Error{fmt::format("the unit {} is ambiguous: bits or bytes?", in_quotes(name)),
              {},
              fmt::format("write \"{0}B\" for bytes or \"{0}bit\" for bits", prefix)};
}

/// "GBps" is "GB/s": the spelling that the unit most likely stands for, or nothing.
std::optional<std::string> likely_spelling(std::string_view name) {
  for (const Spelling& s : spellings) {
    if (name == s.wrong) return std::string{s.right};
  }
  for (const std::string_view suffix : {"ps", "PS", "S"}) {
    if (!name.ends_with(suffix)) continue;
    std::string stem{name.substr(0, name.size() - suffix.size())};
    if (suffix == "PS") stem += 'P';
    if (stem.ends_with('b')) stem += "it";
    if (find_named_unit(stem) != nullptr && stem.size() > 1) return stem + "/s";
  }
  if (name.ends_with("FLOPs")) return std::string{name.substr(0, name.size() - 1)};
  return std::nullopt;
}

/// `wanted`: only units of this dimension are suggested.
[[noreturn]] void fail_unknown(std::string_view name, const std::optional<Dimension>& wanted) {
  if (name == "KB") {
    throw Error{"the unit \"KB\" is ambiguous: 1000 or 1024 bytes?",
                {},
                "write \"kB\" for 1000 bytes or \"KiB\" for 1024"};
  }
  if (name == "EUR" || name == "€" || name == "GBP" || name == "JPY") {
    throw Error{fmt::format("unknown currency {}", in_quotes(name)), {}, "write amounts of money in USD"};
  }
  const std::string message = fmt::format("unknown unit {}", in_quotes(name));
  if (const auto right = likely_spelling(name)) throw Error{message, {}, fmt::format("write \"{}\"", *right)};
  std::vector<std::string_view> names;
  for (const NamedUnit& unit : named_units())
    if (!wanted || unit.dimension == *wanted) names.push_back(unit.name);
  std::string hint;
  if (name.size() > 1) hint = did_you_mean(name, std::span<const std::string_view>{names});
  if (hint.empty() && wanted) hint = "write " + describe(*wanted);
  if (hint.empty())
    hint = "units look like \"TB\", \"GB/s\", \"Gbit/s\", \"TFLOP/s\", \"kW\", \"days\", \"USD/kWh\"";
  throw Error{message, {}, hint};
}

AnyQuantity parse_named(std::string_view name, const std::optional<Dimension>& wanted) {
  if (is_ambiguous_bit_or_byte(name)) fail_ambiguous(name);
  const NamedUnit* unit = find_named_unit(name);
  if (unit == nullptr) fail_unknown(name, wanted);
  return {unit->factor, unit->dimension};
}

AnyQuantity parse_term(std::string_view term, const std::optional<Dimension>& wanted) {
  int power = 1;
  std::string_view name = term;
  if (name.size() > 1 && (name.back() == '2' || name.back() == '3')) {
    power = name.back() - '0';
    name.remove_suffix(1);
    if (name.size() > 1 && name.back() == '^') name.remove_suffix(1);
  }
  const AnyQuantity once = parse_named(name, wanted);
  AnyQuantity result = once;
  for (int i = 1; i < power; ++i) result = {result.base * once.base, result.dimension + once.dimension};
  return result;
}

}  // namespace

AnyQuantity parse_unit(std::string_view unit) {
  return parse_unit(unit, std::nullopt);
}

AnyQuantity parse_unit(std::string_view unit, const std::optional<Dimension>& wanted) {
  const std::string_view whole = trimmed_unit(unit);
  if (whole.empty()) throw Error{"the unit is missing"};
  if (whole.size() > longest_unit) throw Error{fmt::format("unknown unit {}", in_quotes(whole))};
  AnyQuantity result{1, dimensionless};
  char joint = '*';
  for (std::size_t at = 0;;) {
    const std::size_t end = std::min(whole.find_first_of("/*", at), whole.size());
    const std::string_view term = trimmed_unit(whole.substr(at, end - at));
    // "/s" and "1/s" count per second: only the very first term may be empty or a one.
    const bool one = at == 0 && (term.empty() || term == "1") && end < whole.size() && whole[end] == '/';
    if (term.empty() && !one)
      throw Error{fmt::format("a unit is missing beside \"{}\" in {}", joint, in_quotes(whole))};
    const AnyQuantity next =
        one ? AnyQuantity{1, dimensionless} : parse_term(term, whole == term ? wanted : std::nullopt);
    result = joint == '*' ? AnyQuantity{result.base * next.base, result.dimension + next.dimension}
                          : AnyQuantity{result.base / next.base, result.dimension - next.dimension};
    if (end == whole.size()) break;
    joint = whole[end];
    at = end + 1;
  }
  return result;
}

}  // namespace rackcast
