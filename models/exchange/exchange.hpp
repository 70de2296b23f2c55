#pragma once
/// Exchange of gradients among the ranks of a training run: its content, its times, its receivers and its
/// library. Example: all-reduces of buckets of 25 MiB by NCCL, while the backward pass goes on.
#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "models/collectives/comm_model.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

enum class ExchangeStrategy {
  all_reduce,        ///< every bucket of gradients, every step
  parameter_server,  ///< arrays go to servers, weights come back
  local_sgd,         ///< weights are averaged by all-reduce every `local_steps` steps
  model_parallel,    ///< layers are split over `ways` GPUs, which exchange activations
  hybrid,            ///< fully connected layers are split over `ways` GPUs or sent as factors, others reduced
};
inline constexpr std::array<std::string_view, 5> exchange_strategy_names{
    "all_reduce", "parameter_server", "local_sgd", "model_parallel", "hybrid"};

enum class ServerMode {
  synchronous,   ///< weights leave a server when all gradients have come
  asynchronous,  ///< every rank goes on with what it gets; nobody waits for the slowest
  stale,         ///< ranks may run `staleness` steps ahead of the slowest
};
inline constexpr std::array<std::string_view, 3> server_mode_names{"synchronous", "asynchronous", "stale"};

/// Parameter servers. Arrays are dealt out to the servers in turn, as tf.train.replica_device_setter
/// and MXNet's KVStore place them; arrays above `split` are cut over all servers.
struct ServerSpec {
  int count = 0;             ///< 0: one on each node that takes part
  bool apart = false;        ///< on nodes of the cluster without ranks; else on the workers
  bool on_gpus = false;      ///< variables live on the GPUs of the node (one node only)
  bool sums_in_node = true;  ///< a node adds up its GPUs' gradients before it sends
  /// Every hop waits for the whole array: the sum in a node, its way to the server, the sum there, the way
  /// back and that to the GPUs follow each other, and the server is a process beside the workers' even on
  /// their node.
  bool whole_arrays = false;
  bool sums_on_gpu =
      false;  ///< with `whole_arrays`: a node's sum is made on one of its GPUs, not in its memory
  ServerMode mode = ServerMode::synchronous;
  int staleness = 0;
  std::optional<Bytes> split = {};
  /// What a server adds per second. With all its cores it is bound by memory: three accesses of 4 bytes a sum
  /// on a socket of about 60 GB/s.
  Bandwidth add_rate{20e9};
  friend std::partial_ordering operator<=>(const ServerSpec&, const ServerSpec&) = default;
};

struct ExchangeSpec {
  ExchangeStrategy strategy = ExchangeStrategy::all_reduce;
  /// Gradients are sent when this much has gathered; 0: each array alone. PyTorch
  /// DistributedDataParallel: bucket_cap_mb = 25 MiB (Li et al., VLDB 13(12), 2020, found 10 to 25 MiB best
  /// for ResNet-50 and BERT). Horovod: HOROVOD_FUSION_THRESHOLD = 64 MiB.
  Bytes bucket{25.0 * 1024 * 1024};
  /// Horovod: gradients that became ready are sent together once per cycle (HOROVOD_CYCLE_TIME = 5 ms); 0: at
  /// once.
  Duration cycle{0};
  /// Arrays are sent in this many groups with equal numbers of arrays; 0: grouped by size
  /// (MXNET_HOROVOD_NUM_GROUPS).
  int groups = 0;
  bool after_backward = false;  ///< nothing is sent before back-propagation ends (Caffe)
  /// A bucket of several arrays is packed into a buffer before it is sent and unpacked behind it (Horovod's
  /// fusion buffer, PyTorch's buckets): two reads and two writes of GPU memory.
  bool packs = false;
  /// Host work for each bucket before it can start: negotiation of Horovod, push and pull of a KVStore.
  Duration per_bucket{0};
  CommSpec comm;
  /// Bytes of each parameter's gradient on the wire; 0: as the precision has them
  /// (models/networks/operator.hpp).
  Bytes gradient{0};
  std::string compression = "none";  ///< of models/exchange/compression.hpp
  ServerSpec servers;
  int local_steps = 1;
  int ways = 1;          ///< GPUs over which layers are split
  bool factors = false;  ///< hybrid: the factors of fully connected gradients are gathered instead
  friend std::partial_ordering operator<=>(const ExchangeSpec&, const ExchangeSpec&) = default;
};

}  // namespace rackcast
