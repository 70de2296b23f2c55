#pragma once
/// Time of one library call on one GPU as a closed form of its shape.
///
/// A matrix product of m x n x k is cut into tiles of tm x tn, each computed by one thread block:
///
///   blocks   = ceil(m/tm) ceil(n/tn) count splits                thread blocks of the launch
///   q        = (1 + a/64) / (1 + a (1/tm + 1/tn))                efficiency of the tile; 1 at 128 x 128
///   block    = 2 tm tn (ceil(k/splits) + k0) / (peak e q / SMs)  seconds of a block
///   round(c) = block (c w + h) / w / (1 + h/16)                  an SM with c blocks of w warps
///   compute  = full rounds x round(resident) + round(left)       blocks that an SM holds, or has left
///   memory   = (least traffic + partial sums of split-k) / b
///   cache    = blocks (tm + tn) (k/splits) element bytes / (bandwidth of the cache)
///   busy     = (compute^4 + memory^4 + cache^4)^(1/4)
///   power    = 2 m n k count / (peak p) + least traffic t / pin rate of the memory
///   time     = launch + (busy^8 + power^8)^(1/8)
///
/// `time` is the least over a short menu of tiles and splits. An SM that holds fewer blocks in the last round
/// hides less latency, which h describes. Large products on matrix units take all the power that the board
/// may draw, and its clock falls: `power` is the energy of their arithmetic and of their bytes over that
/// power, whatever their tiles are. (AIConfigurator's boards draw their limit from a third of the peak rate
/// on.) Fitted are e, a, k0, h, b, p, t and the bandwidth of the cache (KernelParameter, traffic_power).
///
/// Products of many matrices (count > 1) have one tile and no split where a library has one kernel for them.
///
/// This quantises by tiles and by waves over the SMs, loses efficiency on thin matrices and short k, and lets
/// split-k fill the GPU. A convolution is such a product in disguise (Chetlur et al., "cuDNN", 2014):
/// forward m = n oh ow, n = k, k = c r s; the gradients permute these. 3x3 (and 5x5) filters with stride 1
/// may instead use Winograd's F(2x2) fused, or F(4x4) with its transforms as extra traffic (Lavin & Gray,
/// CVPR 2016). A recurrent cell is a chain of dependent products. Everything else is traffic over an
/// achievable bandwidth, or, where threads read and write numbers one at a time, numbers over the rate at
/// which an SM does that, if that takes longer.
///
/// Attention in one kernel (FlashAttention, Dao et al., arXiv 2205.14135 and 2307.08691) takes 128 of the m
/// queries into a block, which meets the keys it may see, v of n, of depth k:
///
///   block   = f 128 (v + k0) k (1 + a/k) (1 + c) (1 + w) / (peak e / SMs)   f = 4 forward, 10 backward
///   compute = ceil(blocks / SMs) block
///
/// where c is paid with a causal mask and w with heads deeper than 64. Queries stand at the end of the keys:
/// under the mask v = n - m/2 + 64, since tiles on the diagonal are computed whole.
///
/// Attention of one new token for each of many requests reads the keys and values of all tokens before:
///
///   compute = 4 heads' n k count / (peak e)      m heads share them, made up to whole tiles: heads'
///   time    = launch + (compute^4 + (bytes / (bandwidth b))^4)^(1/4)
///
/// The experts of a layer run as one call of a server: rows are gathered, multiplied up, activated,
/// multiplied down, and summed. `count` experts of width n are met, each by m rows of width k:
///
///   compute = least over tm of  2 matrices n k count tm ceil(m/tm) (1 + a/tm) / (1 + a/128) / (peak e)
///   weights = matrices n k count element bytes / (bandwidth b)
///   rows    = bytes of the rows between the parts / (bandwidth r)
///   time    = launch + (compute^4 + (weights + rows)^4)^(1/4)
///
/// The last two forms have no published source; their numbers are fitted on AIConfigurator's tables.
#include <array>
#include <cstddef>
#include <limits>
#include <string_view>

#include "models/gpu/rates.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// Library calls that share a form and a set of fitted parameters.
enum class KernelClass {
  gemm,
  conv_forward,
  conv_data_gradient,
  conv_weight_gradient,
  recurrent_forward,
  recurrent_data_gradient,
  elementwise,
  softmax,
  norm,
  embedding,
  flash1_forward,
  flash1_backward,
  flash2_forward,
  flash2_backward,
  decode_attention,         ///< one new token for each request; a few heads share keys and values
  latent_decode_attention,  ///< the same where all heads share one latent vector per token
  experts,                  ///< all experts of a layer, as servers run them
};
inline constexpr std::size_t kernel_class_count = 17;
std::string_view to_string(KernelClass);
KernelClass parse_kernel_class(std::string_view name);  ///< Error lists the known names
bool is_convolution(KernelClass);
bool is_recurrent(KernelClass);
bool is_attention(KernelClass);         ///< of whole prompts or sentences, in one kernel
bool is_decode_attention(KernelClass);  ///< of one new token for each request
/// Classes that were measured on matrix units alone: both kinds of attention, and experts.
bool needs_matrix_units(KernelClass);
bool is_bandwidth_bound(KernelClass);  ///< elementwise, softmax, norm, embedding

/// `count` independent products of m x n x k in one launch.
struct MatrixShape {
  double m = 0, n = 0, k = 0, count = 1;
};

/// n images of c x h x w, k filters of c/groups x r x s, output oh x ow.
struct ConvolutionShape {
  double n = 0, c = 0, h = 0, w = 0, k = 0, r = 0, s = 0, stride_h = 1, stride_w = 1, oh = 0, ow = 0,
         groups = 1;
};

/// 3x3 filters of stride 1 and one group, most of which run Winograd's kernels.
bool is_3x3(const ConvolutionShape&);

