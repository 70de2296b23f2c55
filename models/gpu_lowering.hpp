#pragma once
/// From an operator of a network to the library calls that a framework makes for it.
#include <vector>

#include "models/gpu_kernel.hpp"
#include "models/operator.hpp"

namespace rackcast {

struct LoweringOptions {
  LibraryGeneration library = LibraryGeneration::cudnn8;
  /// Attention in one kernel that keeps no scores (FlashAttention, Dao et al. 2022) instead of two products,
  /// a softmax and maps between them.
  bool fused_attention = false;
  bool winograd = true;  ///< cuDNN has these kernels since version 5
};

/// The calls of one pass of `op` for `batch` samples; empty where the pass does not exist.
///
/// Traffic of bandwidth-bound operators, in reads and writes of their maps: batch normalisation 3 forward and
/// 5 backward (statistics need a pass of their own), layer normalisation 2 and 5, max pooling 2 and 4, an
/// activation 2 and 3, a sum of branches 3 and 3 (backward: the gradients of a fork are added), softmax 2
/// and 3.
std::vector<KernelCall> lower(const Operator& op, Pass pass, double batch, Precision precision,
                              const GpuRates& gpu, const LoweringOptions& options);

}  // namespace rackcast
