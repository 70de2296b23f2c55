#pragma once
/// The load of data-parallel training on the shared resources of a cluster: how much of each link, disk
/// array, core pool and parameter server one byte of gradients and one sample take.
///
/// Every stage of an exchange (models/collectives/collective.hpp) is a pattern, a set of coefficients; the
/// input path is pattern 0 (and one more for each further crew), and saving the state has patterns of its
/// own. Resources that no flow can tell apart (same capacity, same coefficient in every pattern) impose the
/// same constraint on the rates, so one of them stands for all: the rates are exactly those of the full
/// system.
///
/// What is on its way at the same time shares a link by bytes, as streams do. A pattern counts its work in
/// units of its own (samples of a whole batch, bytes of a bucket, bytes of the state), of which each link
/// carries another number of bytes. So the weight of a pattern is
///
///     1 / (bytes over the link that takes longest for a unit of work),
///
/// and two patterns that are held up by the same link get the same bytes/s there, whoever they are.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/step/crews.hpp"
#include "models/step/gradient_buckets.hpp"
#include "models/step/training.hpp"
#include "topologies/graph/graph.hpp"

namespace rackcast {

/// Links of one technology between devices of two kinds, as bytes flow.
struct LinkPlace {
  LinkKind kind = LinkKind::fabric;
  DeviceKind from = DeviceKind::gpu, to = DeviceKind::gpu;

  friend auto operator<=>(const LinkPlace&, const LinkPlace&) = default;
};

struct PlanResource {
  std::string name;  ///< of the first link of its kind: "node0/gpu0->node0/gpu1"
  std::string what;  ///< for people: "NVLink", "InfiniBand", "storage read", "JPEG decoding on the CPU cores"
  double capacity = 0;         ///< bytes/s, or samples/s for the cores
  bool is_input_only = false;  ///< storage and cores: scaled by input_scale, not network_scale
  int multiplicity = 1;        ///< how many real resources it stands for
  std::vector<std::pair<int, double>> uses =
      {};  ///< pattern and units through it per unit of work, ascending
  /// Resources with the same number are each other's counterparts on other nodes, which most patterns load
  /// alike; 0: it has none.
  int counterparts = 0;
  /// Where the links are that it stands for, and how many are there; empty: it is none.
  std::vector<std::pair<LinkPlace, int>> places = {};
  [[nodiscard]] double use_by(int pattern) const;
};

inline constexpr int input_pattern = 0;  ///< work in samples, as of all crews' input; all others in bytes

struct FlowStage {
  int pattern = 0;
  double work = 0;  ///< bytes
  double rate_cap = 0;
  Duration latency{0};
};

/// One message's way, stage after stage.
struct Exchange {
  int bucket = 0;
  std::vector<FlowStage> stages;
};

/// What the ranks that wait for each other do (models/step/crews.hpp).
struct CrewPlan {
  int ranks = 0;
  NodePace pace;
  int input = input_pattern;  ///< of its samples
  std::vector<Exchange> exchanges = {};
};

struct DataParallelPlan {
  int ranks = 0;
  int patterns = 1;
  std::vector<double> weights;  ///< of each pattern, where it shares a resource with others
  std::vector<PlanResource> resources;
  std::vector<CrewPlan> crews;  ///< at least one; several where nobody waits for the slowest
  // Of the state of training, if the spec saves it: each byte written, copied to the host, read by all nodes.
  int write_pattern = 0, copy_pattern = 0, restore_pattern = 0;
  double busiest_save = 1;  ///< of the state, what the node with the most of it writes and reads
  int streams = 1;          ///< exchanges under way at once
  bool on_gpus = false;     ///< the exchange takes multiprocessors from the GPUs
  Duration extra_forward{0}, extra_backward{0};  ///< activations that split layers wait for
  double comm_log_sigma = 0;
};

/// Throws Error where the exchange cannot be done on this cluster.
DataParallelPlan plan_data_parallel(const Cluster& cluster, const TrainingSpec& spec,
                                    std::span<const GradientBucket> buckets);

/// What one GPU gets of `alone` when all GPUs of a node copy their images at once: they lie in the memory of
/// one socket (a batch is one array of the host), and the copies share the links on their way.
Bandwidth image_copy_rate(const Cluster& cluster, Bandwidth alone);

}  // namespace rackcast
