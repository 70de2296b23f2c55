#include "models/mechanism_spread.hpp"

#include <cstddef>

#include "models/data_files.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

constexpr std::array<std::string_view, all_mechanisms.size()> names{
    "forward_pass",       "generation",   "several_nodes", "split_in_node", "split_between_nodes",
    "collective_in_node", "loss_scaling", "serving_power", "first_token",   "split_phases"};

using Sigmas = std::array<double, all_mechanisms.size()>;

Sigmas read_sigmas() {
  const Json file = parse_model_data("mechanism_spreads.json");
  Sigmas out{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    ObjectReader in{file.require(names[i])};
    out[i] = in.number("value", 0, 5);
  }
  return out;
}

}  // namespace

std::string_view to_string(Mechanism mechanism) {
  return names[static_cast<std::size_t>(mechanism)];
}

std::optional<Mechanism> mechanism_called(std::string_view name) {
  for (const Mechanism mechanism : all_mechanisms)
    if (to_string(mechanism) == name) return mechanism;
  return std::nullopt;
}

double mechanism_log_sigma(Mechanism mechanism) {
  static const Sigmas known = read_sigmas();  // the file does not change while the program runs
  return known[static_cast<std::size_t>(mechanism)];
}

double split_log_sigma(int gpus_of_copy, int gpus_of_node) {
  if (gpus_of_copy < 2) return 0;
  return mechanism_log_sigma(gpus_of_copy > gpus_of_node ? Mechanism::split_between_nodes
                                                         : Mechanism::split_in_node);
}

}  // namespace rackcast
