#include "models/step/link_merger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "models/collectives/cluster.hpp"
#include "models/step/straggler.hpp"

namespace rackcast {

namespace {

std::string for_people(LinkKind kind) {
  switch (kind) {
    case LinkKind::nvlink:
      return "NVLink";
    case LinkKind::xgmi:
      return "xGMI";
    case LinkKind::pcie:
      return "PCIe";
    case LinkKind::socket:
      return "the link between the CPU sockets";
    case LinkKind::infiniband:
      return "InfiniBand";
    case LinkKind::ethernet:
      return "Ethernet";
    case LinkKind::fabric:
      return "the fabric";
  }
  return "?";
}

std::string_view for_people(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::gpu:
      return "GPU";
    case DeviceKind::cpu:
      return "CPU";
    case DeviceKind::pcie_switch:
      return "PCIe switch";
    case DeviceKind::nvswitch:
      return "NVSwitch";
    case DeviceKind::nic:
      return "NIC";
    default:
      return to_string(kind);
  }
}

/// "NVLink x2, GPU 5 to GPU 6 of node 3", "InfiniBand, leaf 0 to NIC 1 of node 3": a row of a trace.
std::string for_people(const Topology& topology, LinkId id) {
  const Link& link = topology.link(id);
  const LinkKind kind = topology.class_of(id).kind;
  const Device &from = topology.device(link.from), &to = topology.device(link.to);
  const auto device = [](const Device& d, bool placed) {
    const std::string name = fmt::format("{} {}", for_people(d.kind), d.index);
    return placed && d.node != no_id ? fmt::format("{} of node {}", name, d.node) : name;
  };
  const std::string what = kind == LinkKind::socket   ? "CPU link"
                           : kind == LinkKind::fabric ? "fabric"
                                                      : for_people(kind);
  return fmt::format("{}{}, {} to {}", what, link.width > 1 ? fmt::format(" x{}", link.width) : "",
                     device(from, from.node != to.node), device(to, true));
}

using Uses = std::vector<std::pair<int, double>>;

/// Of its normal rate: that of the slower node of a link between nodes.
double pace_of(const Topology& topology, const std::vector<NodePace>& paces, LinkId link) {
  const LinkKind kind = topology.class_of(link).kind;
  if (kind != LinkKind::infiniband && kind != LinkKind::ethernet) return 1;
  double pace = 1;
  for (const DeviceId end : {topology.link(link).from, topology.link(link).to}) {
    const int node = topology.device(end).node;
    if (node != no_id) pace = std::min(pace, paces[static_cast<std::size_t>(node)].network);
  }
  return pace;
}

class LinkMerger {
 public:
  LinkMerger(const Cluster& cluster, const LinkRates& rates, const std::vector<PatternPart>& parts,
             const TrainingSpec& spec, std::vector<PlanResource>& out)
      : topology_{cluster.topology},
        rates_{rates},
        parts_{parts},
        paces_{node_paces(cluster, spec.stragglers)},
        fold_{spec.fold},
        out_{out} {}

  void run() {
    const std::vector<int> kinds = kinds_of_nodes();
    std::map<int, std::vector<Found>> known;  // of a node of the kind
    for (std::size_t node = 0; node < kinds.size(); ++node) {
      if (kinds[node] == 0) continue;
      const auto [it, fresh] = known.try_emplace(kinds[node]);
      if (fresh || !fold_) {
        it->second.clear();
        for (const PatternPart& part : parts_) add_node(part, static_cast<int>(node));
        merge([&, own = &it->second](const Found& found) { own->push_back(found); });
      } else {
        for (const Found& found : it->second) count(found);
      }
    }
    for (const PatternPart& part : parts_)
      for (const LinkLoad& load : part.links->fabric) add(part, load);
    merge([](const Found&) {});
  }

 private:
  struct Load {
    LinkId link = no_id;
    int pattern = 0;
    double bytes = 0;
  };

  /// The resource that stands for a link, and which of its places is the link's.
  struct Found {
    std::size_t resource = 0, place = 0;
  };

  void count(const Found& found) {
    PlanResource& resource = out_[found.resource];
    ++resource.multiplicity;
    ++resource.places[found.place].second;
  }

