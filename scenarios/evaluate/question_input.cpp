#include "scenarios/evaluate/question_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/data_path/host_memory.hpp"
#include "models/data_path/input_path.hpp"
#include "models/data_path/loaders.hpp"
#include "models/data_path/preprocess.hpp"
#include "models/data_path/storage.hpp"
#include "models/memory/memory.hpp"
#include "models/networks/operator.hpp"
#include "models/split/split_tables.hpp"
#include "scenarios/format/parallelism.hpp"
#include "scenarios/format/workload_choice.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

int used_nodes(const Question& q, const NodeSpec& node) {
  if (!q.gpus || node.gpus < 1) return q.cluster.nodes;
  const int each = used_in_node(q.cluster, node.gpus);
  return std::min(q.cluster.nodes, (*q.gpus + each - 1) / each);
}

namespace {

int gpus_per_node(const InputContext& c) {
  const int used = used_in_node(c.question.cluster, c.node.gpus);
  return std::min(used, c.question.gpus.value_or(used));
}

int used_nodes(const InputContext& c) {
  return rackcast::used_nodes(c.question, c.node);
}

bool decodes(const InputContext& c) {
  return c.workload.pixels > 0 || c.question.input.record_given;
}

PreprocessCost decoding(const InputContext& c) {
  const InputOptions& in = c.question.input;
  PreprocessSpec spec;
  spec.kind = record_kind(in.record);
  if (!in.loader.empty()) spec.kind.rate_per_core = image_loader(in.loader).per_core;
  spec.size = in.record_size;
  spec.decoder = in.decoder;
  spec.cores_per_node = host_cores(c);
  spec.workers_per_gpu = in.workers_per_gpu;
  spec.gpus_per_node = gpus_per_node(c);
  spec.nodes = used_nodes(c);
  spec.sockets = c.node.sockets;
  spec.pinned = in.pinned;
  spec.gpu_peak = c.node.gpu.peak.fp32 ? c.node.gpu.peak.fp32->value : FlopRate{0};
  spec.has_engine = c.node.gpu.jpeg_engine;
  try {
    return preprocess_cost(spec);
  } catch (const Error& e) {
    throw Error{e.message(), in.where, e.hint(), e.kind()};
  }
}

ReadLoad read_load(const InputContext& c, double share) {
  const Question& q = c.question;
  ReadLoad load;
  if (q.input.shards && static_cast<double>(*q.input.shards) > q.samples)
    throw Error{
        fmt::format("{} shards for {:.0f} samples: some would hold nothing", *q.input.shards, q.samples),
        q.input.where, "a shard holds at least one sample; leave \"shards\" out, or say 1024"};
  load.layout = q.input.layout(q.bytes_per_sample, q.samples);
  load.nodes = used_nodes(c);
  load.readers = q.input.workers_per_gpu > 0 ? q.input.workers_per_gpu * gpus_per_node(c)
                                             : static_cast<int>(host_cores(c));
  load.share = share;
  return load;
}

}  // namespace

bool cores_are_assumed(const InputContext& c) {
  return !c.question.input.cores && (!c.node.cpu_cores || c.node.cpu_cores->value < 1);
}

double host_cores(const InputContext& c) {
  if (!cores_are_assumed(c)) return c.question.input.cores.value_or(value_or(c.node.cpu_cores, 0));
  return std::max(1.0, std::floor(input_path_facts().cores_per_gpu * c.node.gpus));
}

StorageSystem storage_system(const InputContext& c) {
  StorageSystem s;
  s.name = c.storage.name;
  s.kind = c.storage.kind;
  s.count = c.question.storage.count;
  s.read = c.storage.read;
  s.write = c.storage.write;
  s.operations = c.storage.operations;
  s.opens = c.storage.opens;
  s.per_client = c.storage.per_client;
  s.latency = c.storage.latency;
  s.capacity = c.storage.capacity.value_or(Bytes{0});
  return with_kind_facts(std::move(s));
}

CacheSpec cache_spec(const InputContext& c) {
  const Question& q = c.question;
  CacheSpec spec;
  spec.set = q.samples * q.bytes_per_sample;
  spec.nodes = used_nodes(c);
  spec.sharding = q.input.sharding;
  spec.order = q.input.order;
  spec.eviction = q.input.eviction;
  if (q.input.page_cache && c.node.dram) {
    HostMemoryUse use;
    use.gpus = gpus_per_node(c);
    use.decoded_batch = q.workload.batch_per_gpu * c.workload.input_bytes;
    use.prefetch = q.input.prefetch;
    use.shuffle_buffer = q.input.shuffle_buffer;
    spec.page_cache = page_cache_size(c.node.dram->value, use);
  }
  if (q.input.ssd_cache && c.node.ssd && c.storage.kind != StorageKind::local)
    spec.ssd_cache = c.node.ssd->value;
  return spec;
}

