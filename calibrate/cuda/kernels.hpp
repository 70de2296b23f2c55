#pragma once
/// The module's own kernels, as host functions that launch them on a stream. Plain C++ on this side, so that
/// only kernels.cu needs nvcc.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace rackcast::cuda {

/// Element formats of test data.
enum class Format { fp32, fp16, bf16, int8, fp64 };
std::size_t size_of(Format format);

/// data[i] = test_value(seed, i); int8 gets the eighths themselves.
void fill(Format format, void* data, std::size_t count, std::uint64_t seed, cudaStream_t stream);

// Vector operations on fp32, `rows` x `columns`, row after row.
void add(const float* a, const float* b, float* out, std::size_t count, cudaStream_t stream);
void relu(const float* a, float* out, std::size_t count, cudaStream_t stream);
void reduce_rows(const float* a, float* out, int rows, int columns, cudaStream_t stream);
void softmax_rows(const float* a, float* out, int rows, int columns, cudaStream_t stream);
void softmax_rows_half(const void* a, void* out, int rows, int columns, cudaStream_t stream);
void layer_norm_rows(const float* a, float* out, int rows, int columns, cudaStream_t stream);
/// velocity = 0.9 velocity + gradient; weight -= 0.01 velocity.
void sgd(float* weight, const float* gradient, float* velocity, std::size_t count, cudaStream_t stream);
/// Kingma & Ba, ICLR 2015, with beta 0.9 and 0.999, step 0.001, without bias correction.
void adam(float* weight, const float* gradient, float* first, float* second, std::size_t count,
          cudaStream_t stream);

// Memory access, in units of float4 (16 bytes) but for strided and gather (4 bytes).
void read_all(const void* data, std::size_t bytes, float* sink, cudaStream_t stream);
void write_all(void* data, std::size_t bytes, float value, cudaStream_t stream);
void copy_all(const void* from, void* to, std::size_t bytes, cudaStream_t stream);
/// Reads every eighth float of 8 * bytes; `bytes` are wanted, eight times as many pass in sectors.
void read_strided(const float* data, std::size_t bytes, float* sink, cudaStream_t stream);
/// Reads floats at places that a hash chooses among bytes/4.
void read_gathered(const float* data, std::size_t bytes, float* sink, cudaStream_t stream);

/// Does nothing.
void empty(cudaStream_t stream);

}  // namespace rackcast::cuda
