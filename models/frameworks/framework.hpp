#pragma once
/// Framework profile: the effects of a deep-learning framework on the kernels of a network. They are the pace
/// of the host, fusion, layout and optimizer.
///
/// Profiles are data (models/data/frameworks): few numbers, each with the cases it was fitted on, so that
/// these cases are never used to judge.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/frameworks/composed_operators.hpp"
#include "models/frameworks/host_section.hpp"
#include "models/frameworks/trainer_memory.hpp"
#include "models/gpu/cost.hpp"
#include "sim/base/embedded.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// How convolutions are computed.
enum class ConvKernels {
  library,  ///< cuDNN or as good
  im2col,   ///< unrolled into a matrix in memory, one image at a time, then a matrix product (Caffe, 2014)
  fbfft,    ///< Facebook's Fourier transforms, 2015; strided ones by the library
};

/// Where a framework transposes tensors around convolutions, because it keeps another layout than the
/// kernels.
enum class LayoutConversion {
  none,     ///< it keeps the layout that the kernels want
  half,     ///< channels first: only tensor-core convolutions want another
  all,      ///< channels last before the kernels could take it: every convolution
  wide,     ///< channels last in 16 bits, channels first in 32: TF32 convolutions
  filters,  ///< as half, but a forward pass alone, and TF32, multiply 1x1 filters with each image as it lies
};

/// How a normalisation with constant statistics (x * scale + offset) runs.
enum class FrozenNorm {
  kernel,    ///< one kernel
  composed,  ///< a product and a sum, after four operations on vectors that make scale and offset
  /// The same in mixed precision by patched functions, whose list has the square root of the variance in 32
  /// bits: scale and offset get 32 bits, the map is widened for them and narrowed before the next product.
  promoted,
  /// No kernel: a compiler of forward passes has scale and offset in the weights of the convolution before.
  /// Batch normalisation with stored statistics is of the same form.
  folded,
};

/// How the gradients of micro-batches are added up.
enum class GradientSums {
  in_place,     ///< in their width, by a kernel for each tensor (autograd)
  wide,         ///< those of bfloat16 to sums in 32 bits, which are what replicas exchange
  widened,      ///< the same, after a cast to 32 bits in memory
  in_products,  ///< by the product that makes them
};

/// What issues kernels to the GPU.
enum class Dispatch {
  graph,  ///< something that holds the whole network: a session, an engine, a C++ program, a CUDA graph
  eager,  ///< a Python program, operator by operator
};

