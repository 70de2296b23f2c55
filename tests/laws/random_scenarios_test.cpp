// Laws that hold for the answer to every scenario, on scenarios drawn at random. `./dev fuzz scenarios` draws
// more.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "tests/laws/answer_faults.hpp"
#include "tests/laws/random_scenario.hpp"

using namespace rackcast;

namespace {

constexpr double kMostSeconds = 60;  ///< of processor time, for any of these scenarios: they are small

std::uint64_t asked(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace

TEST_CASE(
    "every answer to a random scenario is possible, does not depend on how it is written, and gets no worse "
    "with more") {
  const Catalog catalog = Catalog::builtin();
  const ScenarioNames names = ScenarioNames::of(catalog);
  const std::uint64_t count = asked("RACKCAST_FUZZ_COUNT", 75), first = asked("RACKCAST_FUZZ_SEED", 1);
  const char* running = std::getenv("RACKCAST_FUZZ_RUNNING");  // keeps the scenario that ends the process
  std::uint64_t answered = 0, refused = 0, broken = 0;
  std::map<std::string, int> refusals;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const nlohmann::json scenario = random_scenario(seed, names, catalog);
    if (running) std::ofstream{running} << scenario.dump(1) << '\n';
    const DrawnAnswer answer = answer_to(scenario, catalog);
    answered += answer.end == DrawnAnswer::End::answered;
    refused += answer.end == DrawnAnswer::End::refused;
    if (answer.end == DrawnAnswer::End::refused) ++refusals[answer.message.substr(0, 60)];
    std::vector<std::string> faults = answer_faults(scenario, answer, seed, catalog);
    if (answer.seconds > kMostSeconds) faults.push_back(fmt::format("slow: {:.1f} s", answer.seconds));
    broken += !faults.empty();
    for (const std::string& fault : faults)
      MESSAGE(fmt::format("seed {}: {}\n{}", seed, fault, scenario.dump()));
    CHECK(faults.empty());
  }
  CHECK(answered > refused);  // else the generator draws nonsense, and this tests little
  if (running) {
    MESSAGE(fmt::format("{} scenarios: {} answered, {} refused, {} broke a law", count, answered, refused,
                        broken));
    for (const auto& [message, times] : refusals)
      MESSAGE(fmt::format("refused {} times: {}", times, message));
  }
}
