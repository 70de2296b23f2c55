#pragma once
/// Parts of the time of one steady step: forward 32 ms, backward 64 ms, exposed all-reduce 3 ms, ...
#include <array>
#include <string_view>

#include "sim/units/quantity.hpp"

namespace rackcast {

/// Seen by one GPU: of a pipeline, one of the slowest stage. The parts add up to `total`.
struct StepParts {
  Duration input_wait{0};
  Duration forward{0};
  Duration backward{0};
  Duration straggler_wait{0};       ///< for slower GPUs to come as far
  Duration activation_exchange{0};  ///< among the GPUs of one copy of a split network, not hidden
  Duration expert_exchange{0};      ///< tokens to experts on other GPUs and back, not hidden
  Duration pipeline_wait{0};        ///< while the pipeline fills and drains
  Duration exchange_wait{0};        ///< exchange of gradients that back-propagation does not hide
  Duration table_exchange{0};       ///< vectors of split tables, both ways (models/split/split_tables.hpp)
  Duration optimizer{0};
  Duration total{0};
  Duration exchange_busy{0};  ///< exchange of gradients in all, hidden or not; not part of the sum

  /// Sum of the parts that take longer if collectives are slower.
  [[nodiscard]] Duration network() const {
    return activation_exchange + expert_exchange + exchange_wait + table_exchange;
  }
};

struct StepPart {
  std::string_view name;
  Duration StepParts::*time;
  bool computes = false;  ///< the GPU runs kernels of the network meanwhile
  bool always = true;     ///< false: left out of tables where it is nothing
};

/// All parts in the order in which tables show them.
inline constexpr std::array step_part_list{
    StepPart{"waiting for input", &StepParts::input_wait},
    StepPart{"forward", &StepParts::forward, true},
    StepPart{"backward", &StepParts::backward, true},
    StepPart{"waiting for stragglers", &StepParts::straggler_wait, false, false},
    StepPart{"exchange of activations", &StepParts::activation_exchange, false, false},
    StepPart{"tokens to experts and back", &StepParts::expert_exchange, false, false},
    StepPart{"pipeline bubble", &StepParts::pipeline_wait, false, false},
    StepPart{"all-reduce, exposed", &StepParts::exchange_wait},
    StepPart{"exchange of table vectors", &StepParts::table_exchange, false, false},
    StepPart{"optimizer", &StepParts::optimizer, true},
};

}  // namespace rackcast