struct FrameworkProfile {
  std::string id, title;
  Dispatch dispatch = Dispatch::graph;
  LibraryGeneration library = LibraryGeneration::cudnn7;
  bool winograd = true;  ///< the library has Winograd kernels (cuDNN 5)
  ConvKernels conv = ConvKernels::library;
  /// Scratch that it lets the library use for one convolution. Kernels that need more do not run, so large
  /// batches may be slower per image than small ones.
  Bytes workspace = unlimited_workspace;
  /// Host time to issue one kernel; the GPU runs behind in a queue and starves where kernels are shorter.
  Duration host_per_kernel{0};
  /// Host time of a kernel going back, of that going forward: gradients are issued by the framework's engine
  /// and not by the script. What is computed again counts as going forward.
  double host_backward = 1;
  /// Host time to issue a sum over the GPUs that share a layer.
  Duration host_per_sum{0};
  /// Host time per GPU of the group before each collective, where the script turns PyTorch's checks on
  /// (TORCH_DISTRIBUTED_DEBUG=DETAIL): a barrier among the hosts and an exchange of what each is about to do,
  /// a message from and to every other host (torch/csrc/distributed/c10d/ProcessGroupWrapper.cpp).
  Duration check_per_gpu{0};
  /// Host time to slice or copy one tensor for one replica, where weights that replicas updated in shards are
  /// gathered tensor by tensor (the first stage of ZeRO).
  Duration gather_per_slice{0};
  Duration host_per_step{0};      ///< session call, Python loop, synchronisation; the GPU idles
  double kernel_factor = 1;       ///< library kernels as this framework calls them against the best choice
  double int8_factor = 1;         ///< the same of convolutions on 8-bit numbers, on top of it
  double elementwise_passes = 1;  ///< traffic of element-wise work against one kernel per operator
  double composed_passes = 1;     ///< of GELU and the like, where they are put together from simple operators
  ComposedOperators composed;     ///< the same, counted; then no factor of this profile applies to them
  /// Traffic of a loss over 16-bit logits against a softmax of 16 bits in one kernel each way, 10 bytes for
  /// each logit. Frameworks compute losses in 32 bits: the logits are cast (6 bytes), a softmax of 32 bits
  /// follows (8), and going back its gradient (12) and the cast (6). PyTorch, "CUDA ops that autocast to
  /// float32"; TensorFlow, auto_mixed_precision_lists.h, the lists of what stays in 32 bits.
  double loss_passes = 3.2;
  double norm_passes = 1;  ///< traffic of normalisation against the fitted kernel
  /// Where formats of less than 16 bits are allowed, an operator keeps its kernels of 16 bits if they are
  /// faster.
  bool mixes_formats = false;
  bool fuses_elementwise = false;   ///< work marked fusable hides in its producer
  bool fuses_forward_only = false;  ///< of it, gradients are kernels of their own
  /// Products and convolutions are calls of a library, with which nothing fuses: maps between two of them are
  /// one kernel.
  bool library_products = false;
  bool fuses_bias = false;  ///< the product adds the bias; else a kernel of its own does
  AttentionKernel attention = AttentionKernel::unfused;
  bool fused_tables = false;    ///< one kernel looks up all embedding tables of a recommender
  double attention_factor = 1;  ///< its kernel where it is in one, against the fitted one
  LayoutConversion layout = LayoutConversion::half;
  FrozenNorm frozen_norm = FrozenNorm::kernel;
  /// Under autocast, training counts the casts, and normalisations over a layer and sums of residual blocks
  /// in 32 bits. Profiles that were fitted on trainings in mixed precision have them in their passes.
  bool counts_casts = false;
  bool pads_rows = true;       ///< its scripts pad vocabularies to a multiple of 8 words
  HostSection between_passes;  ///< of training steps
  double sgd_accesses =
      5;  ///< times that an update with momentum reads or writes every parameter or its state
  double adam_accesses = 7;  ///< the same for Adam and LAMB
  /// Rate at which every training step copies its images, as fp32, from the host before it starts; 0: they
  /// are there already or the copy is hidden.
  Bandwidth input_copy{0};
  /// Fixed time of the update for each parameter tensor: the loop over tensors, its kernels and copies. The
  /// backward pass does not hide it.
  Duration update_per_tensor{0};
  double log_sigma = 0.1;  ///< spread of ln(measured / predicted) among versions and scripts
  /// What this framework's reference scripts run under a name that several networks share: torchvision's and
  /// MXNet's ResNet-50 is v1.5, for example.
  std::map<std::string, std::string> networks;
  /// How it combines gradients on one node and between nodes: names of models/exchange/exchange_methods.hpp.
  std::string exchange = "ddp", exchange_between_nodes = "ddp";
  /// In mixed precision gradients are those of the fp32 weights, and so is what is exchanged.
  bool wide_gradients = false;
  GradientSums gradient_sums = GradientSums::in_place;
  /// Of a network split over GPUs, gradients of replicas leave layer by layer during the last backward pass,
  /// and with ZeRO's first stage weights are gathered during the next forward pass.
  bool overlaps_gradients = false;
  TrainerMemory memory;
  /// Its recipes split the sequence among tensor-parallel GPUs outside attention and MLP.
  bool sequence_parallel = false;
  /// How its operators become kernels.
  [[nodiscard]] LoweringOptions lowering() const {
    const ConvolutionAlgorithms algorithms = conv == ConvKernels::fbfft ? ConvolutionAlgorithms::transforms
                                             : winograd                 ? ConvolutionAlgorithms::all
                                                                        : ConvolutionAlgorithms::no_winograd;
    const bool planar = layout == LayoutConversion::half || layout == LayoutConversion::filters;
    const PlanarMaps maps = planar                             ? PlanarMaps::always
                            : layout == LayoutConversion::wide ? PlanarMaps::wide
                                                               : PlanarMaps::never;
    return {library,  attention, algorithms, workspace, fused_tables, maps, dispatch == Dispatch::eager,
            pads_rows};
  }
  std::vector<std::string> fit;     ///< case ids that the numbers were fitted on
  std::vector<std::string> fitted;  ///< names of those numbers (models/frameworks/framework_parameters.hpp)
};

/// The software of a run as far as it is known.
struct FrameworkQuery {
  std::string name;          ///< "tensorflow"; case and blanks do not matter
  std::string version = {};  ///< "1.1 (b1e174e)", "NGC 19.05", ""
  std::string cudnn = {};    ///< "5.1.05"; overrides the profile's library generation
  bool training = true;
  /// Who computes convolutions: "" the library, "native" the framework itself, "fbfft".
  std::string kernels = {};
  std::string script = {};     ///< "tf_cnn_benchmarks": scripts with a profile of their own
  bool channels_last = false;  ///< the script keeps images as the kernels want them: nothing is transposed
  bool compiled = false;       ///< a compiler fuses the operators (torch.compile)
};

/// The profile for a framework and version. An unknown framework gets the profile "generic" with a wide
/// spread, and one whose native convolutions nobody measured its profile with the library's. Throws Error for
/// other kernels that the framework has no profile with.
FrameworkProfile framework_profile(const FrameworkQuery& query);

/// The version that runs on a GPU whose architecture needs the container of month `first` or later ("21.05",
/// "": any release does): the stated one, where it is a month the container of that month; where none is
/// stated and the GPU needs a container, that of `first`.
std::string version_on(std::string_view framework, const std::string& stated, std::string_view first);

/// The month of the container that a version names, 19.05 of "NGC 19.05"; nothing where it names none.
std::optional<double> container_of(std::string_view version);

/// All of them, sorted by id.
std::vector<FrameworkProfile> framework_profiles();

/// The shipped files, "frameworks/mxnet.json" and so on, by name.
std::vector<EmbeddedFile> framework_files();

}  // namespace rackcast