/// A framework that lets the library take the scratch that it likes.
inline constexpr Bytes unlimited_workspace{std::numeric_limits<double>::infinity()};

/// Which ways of computing a convolution of stride 1 a library has.
enum class ConvolutionAlgorithms {
  all,
  no_winograd,  ///< cuDNN before version 5
  transforms,   ///< Fourier transforms of whole maps alone (fbfft)
};

/// One call. Fields that the class does not need stay as they are.
struct KernelCall {
  KernelClass kind = KernelClass::elementwise;
  Arithmetic arithmetic = Arithmetic::fp32;
  FlopRate peak{0};          ///< of the unit that computes it on this GPU
  double element_bytes = 4;  ///< of an operand
  /// gemm, recurrent (one step), attention (queries, keys, depth, heads), decode attention (heads that share
  /// keys, keys, depth, sets of keys), experts (rows of each, its width, width of a row, experts met).
  MatrixShape matrix;
  ConvolutionShape conv;
  double steps = 1;         ///< recurrent: dependent products
  double moved_bytes = 0;   ///< bandwidth-bound classes: least traffic; decode attention: keys and values
  double single_words = 0;  ///< bandwidth-bound: numbers that threads read or write one at a time; 0: wide
  double matrices = 3;      ///< experts: of an expert's weights
  double result_bytes = 0;  ///< gemm: of an element of the result; 0: as an operand's
  double cached_bytes = 0;  ///< gemm, convolution: of what would be moved, that lie in the cache
  ConvolutionAlgorithms algorithms = ConvolutionAlgorithms::all;
  Bytes workspace = unlimited_workspace;  ///< convolution: scratch that the library may use
  bool fused_groups = true;               ///< grouped convolution in one launch (since cuDNN 7)
  bool causal = false;                    ///< attention: a query sees no later key
};

/// Fitted numbers of one kernel class, architecture and library generation.
enum class KernelParameter : std::size_t {
  peak_fraction,       ///< e: of the peak rate, on 128 x 128 tiles with 16 warps on each SM
  operand_cost,        ///< a: extra work per tile edge, in rows
  prologue_depth,      ///< k0: start and end of a block, in steps of k; attention: in keys
  latency_warps,       ///< h: warps that would hide half of the latency
  launch,              ///< microseconds: fixed time of a call (of a step for recurrent classes)
  bandwidth_fraction,  ///< b: of the memory's pin rate
  cache_ratio,         ///< bandwidth of the cache over that of the memory
  split,               ///< microseconds: second pass of split-k
  winograd_2x2,        ///< efficiency of the fused Winograd kernel against e
  winograd_4x4,        ///< of the products within the unfused one
  stride_saving,       ///< data gradient: work is divided by (stride_h stride_w)^this, filters above 1x1
  narrow_penalty,      ///< added part of the time: matrix units when an operand has fewer than 8 channels;
                   ///< recurrent steps of 17 to 32 samples, where cuBLAS 8 picks a kernel slower than that
                   ///< for 64
  cache_reuse,     ///< bandwidth-bound: caches' worth of traffic that never reaches memory
  causal_penalty,  ///< attention: added part of the time under a causal mask
  wide_penalty,    ///< attention: added part of the time with heads deeper than 64
  power_fraction,  ///< p: gemm on matrix units: of the peak rate, where arithmetic alone draws the limit
  row_bandwidth,   ///< r: experts: of the memory's pin rate, for rows that are gathered and summed
};
inline constexpr std::size_t kernel_parameter_count = 17;

struct KernelParameters {
  std::array<double, kernel_parameter_count> values{};
  /// Rows and columns of the one tile that a library has for products of many matrices, which it never
  /// splits; 0: it chooses among all tiles and splits as for one matrix. Read from names of kernels, not
  /// fitted.
  double batched_rows = 0, batched_columns = 0;
  /// Convolutions on matrix units: of the peak rate, what the board's power allows its products for longer
  /// than the burst that was timed; 0: the numbers hold that limit.
  double power_share = 0;
  /// t: products and convolutions on matrix units: of the board's power limit, what memory traffic at the
  /// pin rate takes; 0: not known.
  double traffic_power = 0;

  [[nodiscard]] double operator[](KernelParameter p) const { return values[static_cast<std::size_t>(p)]; }
  double& operator[](KernelParameter p) { return values[static_cast<std::size_t>(p)]; }
};

/// Name in files, what is expected before any measurement, and the spread of its logarithm.
struct KernelParameterInfo {
  std::string_view name;
  double expected, log_spread;
  bool microseconds = false;  ///< a pure number otherwise
};
const KernelParameterInfo& info(KernelParameter);
bool uses(KernelClass, Arithmetic, KernelParameter);  ///< whether the form of this class reads the parameter
KernelParameters expected_parameters();

/// Seconds of one call and of its parts had the others cost nothing. `compute` is arithmetic or the operands'
/// way from the caches to it, or the energy of a product over the power limit, whichever is longest: the
/// multiprocessors are at work, and the memory is not.
struct KernelTime {
  double total = 0, compute = 0, memory = 0, launch = 0;
};

/// (a^8 + b^8)^(1/8): the larger of two, slightly more where they are alike.
double norm8(double a, double b);

/// Whether matrix products have a tile of `rows` x `columns`.
bool is_product_tile(double rows, double columns);

/// All rates of `gpu` that the class needs must be positive (GpuCostModel::create checks them).
KernelTime kernel_time(const KernelCall& call, const GpuRates& gpu, const KernelParameters& parameters);

/// The plain roofline for comparison: max(arithmetic at the peak rate, least traffic at the pin rate).
double roofline_seconds(const KernelCall& call, const GpuRates& gpu);

}  // namespace rackcast
