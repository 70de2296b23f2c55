// Convolutions by cuDNN: forward, data gradient, weight gradient, each with the algorithm that cuDNN finds
// fastest. fp32 in NCHW without tensor cores, fp16 in NHWC with them, as frameworks run them.
#include "calibrate/cuda/work.hpp"

#ifdef RACKCAST_HAVE_CUDNN
#include <cudnn.h>

#include <algorithm>

#include "calibrate/cuda/test_data.hpp"

namespace rackcast::cuda {
namespace {

void check(cudnnStatus_t status, const char* call) {
  if (status != CUDNN_STATUS_SUCCESS)
    throw CudaFailure{std::string{call} + ": " + cudnnGetErrorString(status), false};
}

/// A cuDNN object with the functions that make and free it.
template <class T, cudnnStatus_t (*make)(T*), cudnnStatus_t (*destroy)(T)>
class Descriptor {
 public:
  Descriptor() { check(make(&value_), "cudnnCreate"); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { (void)destroy(value_); }
  [[nodiscard]] T get() const { return value_; }

 private:
  T value_{};
};
using Handle = Descriptor<cudnnHandle_t, cudnnCreate, cudnnDestroy>;
using Tensor = Descriptor<cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
using Filter = Descriptor<cudnnFilterDescriptor_t, cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor>;
using Convolution = Descriptor<cudnnConvolutionDescriptor_t, cudnnCreateConvolutionDescriptor,
                               cudnnDestroyConvolutionDescriptor>;

struct Shape {
  int n, c, h, w, k, r, s, pad_h, pad_w, stride_h, stride_w, oh, ow;
};

Shape shape_of(const GpuTask& task) {
  const auto get = [&](const char* key) {
    return static_cast<int>(number(task, key));
  };
  Shape x{get("n"),
          get("c"),
          get("h"),
          get("w"),
          get("k"),
          get("r"),
          get("s"),
          static_cast<int>(number_or(task, "pad_h", 0)),
          static_cast<int>(number_or(task, "pad_w", 0)),
          static_cast<int>(number_or(task, "stride_h", 1)),
          static_cast<int>(number_or(task, "stride_w", 1)),
          0,
          0};
  x.oh = (x.h + 2 * x.pad_h - x.r) / x.stride_h + 1;
  x.ow = (x.w + 2 * x.pad_w - x.s) / x.stride_w + 1;
  return x;
}

class ConvolutionWork : public Work {
 public:
  ConvolutionWork(int device, const GpuTask& task)
      : Work(device), pass_(task.pattern), seed_(task.seed), s_(shape_of(task)) {
    half_ = task.precision == "fp16";
    if (!half_ && task.precision != "fp32")
      throw CudaFailure{"convolutions are measured in fp32 and fp16 only", false};
    format_ = half_ ? Format::fp16 : Format::fp32;
    describe();
    const std::size_t size = size_of(format_);
    const int sets = std::min(rotating_sets(device, (inputs() + filters() + outputs()) * size), 8);
    set_rotation(sets);
    for (int i = 0; i < sets; ++i) {
      Set set{Buffer{inputs() * size}, Buffer{filters() * size}, Buffer{outputs() * size}};
      fill(format_, set.x.get(), inputs(), seed_, stream());
      fill(format_, set.w.get(), filters(), seed_ + 1, stream());
      fill(format_, set.y.get(), outputs(), seed_ + 2, stream());
      sets_.push_back(std::move(set));
    }
    cuda::check(cudaStreamSynchronize(stream()), "fill");
    choose();
  }

 private:
  struct Set {
    Buffer x, w, y;
  };

  [[nodiscard]] std::size_t inputs() const { return product({s_.n, s_.c, s_.h, s_.w}); }
  [[nodiscard]] std::size_t filters() const { return product({s_.k, s_.c, s_.r, s_.s}); }
  [[nodiscard]] std::size_t outputs() const { return product({s_.n, s_.k, s_.oh, s_.ow}); }
  static std::size_t product(std::initializer_list<int> sides) {
    std::size_t out = 1;
    for (const int side : sides) out *= static_cast<std::size_t>(side);
    return out;
  }

