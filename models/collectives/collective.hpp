#pragma once
/// Collective operations as flow patterns on the graph of a cluster.
///
/// The idea. A collective is a sequence of stages; within a stage all its messages are under way at once and
/// the data are cut so finely that every link of the pattern is busy from beginning to end. A stage therefore
/// is (1) a latency, the dependent hops through which the first chunk has to go, and (2) a load: how many
/// bytes each link carries for every byte of payload. Nobody else on the links, a stage takes
///
///     t = latency + payload * max over links (load / rate of the link)
///
/// which is the closed form (time_alone); in a simulation the stage is one activity on those links, so what
/// it shares them with shows (sim/engine/fluid.hpp). Both agree where there is no contention, a property test
/// says.
///
/// What the payload is follows nccl-tests: the whole buffer of one rank for all-reduce and broadcast, the
/// whole gathered or scattered buffer (n times a rank's part) for all-gather and reduce-scatter, the whole
/// send buffer of a rank for all-to-all.
///
/// Adding an algorithm: one file with one function, one line in table.cpp.
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/units/quantity.hpp"
#include "topologies/routing/link_loads.hpp"

namespace rackcast {

struct Cluster;
class Layout;
class LinkRates;

enum class Collective { all_reduce, reduce_scatter, all_gather, broadcast, all_to_all, send_recv };
std::string_view to_string(Collective);
/// Bus bandwidth over payload/time, the convention of nccl-tests (doc/PERFORMANCE.md): 2(n-1)/n for
/// all-reduce, (n-1)/n for all-gather, reduce-scatter and all-to-all, 1 else.
double bus_factor(Collective operation, int ranks);

/// Latencies of dependent steps: the start of the operation, a hop inside a node, a hop between nodes.
struct HopLatency {
  Duration start{0}, intra{0}, inter{0};
};

/// The number of each kind of step that the first chunk passes, one after the other.
struct HopCount {
  double start = 0, intra = 0, inter = 0;
  [[nodiscard]] Duration at(const HopLatency& hop) const {
    return start * hop.start + intra * hop.intra + inter * hop.inter;
  }
};

struct CollectiveStage {
  HopCount hops;
  Duration latency{0};  ///< of the hops, once priced()
  /// Bytes over links for each byte of payload. Plans that differ in latency and scale alone share them.
  std::shared_ptr<const LinkPattern> pattern;
  double scale = 1;  ///< factor on the bytes of the pattern
  /// Payload bytes per second at most, whatever the links allow: rings that leave links of a bundle idle,
  /// reductions in host memory.
  Bandwidth ceiling{std::numeric_limits<double>::infinity()};
};

struct CollectivePlan {
  std::string algorithm;
  Collective operation = Collective::all_reduce;
  int ranks = 1;
  std::vector<CollectiveStage> stages;  ///< one after the other

  [[nodiscard]] Duration latency() const;
};

/// Lays out one operation over the ranks of `layout`; priced() then sets the latencies. Throws Error if the
/// algorithm cannot do the operation.
using PlanFunction = CollectivePlan (*)(Layout& layout, Collective operation);

struct CollectiveAlgorithm {
  std::string_view name, help;
  PlanFunction plan;
};

std::span<const CollectiveAlgorithm> collective_algorithms();
/// Throws Error with the known names.
const CollectiveAlgorithm& collective_algorithm(std::string_view name);

/// The plan with the latencies that its hops have with some library and protocol.
CollectivePlan priced(CollectivePlan plan, const HopLatency& hop);

/// Payload bytes per second that the links allow a stage with scale 1; infinite if it loads no link.
Bandwidth link_rate(const CollectiveStage& stage, const LinkRates& rates);

/// Time of the plan in closed form, with no other traffic on its links.
Duration time_alone(const CollectivePlan& plan, Bytes payload, const LinkRates& rates);

/// Multiplies the bytes on the wire: flags of a protocol, headers, 16-bit gradients (0.5).
void scale_loads(CollectivePlan& plan, double factor);

}  // namespace rackcast
