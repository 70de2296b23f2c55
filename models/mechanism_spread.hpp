#pragma once
/// Spreads of mechanisms, beside the spreads of kernels, framework profiles and collectives. A mechanism is
/// an effect that the models simplify, such as what nodes lose to each other.
///
/// Each spread is a standard deviation of ln(measured / predicted). A figure gets it in quadrature where the
/// mechanism is at work. `rackcast calibrate spreads` fits all of them together
/// (models/data/mechanism_spreads.json).
#include <array>
#include <optional>
#include <string_view>

namespace rackcast {

enum class Mechanism {
  forward_pass,         ///< a forward pass alone, which profiles of training were not fitted on
  generation,           ///< passes of a server of language models: what scheduler and cache do besides
  several_nodes,        ///< a training step over several nodes: what nodes lose to each other
  split_in_node,        ///< a network split over GPUs of one node
  split_between_nodes,  ///< a network split over the GPUs of several nodes
  collective_in_node,   ///< a collective of GPUs in one node: libraries and links that no fit has seen
  loss_scaling,         ///< training in 16 bits on GPUs without bf16: casts, scaled losses, short steps
  serving_power,        ///< GPUs that serve: they do not run their kernels all the time
  first_token,          ///< time to the first token: how servers poll, gather prompts and start, not stated
  split_phases,  ///< first tokens where prompts and answers have servers of their own: hand-over, queues
};
inline constexpr std::array all_mechanisms{Mechanism::forward_pass,        Mechanism::generation,
                                           Mechanism::several_nodes,       Mechanism::split_in_node,
                                           Mechanism::split_between_nodes, Mechanism::collective_in_node,
                                           Mechanism::loss_scaling,        Mechanism::serving_power,
                                           Mechanism::first_token,         Mechanism::split_phases};

/// As models/data/mechanism_spreads.json writes it: "forward_pass".
std::string_view to_string(Mechanism mechanism);
std::optional<Mechanism> mechanism_called(std::string_view name);

/// The spread of a mechanism (models/data/mechanism_spreads.json).
double mechanism_log_sigma(Mechanism mechanism);

/// The spread for a network whose copies take `gpus_of_copy` GPUs each, on nodes of `gpus_of_node` GPUs:
/// split_in_node, split_between_nodes, or 0 for copies on one GPU.
double split_log_sigma(int gpus_of_copy, int gpus_of_node);

}  // namespace rackcast
