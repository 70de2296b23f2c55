#pragma once
/// The experiments on GPUs: kernels with their shapes, and the course of one measurement (batches long enough
/// for the clock, errors kept, throttling recorded). The shapes are designed, not a grid: around edges of
/// tiles and waves, thin and square, short and deep, and layers of the networks that people train.
#include <memory>
#include <vector>

#include "calibrate/gpu/gpu_driver.hpp"
#include "calibrate/measure/experiment.hpp"

namespace rackcast {

enum class Effort { quick, standard, thorough };

struct GpuSuite {
  std::vector<BoxGpu> gpus;
  std::vector<Experiment> experiments;
  std::vector<NotMeasured> not_measured;
};

/// Kinds of device 0 only (the devices of a box are alike; others of a box get a short check of bandwidth and
/// matrix rate), copies and collectives of all. `gpus_of_nodes`: of a NodeGroup, which `driver` then is;
/// empty for one node. Never throws: what a driver cannot do is listed.
GpuSuite gpu_suite(const std::shared_ptr<GpuDriver>& driver, const std::string& reason, Effort effort,
                   std::uint64_t seed, const std::vector<int>& gpus_of_nodes = {});

/// The tasks themselves, without the driver; `sm_count` places the edges of waves.
struct NamedTask {
  std::string id, kind;  ///< "gpu_gemm/fp16/m4096/...", "gpu_gemm"
  GpuTask task;
  double amount = 0;
  std::string amount_unit;
};
std::vector<NamedTask> gemm_tasks(const std::vector<std::string>& precisions, int sm_count, Effort effort);
std::vector<NamedTask> convolution_tasks(bool half, Effort effort);
std::vector<NamedTask> vector_tasks(Effort effort);
std::vector<NamedTask> attention_tasks(bool half, Effort effort);
std::vector<NamedTask> memory_tasks(Effort effort);
std::vector<NamedTask> launch_tasks();
std::vector<NamedTask> host_copy_tasks(Effort effort);
std::vector<NamedTask> peer_tasks(int device, int devices, Effort effort);
std::vector<NamedTask> collective_tasks(int devices, Effort effort);
/// Over all GPUs of the first 2, 4, ... and of all nodes.
std::vector<NamedTask> node_collective_tasks(const std::vector<int>& gpus_of_nodes, Effort effort);

/// Bytes that a vector operation must move at least, fp32.
double vector_bytes(const std::string& operation, std::int64_t rows, std::int64_t columns);

}  // namespace rackcast
