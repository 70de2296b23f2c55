#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "calibrate/cuda/kernels.hpp"
#include "calibrate/cuda/test_data.hpp"

namespace rackcast::cuda {
namespace {

constexpr int block = 256;

/// Enough blocks for every GPU of today, few enough that each thread does real work.
unsigned blocks_for(std::size_t items) {
  const std::size_t wanted = (items + block - 1) / block;
  return static_cast<unsigned>(wanted < 1 ? 1 : wanted > 8192 ? 8192 : wanted);
}

template <class T>
__device__ T converted(float value) {
  return static_cast<T>(value);
}
template <>
__device__ __half converted<__half>(float value) {
  return __float2half(value);
}
template <>
__device__ __nv_bfloat16 converted<__nv_bfloat16>(float value) {
  return __float2bfloat16(value);
}

__device__ std::size_t first_index() {
  return blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
}
__device__ std::size_t stride() {
  return static_cast<std::size_t>(gridDim.x) * blockDim.x;
}

template <class T>
__global__ void fill_kernel(T* data, std::size_t count, std::uint64_t seed, float factor) {
  for (std::size_t i = first_index(); i < count; i += stride())
    data[i] = converted<T>(factor * test_value(seed, i));
}

__global__ void add_kernel(const float* a, const float* b, float* out, std::size_t count) {
  for (std::size_t i = first_index(); i < count; i += stride()) out[i] = a[i] + b[i];
}

__global__ void relu_kernel(const float* a, float* out, std::size_t count) {
  for (std::size_t i = first_index(); i < count; i += stride()) out[i] = a[i] > 0 ? a[i] : 0.0f;
}

/// Sum (or maximum) over the warp, known to all of its threads.
template <class Join>
__device__ float over_warp(float value, Join join) {
  for (int offset = 16; offset > 0; offset /= 2)
    value = join(value, __shfl_xor_sync(0xffffffffu, value, offset));
  return value;
}

/// The same over the block. In the order of the lanes: the same each time.
template <class Join>
__device__ float over_block(float value, Join join, float neutral) {
  __shared__ float part[32];
  value = over_warp(value, join);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  float all = neutral;
  for (unsigned i = 0; i < blockDim.x / 32; ++i) all = join(all, part[i]);
  return all;
}
struct Plus {
  __device__ float operator()(float a, float b) const { return a + b; }
};

__global__ void reduce_kernel(const float* a, float* out, int columns) {
  const float* row = a + static_cast<std::size_t>(blockIdx.x) * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += block) sum += row[i];
  sum = over_block(sum, Plus{}, 0.0f);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__device__ float widened(float x) {
  return x;
}
__device__ float widened(__half x) {
  return __half2float(x);
}

/// Rows of up to 32 x `each` columns: a warp holds a row in registers, so that it is read once. Frameworks do
/// the same (PyTorch, aten/src/ATen/native/cuda/PersistentSoftmax.cuh).
template <class T, int each, class Operation>
__global__ void short_rows_kernel(const T* a, T* out, int rows, int columns, Operation operation) {
  const int row = static_cast<int>(blockIdx.x * (block / 32) + threadIdx.x / 32),
            lane = static_cast<int>(threadIdx.x % 32);
  if (row >= rows) return;
  const std::size_t begin = static_cast<std::size_t>(row) * columns;
  float x[each];
  float joined = operation.neutral();
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const int column = lane + 32 * i;
    x[i] = column < columns ? widened(a[begin + column]) : operation.neutral();
    joined = operation(joined, x[i]);
  }
  joined = over_warp(joined, operation);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < each; ++i) {
    x[i] = operation.term(x[i], joined, columns);
    if (lane + 32 * i < columns) sum += operation.size(x[i]);
  }
  sum = over_warp(sum, Plus{});
#pragma unroll
  for (int i = 0; i < each; ++i) {
    const int column = lane + 32 * i;
    if (column < columns) out[begin + column] = converted<T>(operation.result(x[i], sum, columns));
  }
}

