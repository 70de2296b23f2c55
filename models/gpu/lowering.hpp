#pragma once
/// From an operator of a network to the library calls that a framework makes for it.
#include <string_view>
#include <vector>

#include "models/gpu/kernel.hpp"
#include "models/networks/operator.hpp"

namespace rackcast {

/// How a framework computes attention.
enum class AttentionKernel {
  unfused,  ///< two products, a softmax and maps between them
  flash1,   ///< one kernel that keeps no scores: FlashAttention and Triton's (2022)
  flash2,   ///< FlashAttention-2 (2023), with the instructions of Ampere on every later GPU
  native,   ///< the same with the GPU's own: FlashAttention-3, cuDNN 9, TensorRT
};

/// Whether maps of networks of convolutions lie channel by channel. Statistics over a batch then read and
/// write numbers one at a time (cuDNN, bn_fw_tr_1C11_kernel_NCHW and bn_bw_1C11_singleread).
enum class PlanarMaps {
  never,
  wide,  ///< those of 32 bits
  always,
};

struct LoweringOptions {
  LibraryGeneration library = LibraryGeneration::cudnn8;
  /// One kernel exists for 16 bits on tensor cores; elsewhere attention is unfused.
  AttentionKernel attention = AttentionKernel::unfused;
  ConvolutionAlgorithms algorithms = ConvolutionAlgorithms::all;
  Bytes workspace = unlimited_workspace;  ///< scratch that a convolution may use
  /// Look-ups in all tables are one kernel made for them, which streams rows as maps are streamed (FBGEMM,
  /// HugeCTR: D. Mudigere et al., arXiv 2104.05158, section 4.1); else a framework's general gather.
  bool fused_tables = false;
  PlanarMaps planar_maps = PlanarMaps::never;
  /// A thread of the framework's own pooling kernel reads the numbers of a window one by one, and going back,
  /// by the time that it takes, two for each (PyTorch, max_pool_forward_nhwc and max_pool_backward_nhwc).
  bool single_windows = false;
  /// Scripts pad a vocabulary to a multiple of 8 words (NVIDIA's for BERT and Megatron's do); else its
  /// product has the length that the network states.
  bool pads_rows = true;

  friend auto operator<=>(const LoweringOptions&, const LoweringOptions&) = default;
};

/// The calls of one pass of `op` for `batch` samples; empty where the pass does not exist.
///
/// Traffic of bandwidth-bound operators, in reads and writes of their maps: batch normalisation 3 forward and
/// 5 backward (statistics need a pass of their own), layer normalisation 2 and 5, normalisation of groups or
/// instances 3 and 5 (PyTorch: aten/src/ATen/native/cuda/group_norm_kernel.cu), max pooling 2 and 4, an
/// activation 2 and 3, a sum of branches 3 and 3 (backward: the gradients of a fork are added), branches laid
/// side by side 2 and 2 and, backward, the sum of their gradients, softmax 2 and 3.
std::vector<KernelCall> lower(const Operator& op, Pass pass, double batch, Precision precision,
                              const GpuRates& gpu, const LoweringOptions& options);

}  // namespace rackcast
