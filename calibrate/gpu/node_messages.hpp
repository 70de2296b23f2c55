#pragma once
/// Messages that the leader and the followers of a NodeGroup have in common. Private to calibrate/gpu.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "calibrate/gpu/gpu_driver.hpp"

namespace rackcast {

/// The number is raised with every change of the messages.
inline constexpr std::string_view node_greeting = "rackcast calibrate 1";

inline nlohmann::json outcome_json(const GpuOutcome& outcome) {
  return {{"error", outcome.error}, {"fatal", outcome.fatal}};
}

inline constexpr int most_gpus_of_node = 1024, most_nodes = 65'536;
inline constexpr double most_seconds = 1e9;  ///< of one call

/// The whole number at `key`, from `low` to `high`. Throws Error for anything else. (The JSON library would
/// cast whatever number is there.)
std::int64_t whole_number(const nlohmann::json& message, const char* key, std::int64_t low,
                          std::int64_t high);
/// The same of a number that has no key.
std::int64_t whole_number(const nlohmann::json& number, std::int64_t low, std::int64_t high);

/// GPUs that collectives can use; 0 with a `reason` if there are none.
int usable_gpus(GpuDriver* driver, std::string& reason);

}  // namespace rackcast