  /// Nodes of a kind are loaded alike by every part and are as fast as each other. 0: not loaded at all.
  [[nodiscard]] std::vector<int> kinds_of_nodes() const {
    std::vector<int> kinds(static_cast<std::size_t>(topology_.nodes()), 0);
    const auto refine = [&kinds](auto&& feature) {
      std::map<std::pair<int, std::int64_t>, int> numbers{{{0, -1}, 0}};
      for (std::size_t node = 0; node < kinds.size(); ++node)
        kinds[node] = numbers.emplace(std::pair{kinds[node], feature(node)}, static_cast<int>(numbers.size()))
                          .first->second;
    };
    for (const PatternPart& part : parts_) {
      const std::vector<std::int32_t>& classes = part.links->class_of_node;
      if (!classes.empty()) refine([&](std::size_t node) { return std::int64_t{classes[node]}; });
    }
    std::map<double, std::int64_t> paces;
    for (const NodePace& pace : paces_) paces.emplace(pace.network, 0);
    if (paces.size() > 1) {
      std::int64_t number = 0;
      for (auto& [pace, own] : paces) own = number++;
      refine([&](std::size_t node) {
        return kinds[node] == 0 ? std::int64_t{-1} : paces.find(paces_[node].network)->second;
      });
    }
    return kinds;
  }

  void add(const PatternPart& part, const LinkLoad& load, LinkId shift = 0) {
    const double bytes = load.bytes * part.factor;
    if (bytes > 0) loads_.push_back({load.link + shift, part.pattern, bytes});
  }

  void add_node(const PatternPart& part, int node) {
    if (part.links->class_of_node.empty()) return;
    const int number = part.links->class_of_node[static_cast<std::size_t>(node)];
    if (number < 0) return;
    const LinkPattern::NodeClass& own = part.links->classes[static_cast<std::size_t>(number)];
    const LinkId shift = topology_.node(node).first_link - topology_.node(own.first_node).first_link;
    for (const LinkLoad& load : own.loads) add(part, load, shift);
  }

  /// Makes resources of what has been added, one link after the other, and calls found(Found) for each.
  template <class F>
  void merge(F&& found) {
    std::ranges::stable_sort(loads_, [](const Load& a, const Load& b) {
      return a.link != b.link ? a.link < b.link : a.pattern < b.pattern;
    });
    for (auto at = loads_.begin(); at != loads_.end();) {
      const LinkId link = at->link;
      const double pace = pace_of(topology_, paces_, link);
      own_.first = rates_.of(link).base() * pace;
      own_.second.clear();
      for (; at != loads_.end() && at->link == link; ++at) {
        if (!own_.second.empty() && own_.second.back().first == at->pattern)
          own_.second.back().second += at->bytes;
        else
          own_.second.emplace_back(at->pattern, at->bytes);
      }
      found(resource_of(link, pace));
    }
    loads_.clear();
  }

  Found resource_of(LinkId link, double pace) {
    const LinkPlace place = place_of(link);
    const auto it = seen_.lower_bound(own_);
    const bool known = it != seen_.end() && it->first == own_;
    if (known && fold_) {
      auto& places = out_[it->second].places;
      const auto at = std::ranges::find(places, place, &std::pair<LinkPlace, int>::first);
      const Found found{it->second, static_cast<std::size_t>(at - places.begin())};
      if (at == places.end()) places.emplace_back(place, 0);
      count(found);
      return found;
    }
    if (!known) seen_.emplace_hint(it, own_, out_.size());
    const std::string kind = for_people(place.kind);
    out_.push_back({for_people(topology_, link),
                    pace < 1 ? kind + " of the stragglers" : kind,
                    own_.first,
                    false,
                    1,
                    own_.second,
                    counterparts_of(link),
                    {{place, 1}}});
    return {out_.size() - 1, 0};
  }

  [[nodiscard]] LinkPlace place_of(LinkId id) const {
    const Link& link = topology_.link(id);
    return {topology_.class_of(id).kind, topology_.device(link.from).kind, topology_.device(link.to).kind};
  }

  /// Links between devices of the same kinds and places in their nodes.
  int counterparts_of(LinkId id) {
    const Link& link = topology_.link(id);
    const auto place = [&](DeviceId device) {
      const Device& d = topology_.device(device);
      return std::pair{d.kind, d.node == no_id ? -1 : d.index};
    };
    const auto next = static_cast<int>(counterparts_.size()) + 1;
    return counterparts_.try_emplace({topology_.class_of(id).kind, place(link.from), place(link.to)}, next)
        .first->second;
  }

  const Topology& topology_;
  const LinkRates& rates_;
  const std::vector<PatternPart>& parts_;
  std::vector<NodePace> paces_;
  bool fold_;
  std::vector<PlanResource>& out_;
  std::vector<Load> loads_;
  std::pair<double, Uses> own_;
  std::map<std::pair<double, Uses>, std::size_t> seen_;
  using Place = std::pair<DeviceKind, int>;
  std::map<std::tuple<LinkKind, Place, Place>, int> counterparts_;
};

}  // namespace

void merge_links(const Cluster& cluster, const LinkRates& rates, const std::vector<PatternPart>& parts,
                 const TrainingSpec& spec, std::vector<PlanResource>& out) {
  LinkMerger{cluster, rates, parts, spec, out}.run();
}

}  // namespace rackcast
