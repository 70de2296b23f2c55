#pragma once
/// The mixer of Mamba-2 (T. Dao, A. Gu, "Transformers are SSMs", ICML 2024, arXiv:2405.21060).
///
/// One product makes gate, input, B, C and step sizes of every token; a convolution over four tokens, a
/// channel at a time, follows. The scan is cut into chunks of Q tokens, and is four batched products (section
/// 6, listing 1): C B' within a chunk, that times the input, the chunk's state, and what the state before it
/// adds to the output; states (heads x head_dim x state, in fp32) are passed from chunk to chunk. Per token:
///
///     FLOP = 2 Q state groups + heads (2 Q head_dim + 4 head_dim state)
///
/// A norm with the gate and a product back to the width of the layer end it. Products of the scan keep 16
/// bits: its kernels are Triton's (github.com/state-spaces/mamba, ops/triton/ssd_combined.py).
#include "models/networks/network_builder.hpp"

namespace rackcast {

struct StateSpaceSpec {
  std::int64_t heads = 1, head_dim = 64, state = 128;
  std::int64_t groups = 1;   ///< heads of a group share B and C
  std::int64_t chunk = 128;  ///< Q; mamba_chunk_size of Megatron-Core, chunk_size of Nemotron-H
};

Flow add_state_space(NetworkBuilder& network, const Flow& x, const StateSpaceSpec& spec);

}  // namespace rackcast
