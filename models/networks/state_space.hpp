#pragma once
/// The mixer of Mamba-2 (T. Dao, A. Gu, "Transformers are SSMs", ICML 2024, arXiv:2405.21060).
///
/// One product computes the gate, the input, B, C and the step sizes of every token. A convolution of each
/// channel over four tokens follows. The scan works on chunks of Q tokens and takes four batched products
/// (section 6, listing 1): C B' within a chunk, this times the input, the state of the chunk, and the part of
/// the output that follows from the state before the chunk. States (heads x head_dim x state, in fp32) are
/// passed from chunk to chunk. Per token:
///
///     FLOP = 2 Q state groups + heads (2 Q head_dim + 4 head_dim state)
///
/// At the end there are a norm with the gate and a product back to the width of the layer. The products of
/// the scan stay in 16 bits: its kernels are Triton's (github.com/state-spaces/mamba,
/// ops/triton/ssd_combined.py).
#include <string_view>

#include "models/networks/network_builder.hpp"

namespace rackcast {

struct StateSpaceSpec {
  std::int64_t heads = 1, head_dim = 64, state = 128;
  std::int64_t groups = 1;   ///< heads of a group share B and C
  std::int64_t chunk = 128;  ///< Q; mamba_chunk_size of Megatron-Core, chunk_size of Nemotron-H
};

/// The kind of the operators that pass over all tokens of one sequence: those of the scan, and what passes
/// the states on.
inline constexpr std::string_view scan_kind = "state_space", state_kind = "state_copy";

Flow add_state_space(NetworkBuilder& network, const Flow& x, const StateSpaceSpec& spec);

}  // namespace rackcast
