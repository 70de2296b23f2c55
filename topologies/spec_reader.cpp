#include "topologies/spec_reader.hpp"

#include <fmt/format.h>

namespace rackcast {

Maybe<int> SpecReader::count(std::string_view key) const {
  return maybe<int>(key, [](const Fact& fact) {
    const std::int64_t number = fact.value().integer();
    if (number < 0 || number > 1'000'000'000) {
      fact.value().fail(fmt::format("\"{}\" must lie between 0 and 1e9", fact.key()));
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
