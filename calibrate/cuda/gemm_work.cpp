#include "calibrate/cuda/gemm_work.hpp"

#include <algorithm>

#include "calibrate/cuda/test_data.hpp"

namespace rackcast::cuda {

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw CudaFailure{std::string{call} + ": cuBLAS status " + std::to_string(static_cast<int>(status)),
                      false};
}

std::string cublas_version() {
  const int version = CUBLAS_VERSION;  // major * 10000 + minor * 100 + patch
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100);
}

GemmPrecision gemm_precision(const std::string& name) {
  GemmPrecision p;
  if (name == "fp32") return p;
  if (name == "tf32") {
    p.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
    return p;
  }
  if (name == "fp16") {
    p.operand = p.result = Format::fp16;
    p.operand_type = p.result_type = CUDA_R_16F;
    return p;
  }
  if (name == "bf16") {
    p.operand = p.result = Format::bf16;
    p.operand_type = p.result_type = CUDA_R_16BF;
    return p;
  }
  if (name == "fp64") {
    p.operand = p.result = Format::fp64;
    p.operand_type = p.result_type = CUDA_R_64F;
    p.compute = CUBLAS_COMPUTE_64F;
    return p;
  }
  if (name == "int8") {
    p.operand = Format::int8;
    p.result = Format::fp32;  // 32-bit integers: as wide
    p.operand_type = CUDA_R_8I;
    p.result_type = CUDA_R_32I;
    p.compute = CUBLAS_COMPUTE_32I;
    return p;
  }
  throw CudaFailure{"unknown precision \"" + name + "\"", false};
}

