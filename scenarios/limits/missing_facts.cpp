#include "scenarios/limits/missing_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace rackcast {

std::string missing_text(std::string_view fact, const std::vector<std::string>& items) {
  constexpr std::size_t most = 2;
  const auto shown = std::span(items).first(std::min(most, items.size()));
  std::string out = fmt::format("the {} of {}", fact, fmt::join(shown, ", "));
  if (items.size() > most) out += fmt::format(" and {} more", items.size() - most);
  return out;
}

std::string missing_text(const MissingFacts& missing, bool energy) {
  std::string out;
  const auto add = [&out](std::string_view fact, const std::vector<std::string>& items) {
    if (!items.empty()) out += (out.empty() ? "" : "; ") + missing_text(fact, items);
  };
  add("price", missing.prices);
  if (energy) add("power", missing.power);
  add("rack units", missing.units);
  return out;
}

std::string_view at_least(bool leaves_out) {
  return leaves_out ? "at least " : "";
}

}  // namespace rackcast
