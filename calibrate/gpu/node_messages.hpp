#pragma once
/// Messages that the leader and the followers of a NodeGroup have in common. Private to calibrate/gpu.
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

/// GPUs that collectives can use; 0 with a `reason` if there are none.
int usable_gpus(GpuDriver* driver, std::string& reason);

}  // namespace rackcast
