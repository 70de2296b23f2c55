#pragma once
/// Fine-tuning with low-rank adapters: E. Hu et al., "LoRA", arXiv 2106.09685, 2021.
///
/// A product y = W x gets a second way, y = W x + B (A x), with A of r rows and B of r columns. A and B alone
/// are trained: the other weights need no gradients, no sum of them over replicas and no update. Gradients of
/// activations still pass through the whole network.
#include "models/networks/operator.hpp"

namespace rackcast {

struct LowRankSpec {
  int rank = 0;      ///< r; 0: the whole network is trained
  bool mlp = false;  ///< the MLP's products have adapters as well as those of attention
};

/// The network with all its own parameters frozen and adapters beside the products of its layers. Throws
/// Error if the rank is negative, or if no product of the network can have an adapter.
Workload with_adapters(const Workload& network, const LowRankSpec& spec);

}  // namespace rackcast
