#include "topologies/catalog/spec_reader.hpp"

#include <fmt/format.h>

namespace rackcast {

Maybe<int> SpecReader::count(std::string_view key, int low, int high) const {
  return maybe<int>(key, [&](const Fact& fact) {
    const std::int64_t number = fact.value().integer();
    if (number < low || number > high) {
      fact.value().fail(
          fmt::format("\"{}\" must lie between {} and {}, and it is {}", fact.key(), low, high, number));
    }
    return static_cast<int>(number);
  });
}

Maybe<double> SpecReader::number(std::string_view key) const {
  return maybe<double>(key, [](const Fact& fact) { return fact.number(); });
}

Maybe<std::string> SpecReader::text(std::string_view key) const {
  return maybe<std::string>(key, [](const Fact& fact) { return fact.text(); });
}

}  // namespace rackcast