  void describe() {
    const cudnnDataType_t type = half_ ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
    const cudnnTensorFormat_t layout = half_ ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    check(cudnnSetStream(handle_.get(), stream()), "cudnnSetStream");
    check(cudnnSetTensor4dDescriptor(x_.get(), layout, type, s_.n, s_.c, s_.h, s_.w),
          "cudnnSetTensor4dDescriptor");
    check(cudnnSetTensor4dDescriptor(y_.get(), layout, type, s_.n, s_.k, s_.oh, s_.ow),
          "cudnnSetTensor4dDescriptor");
    check(cudnnSetFilter4dDescriptor(w_.get(), type, layout, s_.k, s_.c, s_.r, s_.s),
          "cudnnSetFilter4dDescriptor");
    check(cudnnSetConvolution2dDescriptor(conv_.get(), s_.pad_h, s_.pad_w, s_.stride_h, s_.stride_w, 1, 1,
                                          CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
          "cudnnSetConvolution2dDescriptor");
#if CUDNN_MAJOR >= 8
    const cudnnMathType_t plain = CUDNN_FMA_MATH;  // else Ampere and later would use TF32
#else
    const cudnnMathType_t plain = CUDNN_DEFAULT_MATH;
#endif
    check(cudnnSetConvolutionMathType(conv_.get(), half_ ? CUDNN_TENSOR_OP_MATH : plain),
          "cudnnSetConvolutionMathType");
  }

  /// The fastest of what cuDNN tries, as frameworks with benchmarking choose. It times every algorithm once;
  /// CUDA loads a kernel when it first starts, so a first search may take the load for the kernel's time: two
  /// runs on one kind of GPU differed by a factor of up to 30 in the kernel that was chosen. The second
  /// search counts.
  void choose() {
    constexpr int most = 8, searches = 2;
    int found = 0;
    std::size_t memory = 0;
    const auto take = [&](const auto& results, auto& algorithm) {
      for (int i = 0; i < found; ++i) {
        if (results[i].status != CUDNN_STATUS_SUCCESS) continue;
        algorithm = results[i].algo;
        memory = results[i].memory;
        check(cudnnSetConvolutionMathType(conv_.get(), results[i].mathType), "cudnnSetConvolutionMathType");
        note("algorithm", std::to_string(static_cast<int>(algorithm)));
        return;
      }
      throw CudaFailure{"cuDNN has no algorithm for this convolution", false};
    };
    if (pass_ == "forward") {
      cudnnConvolutionFwdAlgoPerf_t results[most];
      for (int search = 0; search < searches; ++search)
        check(cudnnFindConvolutionForwardAlgorithm(handle_.get(), x_.get(), w_.get(), conv_.get(), y_.get(),
                                                   most, &found, results),
              "cudnnFindConvolutionForwardAlgorithm");
      take(results, forward_);
    } else if (pass_ == "data_gradient") {
      cudnnConvolutionBwdDataAlgoPerf_t results[most];
      for (int search = 0; search < searches; ++search)
        check(cudnnFindConvolutionBackwardDataAlgorithm(handle_.get(), w_.get(), y_.get(), conv_.get(),
                                                        x_.get(), most, &found, results),
              "cudnnFindConvolutionBackwardDataAlgorithm");
      take(results, data_);
    } else if (pass_ == "weight_gradient") {
      cudnnConvolutionBwdFilterAlgoPerf_t results[most];
      for (int search = 0; search < searches; ++search)
        check(cudnnFindConvolutionBackwardFilterAlgorithm(handle_.get(), x_.get(), y_.get(), conv_.get(),
                                                          w_.get(), most, &found, results),
              "cudnnFindConvolutionBackwardFilterAlgorithm");
      take(results, weights_);
    } else {
      throw CudaFailure{"unknown pass \"" + pass_ + "\"", false};
    }
    workspace_ = Buffer{std::max<std::size_t>(memory, 1)};
  }

  void call(int set) override {
    const Set& b = sets_[static_cast<std::size_t>(set)];
    const float one = 1, zero = 0;
    if (pass_ == "forward") {
      check(
          cudnnConvolutionForward(handle_.get(), &one, x_.get(), b.x.get(), w_.get(), b.w.get(), conv_.get(),
                                  forward_, workspace_.get(), workspace_.bytes(), &zero, y_.get(), b.y.get()),
          "cudnnConvolutionForward");
    } else if (pass_ == "data_gradient") {
      check(cudnnConvolutionBackwardData(handle_.get(), &one, w_.get(), b.w.get(), y_.get(), b.y.get(),
                                         conv_.get(), data_, workspace_.get(), workspace_.bytes(), &zero,
                                         x_.get(), b.x.get()),
            "cudnnConvolutionBackwardData");
    } else {
      check(cudnnConvolutionBackwardFilter(handle_.get(), &one, x_.get(), b.x.get(), y_.get(), b.y.get(),
                                           conv_.get(), weights_, workspace_.get(), workspace_.bytes(), &zero,
                                           w_.get(), b.w.get()),
            "cudnnConvolutionBackwardFilter");
    }
  }

  // Place of an element in memory: NCHW or NHWC.
  [[nodiscard]] std::size_t at(int a, int b, int y, int x, int channels, int height, int width) const {
    const auto u = [](int value) {
      return static_cast<std::size_t>(value);
    };
    return half_ ? ((u(a) * u(height) + u(y)) * u(width) + u(x)) * u(channels) + u(b)
                 : ((u(a) * u(channels) + u(b)) * u(height) + u(y)) * u(width) + u(x);
  }
  [[nodiscard]] double x(int n, int c, int h, int w) const {
    return test_value(seed_, at(n, c, h, w, s_.c, s_.h, s_.w));
  }
  [[nodiscard]] double w(int k, int c, int r, int s) const {
    return test_value(seed_ + 1, at(k, c, r, s, s_.c, s_.r, s_.s));
  }
  [[nodiscard]] double y(int n, int k, int p, int q) const {
    return test_value(seed_ + 2, at(n, k, p, q, s_.k, s_.oh, s_.ow));
  }

  /// The definition of the pass for one element: sums over what touches it.
  [[nodiscard]] double expected(int a, int b, int i, int j, double& size) const {
    double sum = 0;
    const auto add = [&](double value) {
      sum += value;
      size += std::abs(value);
    };
    if (pass_ == "forward") {
      for (int c = 0; c < s_.c; ++c)
        for (int r = 0; r < s_.r; ++r)
          for (int s = 0; s < s_.s; ++s) {
            const int h = i * s_.stride_h - s_.pad_h + r, v = j * s_.stride_w - s_.pad_w + s;
            if (h >= 0 && h < s_.h && v >= 0 && v < s_.w) add(x(a, c, h, v) * w(b, c, r, s));
          }
    } else if (pass_ == "data_gradient") {
      for (int k = 0; k < s_.k; ++k)
        for (int r = 0; r < s_.r; ++r)
          for (int s = 0; s < s_.s; ++s) {
            const int p = i + s_.pad_h - r, q = j + s_.pad_w - s;
            if (p < 0 || q < 0 || p % s_.stride_h != 0 || q % s_.stride_w != 0) continue;
            if (p / s_.stride_h < s_.oh && q / s_.stride_w < s_.ow)
              add(y(a, k, p / s_.stride_h, q / s_.stride_w) * w(k, b, r, s));
          }
    } else {
      for (int n = 0; n < s_.n; ++n)
        for (int p = 0; p < s_.oh; ++p)
          for (int q = 0; q < s_.ow; ++q) {
            const int h = p * s_.stride_h - s_.pad_h + i, v = q * s_.stride_w - s_.pad_w + j;
            if (h >= 0 && h < s_.h && v >= 0 && v < s_.w) add(x(n, b, h, v) * y(n, a, p, q));
          }
    }
    return sum;
  }

  /// Sixteen elements chosen by a hash. Winograd and Fourier transforms are not exact: in fp32 their error is
  /// some 1e-4 of the sum of magnitudes (Lavin & Gray, CVPR 2016), in fp16 that of the 16-bit transforms.
  std::string compare() override {
    const Set& b = sets_[static_cast<std::size_t>(last_set())];
    const bool forward = pass_ == "forward", data = pass_ == "data_gradient";
    const Buffer& out = forward ? b.y : data ? b.x : b.w;
    const int sides[4] = {forward || data ? s_.n : s_.k, forward ? s_.k : s_.c,
                          forward ? s_.oh
                          : data  ? s_.h
                                  : s_.r,
                          forward ? s_.ow
                          : data  ? s_.w
                                  : s_.s};
    for (std::uint64_t probe = 0; probe < 16; ++probe) {
      int index[4];
      for (std::uint64_t d = 0; d < 4; ++d)
        index[d] = static_cast<int>(mixed(seed_ + 16 * d + probe) % static_cast<std::uint64_t>(sides[d]));
      double size = 0;
      const double want = expected(index[0], index[1], index[2], index[3], size);
      const std::size_t place = at(index[0], index[1], index[2], index[3], sides[1], sides[2], sides[3]);
      const std::string wrong = difference("element", place, element(out, format_, place), want,
                                           half_ ? 2e-2 : 1e-3, std::max(size, 1.0));
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

  std::string pass_;
  std::uint64_t seed_;
  Shape s_;
  bool half_ = false;
  Format format_ = Format::fp32;
  Handle handle_;
  Tensor x_, y_;
  Filter w_;
  Convolution conv_;
  cudnnConvolutionFwdAlgo_t forward_{};
  cudnnConvolutionBwdDataAlgo_t data_{};
  cudnnConvolutionBwdFilterAlgo_t weights_{};
  std::vector<Set> sets_;
  Buffer workspace_;
};

}  // namespace

std::unique_ptr<GpuWork> make_convolution(int device, const GpuTask& task) {
  return std::make_unique<ConvolutionWork>(device, task);
}
std::string cudnn_version() {
  return std::to_string(CUDNN_MAJOR) + "." + std::to_string(CUDNN_MINOR);
}

}  // namespace rackcast::cuda
#else
namespace rackcast::cuda {

std::unique_ptr<GpuWork> make_convolution(int, const GpuTask&) {
  throw CudaFailure{"built without cuDNN", false};
}
std::string cudnn_version() {
  return {};
}

}  // namespace rackcast::cuda
#endif
