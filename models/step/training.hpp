#pragma once
/// One data-parallel training run: loaders, compute streams and collectives on the links of a cluster, as a
/// graph of streams (data_parallel_graph.hpp) that is simulated until its steps repeat (training_laps.hpp).
///
/// Every GPU runs the same step on its own part of the batch (synchronous SGD): take a batch, forward,
/// backward, wait for the last gradient, update. Gradients leave in buckets as soon as back-propagation has
/// produced them; the exchange of a bucket (models/exchange/exchange.hpp: all-reduce or parameter servers)
/// loads every link that it passes while the backward pass goes on. A loader fills a queue of `prefetch`
/// batches; a batch loads storage, fabric, host cores and PCIe at once, as a pipelined reader does.
///
/// The simulation runs until its state comes back; the time of a step since, and the time before it, are the
/// result. Saving the state is a state of its own: from the steady step the run goes through one save and on
/// until steps repeat again, and what that took more is the cost of every save. So is going on after a
/// failure: a run that begins with reading the state back, with empty queues.
///
/// The simulated rank is the slowest of all: its compute is longer by the expected maximum of the ranks'
/// jitter (straggler.hpp). A collective that runs on the GPU takes part of its rate while it runs.
///
/// GPUs that compute at the same pace are one stream; a group of slower nodes (`stragglers`) is another, and
/// a bucket leaves when the last of them has produced it. Links of slower nodes are resources of their own.
///
/// Assumed: nodes that are alike but for the stragglers, healthy, an endless supply of samples.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/exchange/exchange.hpp"
#include "models/frameworks/framework.hpp"
#include "models/gpu/cost.hpp"
#include "models/graph/step_parts.hpp"
#include "models/networks/operator.hpp"
#include "models/networks/recomputation.hpp"
#include "models/step/straggler.hpp"
#include "sim/base/error.hpp"
#include "sim/engine/limits.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

struct Cluster;
class Tracer;

/// One more limit on the way of a sample: a metadata server, a cache, a pool of cores (models/data_path).
struct InputStage {
  std::string name;       ///< "local SSD"
  std::string what;       ///< for people: "the local SSD cache"
  double capacity = 0;    ///< units/s of all of it together
  double per_sample = 0;  ///< units that one sample of the global batch takes
  bool of_nodes = false;  ///< each node has an even part for itself; else it is shared
};

/// The way of a sample from storage to the GPU. Rates of 0 mean "not modelled": no limit.
struct InputSpec {
  Bytes stored_sample{0};  ///< as read from storage
  Bandwidth storage{0};    ///< aggregate read rate of the storage system; 0: samples wait in host memory
  Frequency decode_per_core{0};  ///< samples per second that one CPU core decodes and augments
  double cores_per_node = 0;
  int prefetch = 2;                     ///< batches ready ahead of the GPU
  std::vector<InputStage> stages = {};  ///< further limits, each shared by all nodes
  Duration gpu_decode{0};               ///< GPU time that decoding one sample takes from training
};

/// Saving the state of training, and reading it back. Replicas hold the same state: the first GPU's node
/// writes it, through its links and the fabric to the storage servers; every node reads it back. What is
/// divided over the GPUs, split tables, each node writes and reads for its own. All of it is on its way
/// together, so the node with the most to write is the last to end. Writes and reads share the servers' time,
/// and the links, with the samples and gradients that are under way.
struct SaveSpec {
  Bytes state{0};             ///< 0: nothing to write, only the `pause`
  Bytes divided{0};           ///< of it, in even parts over the GPUs
  Duration pause{0};          ///< training stands still for so long besides
  bool asynchronous = false;  ///< training stands still for the copy to the host only
  Bandwidth write{0};         ///< that the storage takes in; 0: no storage, nothing is written or read
  Bandwidth read{0};          ///< that it gives
  bool local = false;         ///< each node has storage of its own; the rates are of one node's
  Bandwidth client{0};        ///< of one node at most; 0: no such limit
  bool asked = false;         ///< what a save costs
  bool restore = false;       ///< what going on from a saved state costs
  std::uint64_t every = 0;    ///< steps between saves; 0: each is alone