/// Longer rows: a block reads its row three times, after the first from the caches.
template <class T, class Operation>
__global__ void long_rows_kernel(const T* a, T* out, int columns, Operation operation) {
  const std::size_t begin = static_cast<std::size_t>(blockIdx.x) * columns;
  const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  float joined = operation.neutral();
  for (int i = thread; i < columns; i += threads) joined = operation(joined, widened(a[begin + i]));
  joined = over_block(joined, operation, operation.neutral());
  float sum = 0;
  for (int i = thread; i < columns; i += threads)
    sum += operation.size(operation.term(widened(a[begin + i]), joined, columns));
  sum = over_block(sum, Plus{}, 0.0f);
  for (int i = thread; i < columns; i += threads)
    out[begin + i] =
        converted<T>(operation.result(operation.term(widened(a[begin + i]), joined, columns), sum, columns));
}

/// What joins the values of a row, the term of each value that its result follows from, and what all terms
/// add to.
struct Softmax {
  __device__ float neutral() const { return -3.0e38f; }
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
  __device__ float term(float x, float most, int) const { return __expf(x - most); }
  __device__ float size(float term) const { return term; }
  __device__ float result(float term, float sum, int) const { return term / sum; }
};
struct LayerNorm {
  __device__ float neutral() const { return 0; }
  __device__ float operator()(float a, float b) const { return a + b; }
  __device__ float term(float x, float sum, int columns) const { return x - sum / columns; }
  __device__ float size(float term) const { return term * term; }
  __device__ float result(float term, float squares, int columns) const {
    return term * rsqrtf(squares / columns + 1e-5f);
  }
};

template <class T, class Operation>
void over_rows(const T* a, T* out, int rows, int columns, Operation operation, cudaStream_t stream) {
  const unsigned blocks = static_cast<unsigned>((rows + block / 32 - 1) / (block / 32));
  if (columns <= 128) {
    short_rows_kernel<T, 4><<<blocks, block, 0, stream>>>(a, out, rows, columns, operation);
  } else if (columns <= 512) {
    short_rows_kernel<T, 16><<<blocks, block, 0, stream>>>(a, out, rows, columns, operation);
  } else if (columns <= 1024) {
    short_rows_kernel<T, 32><<<blocks, block, 0, stream>>>(a, out, rows, columns, operation);
  } else {
    const int threads = columns > 8192 ? 1024 : block;
    long_rows_kernel<<<static_cast<unsigned>(rows), threads, 0, stream>>>(a, out, columns, operation);
  }
}

__global__ void sgd_kernel(float* w, const float* g, float* v, std::size_t count) {
  for (std::size_t i = first_index(); i < count; i += stride()) {
    v[i] = 0.9f * v[i] + g[i];
    w[i] -= 0.01f * v[i];
  }
}

__global__ void adam_kernel(float* w, const float* g, float* m, float* v, std::size_t count) {
  for (std::size_t i = first_index(); i < count; i += stride()) {
    m[i] = 0.9f * m[i] + 0.1f * g[i];
    v[i] = 0.999f * v[i] + 0.001f * g[i] * g[i];
    w[i] -= 0.001f * m[i] / (sqrtf(v[i]) + 1e-8f);
  }
}

/// The sum is kept only if it is a number that test data cannot give, so that nothing is optimised away.
__device__ void keep(float sum, float* sink) {
  if (sum == 1.0e30f) *sink = sum;
}

__global__ void read_kernel(const float4* data, std::size_t count, float* sink) {
  float sum = 0;
  for (std::size_t i = first_index(); i < count; i += stride()) {
    const float4 x = data[i];
    sum += x.x + x.y + x.z + x.w;
  }
  keep(sum, sink);
}

__global__ void write_kernel(float4* data, std::size_t count, float value) {
  for (std::size_t i = first_index(); i < count; i += stride())
    data[i] = make_float4(value, value, value, value);
}

__global__ void copy_kernel(const float4* from, float4* to, std::size_t count) {
  for (std::size_t i = first_index(); i < count; i += stride()) to[i] = from[i];
}

__global__ void strided_kernel(const float* data, std::size_t count, float* sink) {
  float sum = 0;
  for (std::size_t i = first_index(); i < count; i += stride()) sum += data[8 * i];
  keep(sum, sink);
}

__global__ void gather_kernel(const float* data, std::size_t count, float* sink) {
  float sum = 0;
  for (std::size_t i = first_index(); i < count; i += stride()) sum += data[mixed(i) % count];
  keep(sum, sink);
}