InputSpec input_spec(const InputContext& c, const EpochHits& hits) {
  const Question& q = c.question;
  InputSpec out;
  out.prefetch = q.input.prefetch;
  out.stored_sample = hits.storage * q.bytes_per_sample;
  const StorageSystem system = storage_system(c);
  auto stages = storage_stages(system, read_load(c, hits.storage));
  for (InputStage& stage : stages) stage.of_nodes = system.local();
  if (system.local() && !stages.empty() && stages.front().name == "storage") {
    // What one node writes takes from its own drives.
    stages.front().capacity /= used_nodes(c);
    stages.front().per_sample /= used_nodes(c);
  }
  if (hits.ssd_cache > 0 && c.node.ssd_read) {
    stages.push_back({"local SSD", "the local SSD cache", used_nodes(c) * c.node.ssd_read->value.base(),
                      hits.ssd_cache * q.bytes_per_sample.base(), true});
  }
  if (decodes(c)) {
    PreprocessCost cost = decoding(c);
    out.gpu_decode = cost.gpu_time;
    for (InputStage& stage : cost.stages) {
      stage.of_nodes = true;
      stages.push_back(std::move(stage));
    }
  }
  out.stages = std::move(stages);
  return out;
}

Bytes checkpoint_size(const InputContext& c) {
  const auto dense = [&c](const Workload& w) {
    return checkpoint_bytes(w.parameters(), c.question.workload.precision,
                            optimizer_of(c.question.workload, w));
  };
  const Bytes tables = table_memory(c.workload);
  if (tables == Bytes{0} || c.question.workload.tables == TablePlacement::copied) return dense(c.workload);
  return dense(with_split_tables(c.workload)) + tables;
}

SaveSpec save_spec(const InputContext& c) {
  const StorageSystem system = storage_system(c);
  SaveSpec out;
  out.state = checkpoint_size(c);
  if (c.question.workload.tables != TablePlacement::copied) out.divided = table_memory(c.workload);
  out.asynchronous = c.question.input.asynchronous_checkpoint;
  out.local = system.local();
  out.client = system.per_client;
  out.read = system.count * system.read;
  out.write = system.count * (system.write > Bandwidth{0} ? system.write : system.read);
  return out;
}

namespace {

/// Who writes the state of a network, or of tables, split over GPUs.
struct Writers {
  int nodes = 1;       ///< that write a part of it
  double busiest = 1;  ///< share of the one that writes most
};

/// Every GPU writes what no other has (PyTorch, "Distributed Checkpoint": each rank saves its local shards
/// alone; AWS Neuron, "Developer guide for save/load checkpoint": model states by data-parallel rank 0,
/// optimizer states of ZeRO-1 by all ranks). So one copy writes what its replicas have as well, and all nodes
/// of a shard group what ZeRO shards: optimizer states and fp32 weights, at stage 3 everything. The GPUs of a
/// layer are neighbours and the stages of a copy as far apart as its replicas are many, as Megatron-LM
/// numbers ranks
/// ("tp-cp-ep-dp-pp", megatron/core/parallel_state.py).
Writers writers_of(const InputContext& c) {
  const WorkloadSpec& spec = c.question.workload;
  const int all = c.question.cluster.nodes * used_in_node(c.question.cluster, c.node.gpus),
            ranks = std::min(all, c.question.gpus.value_or(all));
  if (!spec.parallelism) {
    // Replicas hold the same state, which one node writes, and of split tables each GPU its own part.
    const SaveSpec save = save_spec(c);
    if (!(save.divided > Bytes{0})) return {};
    return {used_nodes(c), save.busiest(gpus_per_node(c), ranks)};
  }
  const Mesh p = fitting(*spec.parallelism, ranks);
  const int nodes = used_nodes(c), per_node = gpus_per_node(c), between_stages = ranks / p.pipeline;
  const int of_copy = between_stages < per_node ? nodes : p.pipeline * ((p.tensor + per_node - 1) / per_node);
  const double copies = std::min(nodes, of_copy);
  if (p.zero_stage == 0) return {static_cast<int>(copies), 1 / copies};
  const Bytes state = checkpoint_bytes(1, spec.precision, optimizer_of(spec, c.workload));
  const Bytes weights{spec.precision == Precision::fp32 ? 4.0 : 2.0};  // what the forward pass reads
  const double whole = p.zero_stage == 3 ? 0 : weights / state;
  // One of the groups that hold the same shards writes them.
  const int of_group = (p.tensor * p.shards() + per_node - 1) / per_node;
  const int sharing = p.shard_sets() > 1 ? std::min(nodes, p.pipeline * of_group) : nodes;
  return {sharing, whole / copies + (1 - whole) / sharing};
}

}  // namespace

WriteCost write_back(const InputContext& c, Duration interval, Duration step) {
  const InputOptions& in = c.question.input;
  WriteBack job;
  job.every = interval;
  job.checkpoint = checkpoint_size(c);
  job.log_per_step = in.log_per_step;
  job.asynchronous = in.asynchronous_checkpoint;
  const Writers writers = writers_of(c);
  job.writers = writers.nodes;
  // Each over one of its ports; the busiest is the last to end, and sets what all reach together.
  const double even = 1 / (writers.busiest * writers.nodes);
  StorageSystem system = storage_system(c);
  if (c.node.nic_link) job.network = even * c.node.nic_link->achievable.value;
  job.to_host = even * c.node.pcie_link.achievable.value;
  system.per_client = even * system.per_client;
  if (system.local()) system.write = even * (system.write > Bandwidth{0} ? system.write : system.read);
  WriteCost cost = write_cost(job, system, step);
  cost.writers = writers.nodes;
  cost.busiest = writers.busiest;
  return cost;
}

}  // namespace rackcast
