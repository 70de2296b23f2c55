#pragma once
/// The network, the sample, the software and the optimizer that a workload of a scenario names.
#include "models/frameworks/framework.hpp"
#include "models/memory/memory.hpp"
#include "models/networks/workload.hpp"

namespace rackcast {

class Json;
class ObjectReader;
struct GpuSpec;
struct Scenario;
struct WorkloadSpec;

/// "model": the name of a network, a file, or {"title", "task", "source", "transformer": {...}}, a network as
/// `rackcast init network` writes it.
void read_model(const Json& json, WorkloadSpec& out);
/// "adapters": {"rank": 16, "mlp": true}, beside "parallelism".
void read_adapters(ObjectReader& in, WorkloadSpec& out);
/// "accumulation" and "recompute" of a network that every GPU has whole.
void read_passes(ObjectReader& in, WorkloadSpec& out);
/// One form of a sample: an image, a sequence or sentences.
void read_sample(const Json& json, WorkloadSpec& out);
/// "framework": {"name": "mxnet", "version": "1.0", "script": ..., "cudnn": "5.1", "convolutions": "native",
/// "channels_last": true}.
void read_software(const Json& json, WorkloadSpec& out);
/// "optimizer": "momentum", "adam" or "none".
void read_optimizer(ObjectReader& in, WorkloadSpec& out);

/// The workload of this network, or the only one where nothing is wanted. Throws Error that names them all.
const WorkloadSpec& workload_named(const Scenario& scenario, std::string_view wanted);

/// The optimizer that the workload states, else what such networks are trained with mostly.
Optimizer optimizer_of(const WorkloadSpec& spec, const Workload& network);

/// The network for samples of the size that the workload states. Throws Error at the place of a size that the
/// network does not use.
Workload network_of(const WorkloadSpec& spec);

/// The framework whose profile the workload takes: the stated one; of a network split over GPUs where none is
/// stated or the stated one has no profile, one that splits networks, with attention in one kernel on GPUs
/// that have such kernels (T. Dao, "FlashAttention-2", 2023: Ampere and later, which are those with bf16);
/// else "".
std::string framework_of(const WorkloadSpec& spec, const GpuSpec& gpu);
/// A framework is stated, and there is no profile of it.
bool lacks_profile(const WorkloadSpec& spec);

/// The software of the workload. If the GPU needs newer software than the default, the version is a container
/// from the GPU's first years.
FrameworkQuery software_of(const WorkloadSpec& spec, const GpuSpec& gpu);

}  // namespace rackcast