void multiply(const Cublas& cublas, const GemmPrecision& p, const Product& s, const void* a, const void* b,
              void* c) {
  const float one_f = 1, zero_f = 0;
  const double one_d = 1, zero_d = 0;
  const int one_i = 1, zero_i = 0;
  const bool wide = p.compute == CUBLAS_COMPUTE_64F, whole = p.compute == CUBLAS_COMPUTE_32I;
  const void* one = wide    ? static_cast<const void*>(&one_d)
                    : whole ? static_cast<const void*>(&one_i)
                            : &one_f;
  const void* zero = wide    ? static_cast<const void*>(&zero_d)
                     : whole ? static_cast<const void*>(&zero_i)
                             : &zero_f;
  const long long mk = static_cast<long long>(s.m) * s.k, kn = static_cast<long long>(s.k) * s.n,
                  mn = static_cast<long long>(s.m) * s.n;
  check(cublasGemmStridedBatchedEx(cublas.get(), s.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, s.m,
                                   s.n, s.k, one, a, p.operand_type, s.transpose_a ? s.k : s.m, mk, b,
                                   p.operand_type, s.k, kn, zero, c, p.result_type, s.m, mn, s.count,
                                   p.compute, CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx");
}

namespace {

class GemmWork : public Work {
 public:
  GemmWork(int device, const GpuTask& task)
      : Work(device), cublas_(stream()), precision_(gemm_precision(task.precision)), seed_(task.seed) {
    shape_.m = static_cast<int>(number(task, "m"));
    shape_.n = static_cast<int>(number(task, "n"));
    shape_.k = static_cast<int>(number(task, "k"));
    shape_.count = static_cast<int>(number_or(task, "count", 1));
    // Integer tensor cores take only this layout.
    shape_.transpose_a = precision_.operand == Format::int8;
    const std::size_t a = elements(shape_.m, shape_.k), b = elements(shape_.k, shape_.n),
                      c = elements(shape_.m, shape_.n);
    const std::size_t in = size_of(precision_.operand), out = size_of(precision_.result);
    const int sets = rotating_sets(device, (a + b) * in + c * out);
    set_rotation(sets);
    for (int i = 0; i < sets; ++i) {
      Set set{Buffer{a * in}, Buffer{b * in}, Buffer{c * out}};
      fill(precision_.operand, set.a.get(), a, seed_, stream());
      fill(precision_.operand, set.b.get(), b, seed_ + 1, stream());
      sets_.push_back(std::move(set));
    }
    cuda::check(cudaStreamSynchronize(stream()), "fill");
  }

 private:
  struct Set {
    Buffer a, b, c;
  };

  [[nodiscard]] std::size_t elements(int rows, int columns) const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) *
           static_cast<std::size_t>(shape_.count);
  }

  void call(int set) override {
    const Set& s = sets_[static_cast<std::size_t>(set)];
    multiply(cublas_, precision_, shape_, s.a.get(), s.b.get(), s.c.get());
  }

  /// Sixty-four elements chosen by a hash. Sums are exact in fp32 arithmetic (test_data.hpp), so only the
  /// rounding of a 16-bit result remains: 2^-11 for fp16, 2^-8 for bf16.
  std::string compare() override {
    const bool whole = precision_.operand == Format::int8;
    const double tolerance = precision_.result == Format::fp16   ? 1e-3
                             : precision_.result == Format::bf16 ? 8e-3
                                                                 : 1e-5;
    const auto m = static_cast<std::size_t>(shape_.m), n = static_cast<std::size_t>(shape_.n),
               k = static_cast<std::size_t>(shape_.k);
    const Set& s = sets_[static_cast<std::size_t>(last_set())];
    for (std::uint64_t probe = 0; probe < 64; ++probe) {
      const std::size_t at = mixed(seed_ + probe) % elements(shape_.m, shape_.n);
      const std::size_t product = at / (m * n), column = at % (m * n) / m, row = at % m;
      double sum = 0, size = 0;
      for (std::size_t i = 0; i < k; ++i) {
        const std::size_t a = product * m * k + (shape_.transpose_a ? row * k + i : i * m + row);
        const std::size_t b = product * k * n + column * k + i;
        const double x = test_eighths(seed_, a) / (whole ? 1.0 : 8.0);
        const double y = test_eighths(seed_ + 1, b) / (whole ? 1.0 : 8.0);
        sum += x * y;
        size += std::abs(x * y);
      }
      double got = 0;
      if (whole) {
        std::int32_t value = 0;
        cuda::check(cudaMemcpy(&value, s.c.as<std::int32_t>() + at, sizeof value, cudaMemcpyDeviceToHost),
                    "cudaMemcpy");
        got = value;
      } else {
        got = element(s.c, precision_.result, at);
      }
      const std::string wrong =
          difference("element", at, got, sum, tolerance, std::max({size * 1e-2, std::abs(sum), 1.0}));
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

  Cublas cublas_;
  GemmPrecision precision_;
  std::uint64_t seed_;
  Product shape_;
  std::vector<Set> sets_;
};

/// softmax(Q' K) V for each head, as frameworks did it before fused kernels: two products and a softmax over
/// the stored scores. Column-major: a head's Q, K and V are depth x sequence.
class AttentionWork : public Work {
 public:
  AttentionWork(int device, const GpuTask& task)
      : Work(device), cublas_(stream()), precision_(gemm_precision(task.precision)), seed_(task.seed) {
    heads_ = static_cast<int>(number(task, "batch") * number(task, "heads"));
    sequence_ = static_cast<int>(number(task, "sequence"));
    depth_ = static_cast<int>(number(task, "depth"));
    if (precision_.operand != Format::fp32 && precision_.operand != Format::fp16)
      throw CudaFailure{"attention is measured in fp32 and fp16 only", false};
    const std::size_t size = size_of(precision_.operand);
    const std::size_t inputs = static_cast<std::size_t>(heads_) * static_cast<std::size_t>(depth_) *
                               static_cast<std::size_t>(sequence_);
    const std::size_t scores = static_cast<std::size_t>(heads_) * static_cast<std::size_t>(sequence_) *
                               static_cast<std::size_t>(sequence_);
    q_ = Buffer{inputs * size};
    k_ = Buffer{inputs * size};
    v_ = Buffer{inputs * size};
    out_ = Buffer{inputs * size};
    scores_ = Buffer{scores * size};
    weights_ = Buffer{scores * size};
    fill(precision_.operand, q_.get(), inputs, seed_, stream());
    fill(precision_.operand, k_.get(), inputs, seed_ + 1, stream());
    fill(precision_.operand, v_.get(), inputs, seed_ + 2, stream());
    cuda::check(cudaStreamSynchronize(stream()), "fill");
    note("algorithm", "unfused");
  }

 private:
  void call(int) override {
    // Column j of the scores belongs to query j, so that a query's scores lie side by side.
    multiply(cublas_, precision_, {sequence_, sequence_, depth_, heads_, true}, k_.get(), q_.get(),
             scores_.get());
    const int rows = heads_ * sequence_;
    if (precision_.operand == Format::fp16) {
      softmax_rows_half(scores_.get(), weights_.get(), rows, sequence_, stream());
    } else {
      softmax_rows(scores_.as<float>(), weights_.as<float>(), rows, sequence_, stream());
    }
    multiply(cublas_, precision_, {depth_, sequence_, sequence_, heads_, false}, v_.get(), weights_.get(),
             out_.get());
  }

  /// Four outputs of hash-chosen heads and queries. Weights are positive and sum to one, values are at most
  /// 1: the error is that of rounding the weights.
  std::string compare() override {
    const auto sequence = static_cast<std::size_t>(sequence_), depth = static_cast<std::size_t>(depth_);
    const double tolerance = precision_.operand == Format::fp16 ? 2e-2 : 1e-4;
    for (std::uint64_t probe = 0; probe < 4; ++probe) {
      const std::size_t head = mixed(seed_ + probe) % static_cast<std::size_t>(heads_),
                        query = mixed(seed_ + 100 + probe) % sequence, d = mixed(seed_ + 200 + probe) % depth,
                        base = head * depth * sequence;
      std::vector<double> score(sequence);
      double most = -1e300, sum = 0, expected = 0;
      for (std::size_t j = 0; j < sequence; ++j) {
        for (std::size_t i = 0; i < depth; ++i)
          score[j] +=
              test_value(seed_ + 1, base + j * depth + i) * test_value(seed_, base + query * depth + i);
        most = std::max(most, score[j]);
      }
      for (double& s : score) sum += s = std::exp(s - most);
      for (std::size_t j = 0; j < sequence; ++j)
        expected += score[j] / sum * test_value(seed_ + 2, base + j * depth + d);
      const std::size_t at = base + query * depth + d;
      const std::string wrong =
          difference("output", at, element(out_, precision_.operand, at), expected, tolerance, 1);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

  Cublas cublas_;
  GemmPrecision precision_;
  std::uint64_t seed_;
  int heads_ = 1, sequence_ = 1, depth_ = 1;
  Buffer q_, k_, v_, out_, scores_, weights_;
};

}  // namespace

std::unique_ptr<GpuWork> make_gemm(int device, const GpuTask& task) {
  return std::make_unique<GemmWork>(device, task);
}
std::unique_ptr<GpuWork> make_attention(int device, const GpuTask& task) {
  return std::make_unique<AttentionWork>(device, task);
}

}  // namespace rackcast::cuda