__global__ void empty_kernel() {}

}  // namespace

std::size_t size_of(Format format) {
  switch (format) {
    case Format::fp64:
      return 8;
    case Format::fp32:
      return 4;
    case Format::int8:
      return 1;
    default:
      return 2;
  }
}

void fill(Format format, void* data, std::size_t count, std::uint64_t seed, cudaStream_t stream) {
  const unsigned blocks = blocks_for(count);
  switch (format) {
    case Format::fp32:
      fill_kernel<<<blocks, block, 0, stream>>>(static_cast<float*>(data), count, seed, 1.0f);
      break;
    case Format::fp16:
      fill_kernel<<<blocks, block, 0, stream>>>(static_cast<__half*>(data), count, seed, 1.0f);
      break;
    case Format::bf16:
      fill_kernel<<<blocks, block, 0, stream>>>(static_cast<__nv_bfloat16*>(data), count, seed, 1.0f);
      break;
    case Format::int8:
      fill_kernel<<<blocks, block, 0, stream>>>(static_cast<signed char*>(data), count, seed, 8.0f);
      break;
    case Format::fp64:
      fill_kernel<<<blocks, block, 0, stream>>>(static_cast<double*>(data), count, seed, 1.0f);
      break;
  }
}

void add(const float* a, const float* b, float* out, std::size_t count, cudaStream_t stream) {
  add_kernel<<<blocks_for(count), block, 0, stream>>>(a, b, out, count);
}
void relu(const float* a, float* out, std::size_t count, cudaStream_t stream) {
  relu_kernel<<<blocks_for(count), block, 0, stream>>>(a, out, count);
}
void reduce_rows(const float* a, float* out, int rows, int columns, cudaStream_t stream) {
  reduce_kernel<<<static_cast<unsigned>(rows), block, 0, stream>>>(a, out, columns);
}
void softmax_rows(const float* a, float* out, int rows, int columns, cudaStream_t stream) {
  over_rows(a, out, rows, columns, Softmax{}, stream);
}
void softmax_rows_half(const void* a, void* out, int rows, int columns, cudaStream_t stream) {
  over_rows(static_cast<const __half*>(a), static_cast<__half*>(out), rows, columns, Softmax{}, stream);
}
void layer_norm_rows(const float* a, float* out, int rows, int columns, cudaStream_t stream) {
  over_rows(a, out, rows, columns, LayerNorm{}, stream);
}
void sgd(float* weight, const float* gradient, float* velocity, std::size_t count, cudaStream_t stream) {
  sgd_kernel<<<blocks_for(count), block, 0, stream>>>(weight, gradient, velocity, count);
}
void adam(float* weight, const float* gradient, float* first, float* second, std::size_t count,
          cudaStream_t stream) {
  adam_kernel<<<blocks_for(count), block, 0, stream>>>(weight, gradient, first, second, count);
}
void read_all(const void* data, std::size_t bytes, float* sink, cudaStream_t stream) {
  read_kernel<<<blocks_for(bytes / 16), block, 0, stream>>>(static_cast<const float4*>(data), bytes / 16,
                                                            sink);
}
void write_all(void* data, std::size_t bytes, float value, cudaStream_t stream) {
  write_kernel<<<blocks_for(bytes / 16), block, 0, stream>>>(static_cast<float4*>(data), bytes / 16, value);
}
void copy_all(const void* from, void* to, std::size_t bytes, cudaStream_t stream) {
  copy_kernel<<<blocks_for(bytes / 16), block, 0, stream>>>(static_cast<const float4*>(from),
                                                            static_cast<float4*>(to), bytes / 16);
}
void read_strided(const float* data, std::size_t bytes, float* sink, cudaStream_t stream) {
  strided_kernel<<<blocks_for(bytes / 4), block, 0, stream>>>(data, bytes / 4, sink);
}
void read_gathered(const float* data, std::size_t bytes, float* sink, cudaStream_t stream) {
  gather_kernel<<<blocks_for(bytes / 4), block, 0, stream>>>(data, bytes / 4, sink);
}
void empty(cudaStream_t stream) {
  empty_kernel<<<1, 1, 0, stream>>>();
}

}  // namespace rackcast::cuda
