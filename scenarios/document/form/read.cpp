#include "scenarios/document/form/read.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/document/form/figures.hpp"

namespace rackcast::doc {

void check_number(const Json& json, double value, const Rule& rule) {
  constexpr double rounding = 1e-9;  // sums of shares may pass 1 by it
  if (value >= rule.least && value <= rule.most * (1 + rounding)) return;
  const bool positive = rule.least == std::numeric_limits<double>::min();
  std::string expected = rule.least == 0 ? "a number that is not negative"
                         : positive      ? "a number above zero"
                                         : fmt::format("at least {}", rule.least);
  if (rule.most < std::numeric_limits<double>::infinity())
    expected = fmt::format("a number from {} to {}", rule.least, rule.most);
  json.fail(fmt::format("expected {}, not {}", expected, value), std::string{damaged_hint});
}

std::size_t place_of_word(const Json& json, std::string_view words) {
  const std::string& word = json.string();
  std::size_t place = 0;
  for (std::string_view rest = words; !rest.empty(); ++place) {
    const std::string_view one = rest.substr(0, rest.find(' '));
    if (one == word) return place;
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
  }
  std::string list{words};
  for (std::size_t at = 0; (at = list.find(' ', at)) != std::string::npos; at += 2) list.replace(at, 1, ", ");
  json.fail(fmt::format("expected one of {}, not \"{}\"", list, word), std::string{damaged_hint});
}

const Json* find_path(const Json& object, std::string_view path, bool may_be_missing) {
  const Json* at = &object;
  while (!path.empty()) {
    const std::string_view key = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), key.size() + 1));
    const Json* inner = at->find(key);
    if (may_be_missing && (!inner || inner->is_null())) return nullptr;
    at = inner ? inner : &at->require(key);
  }
  if (at->is_null() && !may_be_missing) at->fail("expected a value, not null", std::string{damaged_hint});
  return at;
}

void check(const Prediction& p, const Json& json, const Rule& rule) {
  if (p.low > p.value || p.value > p.high)
    json.fail("an interval needs low <= value <= high", std::string{damaged_hint});
  if (p.median && (*p.median < p.low || *p.median > p.high))
    json.fail("the median must lie in the interval", std::string{damaged_hint});
  const std::string_view unit = unit_of(rule);
  if (!unit.empty() && p.unit != unit)
    json.fail(fmt::format("expected a prediction in \"{}\", not in \"{}\"", unit, p.unit),
              std::string{damaged_hint});
}

}  // namespace rackcast::doc
