#pragma once
/// Products by cuBLAS, for the work on products and on attention.
#include <cublas_v2.h>

#include <string>

#include "calibrate/cuda/work.hpp"

namespace rackcast::cuda {

void check(cublasStatus_t status, const char* call);

class Cublas {
 public:
  explicit Cublas(cudaStream_t stream) {
    check(cublasCreate(&handle_), "cublasCreate");
    check(cublasSetStream(handle_, stream), "cublasSetStream");
  }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  ~Cublas() { (void)cublasDestroy(handle_); }
  [[nodiscard]] cublasHandle_t get() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

/// Formats of operands and result, and the arithmetic, by the name of a precision.
struct GemmPrecision {
  Format operand = Format::fp32, result = Format::fp32;
  cudaDataType_t operand_type = CUDA_R_32F, result_type = CUDA_R_32F;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
};
/// Throws CudaFailure for a name it does not know.
GemmPrecision gemm_precision(const std::string& name);

/// `count` products C = op(A) B in column-major order, C m x n, A m x k (k x m if transposed), B k x n,
/// one after the other in memory.
struct Product {
  int m = 1, n = 1, k = 1, count = 1;
  bool transpose_a = false;
};
void multiply(const Cublas& cublas, const GemmPrecision& precision, const Product& product, const void* a,
              const void* b, void* c);

}  // namespace rackcast::cuda