  [[nodiscard]] double divided_share() const { return state > Bytes{0} ? divided / state : 0; }
  /// Of the state: what the busiest node writes, and reads back, if it holds `gpus` of `all`.
  [[nodiscard]] double busiest(int gpus, int all) const {
    return 1 - divided_share() * (1 - static_cast<double>(gpus) / all);
  }
};

struct TrainingSpec {
  const Workload* workload = nullptr;
  const GpuCostModel* gpu = nullptr;
  const FrameworkProfile* framework = nullptr;
  double batch_per_gpu = 1;
  Precision precision = Precision::fp32;
  double accumulation = 1;  ///< micro-steps of `batch_per_gpu` for each exchange and update
  bool adam = false;        ///< Adam or a relative instead of SGD with momentum
  bool optimizer = true;    ///< the update is part of the step
  Recomputation recompute = Recomputation::none;
  bool copied_tables =
      false;  ///< every GPU has the large embedding tables whole (models/split/split_tables.hpp)
  ExchangeSpec exchange;
  InputSpec input;
  SaveSpec save = {};
  std::vector<Stragglers> stragglers = {};
  /// Behind every step, inside nodes and then between them, while samples go on coming
  /// (models/split/split_tables.hpp).
  Duration vectors_inside{0}, vectors_between{0};
  Limits limits;     ///< of the simulation
  bool fold = true;  ///< false: every GPU is a stream, every link a resource, and every step is simulated
  std::uint64_t steps = 0;  ///< of the whole training; only read if not folded
  // Multipliers of the rates of each part, for intervals: 0.9 is ten per cent slower than modelled.
  double compute_scale = 1, network_scale = 1, input_scale = 1;
};

/// One save in the midst of training.
struct SaveRun {
  Duration stall{0};        ///< training is later by it
  Duration safe{0};         ///< from its begin until the state is on the storage
  std::uint64_t steps = 0;  ///< from its begin until training is as it was before
};

/// What sets the pace of forward, backward and update: "GPU compute", or the host where the GPU waits for it
/// more than it works.
std::string gpu_or_host(double host_share);

struct TrainingRun {
  StepParts parts;
  Duration warm_up{0};  ///< time before the first steady step, less the steps done in it
  SaveRun save;         ///< if asked for
  Duration restored{
      0};  ///< as `warm_up`, from the moment that the state begins to be read back; if asked for
  int ranks = 0;
  double samples_per_step = 0;
  std::string binds;         ///< "GPU compute", "all-reduce over InfiniBand", "storage read", ...
  double host_share = 0;     ///< of forward, backward and update: the GPU waits for the host's next kernel
  std::uint64_t events = 0;  ///< simulated
  std::uint64_t steps = 0;   ///< simulated
  /// Steps of the cycle that repeats, of which `parts` are the mean; mostly 1. 0: none was found, and they
  /// are the mean over the last half of what was simulated; or none was found again after a save.
  std::uint64_t period = 1;
  bool partial = false;          ///< a limit ended the simulation before a step repeated
  double compute_log_sigma = 0;  ///< spread of ln(measured/predicted) of the GPU's part
  double network_log_sigma = 0;  ///< the same of the exchange
  double scaling_log_sigma = 0;  ///< the same of the whole step, for what nodes lose to each other besides
};

/// Simulates until the step repeats, or a limit. A `tracer` receives streams, links and queues of node 0.
/// Throws LimitReached, and Error if the network does not fit the GPU cost model or the cluster has no GPU.
TrainingRun simulate_training(const Cluster& cluster, const TrainingSpec& spec, Tracer* tracer = nullptr);

}  // namespace rackcast
