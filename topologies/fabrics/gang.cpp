#include "topologies/fabrics/gang.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/base/error.hpp"

namespace rackcast::fabrics {

namespace {

/// Shares of cables are counted in sixteenths: what a plan calls a cable has a sixteenth of the rate here.
constexpr double parts_of_cable = 16;

int parts(double cables) {
  return std::max(1, static_cast<int>(std::ceil(parts_of_cable * cables - 1e-9)));
}

void cut(LinkSpec& cable) {
  cable.raw.value /= parts_of_cable;
  cable.achievable.value /= parts_of_cable;
}

/// Leaves that the ports of one node go to, which place_by_rail numbers rail after rail.
int rails_of(const FabricPlan& plan) {
  return plan.rails == RailPlan::by_rail ? plan.nics : 1;
}

/// Cables from a pod's spines to the cores for one from its leaves to its spines.
double cables_above(const FabricPlan& whole) {
  int cables = 0;
  for (const Trunk& trunk : whole.trunks)
    if (trunk.a >= whole.leaves && trunk.b >= whole.leaves + whole.spines) cables += trunk.cables;
  return static_cast<double>(cables) / whole.spines / (whole.leaves_per_group * whole.uplinks_per_pair);
}

/// Builds the part pod by pod: leaves, then spines, then the core.
class Part {
 public:
  Part(const FabricPlan& whole, const Gang& gang) : whole_(whole), gang_(gang), plan_(whole) {
    plan_.node_leaf.clear();
    plan_.trunks.clear();
    plan_.nodes = 0;
    for (const auto& pod : gang) plan_.nodes += std::accumulate(pod.begin(), pod.end(), 0);
    int units = 0;
    for (const auto& pod : gang) units += static_cast<int>(pod.size());
    stored_ = units * rails_of(whole);
    const bool storage = whole.storage_servers > 0, pods = gang.size() > 1;
    plan_.leaves = stored_ + (storage ? 1 : 0);
    // Behind a core, storage has a spine of its own, so that it takes nothing of a pod's uplinks.
    plan_.spines = plan_.leaves == 1 ? 0 : pods && storage ? pod_count() + 1 : pod_count();
    plan_.cores = pods ? 1 : 0;
    plan_.up = plan_.spines > 0 ? whole.up : 0;
    plan_.groups = std::max(1, plan_.spines);
    plan_.leaves_per_group = plan_.leaves;
    plan_.spines_per_group = plan_.spines > 0 ? 1 : 0;
    plan_.uplinks_per_pair = 0;  // they differ
    cut(plan_.trunk_link);
    if (plan_.cores > 0) cut(plan_.core_link);
  }

  FabricPlan plan() {
    for (int pod = 0; pod < pod_count(); ++pod) add_pod(pod);
    add_storage();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] int pod_count() const { return static_cast<int>(gang_.size()); }
  void join(int below, int above, double cables) { plan_.trunks.push_back({below, above, parts(cables)}); }

  void add_pod(int pod) {
    const int rails = rails_of(whole_), spine = plan_.leaves + pod;
    double uplinks = 0;
    for (const int nodes : gang_[static_cast<std::size_t>(pod)]) {
      for (int port = 0; port < nodes * whole_.nics; ++port)
        plan_.node_leaf.push_back(leaf_ + port % whole_.nics * rails / whole_.nics);
      const double ports = static_cast<double>(nodes) * whole_.nics / rails;
      const double share = ports * whole_.up / whole_.down;
      for (int rail = 0; rail < rails && plan_.spines > 0; ++rail) join(leaf_ + rail, spine, share);
      uplinks += rails * share;
      leaf_ += rails;
    }
    if (plan_.cores > 0) join(spine, plan_.leaves + plan_.spines, uplinks * cables_above(whole_));
  }

  void add_storage() {
    plan_.storage_leaf.assign(static_cast<std::size_t>(whole_.storage_cables()), stored_);
    if (whole_.storage_servers == 0) return;
    const int spine = plan_.leaves + plan_.spines - 1;
    join(stored_, spine, whole_.storage_cables() * (*whole_.port_link.raw / *whole_.trunk_link.raw));
    if (plan_.cores > 0)
      join(spine, plan_.leaves + plan_.spines,
           whole_.storage_cables() * (*whole_.port_link.raw / *whole_.core_link.raw));
  }

  const FabricPlan& whole_;
  const Gang& gang_;
  FabricPlan plan_;
  int leaf_ = 0, stored_ = 0;  ///< the next leaf of nodes; that of the storage
};

}  // namespace

std::vector<NodePlace> node_places(const FabricPlan& plan) {
  const bool pods = plan.kind == "three_level";
  if ((!pods && plan.kind != "two_level") || plan.nics < 1) return {};
  const bool together = plan.rails == RailPlan::by_node && plan.planes == 1;
  if (together && plan.nics > plan.down) return {};
  std::vector<NodePlace> out;
  for (int node = 0; node < plan.nodes; ++node) {
    const int leaf = plan.node_leaf[static_cast<std::size_t>(node) * static_cast<std::size_t>(plan.nics)];
    out.push_back({leaf, pods ? leaf / plan.leaves_per_group : 0});
  }
  return out;
}

FabricPlan part_of_gang(const FabricPlan& whole, const Gang& gang) {
  if (node_places(whole).empty() || whole.planes > 1)
    throw Error{"only a fat tree of two or three levels tells which nodes share a leaf switch"};
  return Part{whole, gang}.plan();
}

}  // namespace rackcast::fabrics
