#include "models/site/cabling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>

#include "models/data_files.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/fabrics/fabric_plan.hpp"

namespace rackcast {

namespace {

constexpr double unit_m = 0.04445;  ///< EIA-310-D

struct Rules {
  double slack = 0, tray = 0;
  int racks_per_row = 1;
  std::vector<double> lengths;
  Json products;
};

Rules read_rules() {
  const Json data = parse_model_data("site/cabling.json");
  const auto value = [&data](const char* key) {
    return data.require(key).require("value").number();
  };
  Rules rules{value("slack_m"),
              value("tray_m"),
              static_cast<int>(value("racks_per_row")),
              {},
              data.require("cables")};
  for (const Json& one : data.require("lengths_m").array()) rules.lengths.push_back(one.number());
  return rules;
}

double length_m(const RackPosition& a, const RackPosition& b, const Room& room, const Rules& rules) {
  if (a.rack == b.rack) return std::abs(a.u - b.u) * unit_m + rules.slack;
  const double up = (2 * room.rack_units - a.u - b.u) * unit_m;
  const double along =
      std::abs(a.rack % rules.racks_per_row - b.rack % rules.racks_per_row) * room.rack_width.base();
  const double across =
      std::abs(a.rack / rules.racks_per_row - b.rack / rules.racks_per_row) * room.row_pitch.base();
  return up + along + across + 2 * rules.tray + rules.slack;
}

/// "edr" of "infiniband_4x/edr".
std::string short_link(const std::string& id) {
  return id.substr(id.rfind('/') + 1);
}

class Collector {
 public:
  Collector(const Catalog& catalog, const Room& room)
      : catalog_(catalog), room_(room), rules_(read_rules()) {}

  void add(int order, const char* use, const std::string& link, const RackPosition& a, const RackPosition& b,
           int count) {
    const double metres = length_m(a, b, room_, rules_);
    const auto sold = std::ranges::lower_bound(rules_.lengths, metres);
    const double length = sold == rules_.lengths.end() ? std::ceil(metres) : *sold;
    groups_[{order, use, short_link(link), length}] += count;
  }

  [[nodiscard]] std::vector<CableGroup> groups() const {
    std::vector<CableGroup> out;
    for (const auto& [key, count] : groups_) {
      const auto& [order, use, link, length] = key;
      out.push_back({use, link, product(link, length), {}, Length{length}, count});
    }
    return out;
  }

 private:
  /// The first product, cheap before dear, that reaches so far.
  [[nodiscard]] std::string product(const std::string& link, double length) const {
    const Json* known = rules_.products.find(link);
    if (!known) return {};
    for (const Json& one : known->array()) {
      if (catalog_.find("cables", one.string()).require("reach_m").number() >= length) return one.string();
    }
    return {};
  }

  const Catalog& catalog_;
  const Room& room_;
  Rules rules_;
  std::map<std::tuple<int, std::string, std::string, double>, int> groups_;
};

const RackPosition& at(const std::vector<RackPosition>& positions, int index) {
  return positions.at(static_cast<std::size_t>(index));
}

}  // namespace

int racks_per_row() {
  return read_rules().racks_per_row;
}

std::vector<CableGroup> cables(const Catalog& catalog, const FabricPlan& plan, const Positions& positions,
                               const Room& room) {
  Collector collector{catalog, room};
  for (int n = 0; n < plan.node_cables(); ++n) {
    const int leaf = plan.node_leaf[static_cast<std::size_t>(n)];
    collector.add(0, "node to leaf", plan.port_link.id, at(positions.nodes, n / plan.nics),
                  at(positions.switches, leaf), 1);
  }
  for (int s = 0; s < plan.storage_cables(); ++s) {
    const int leaf = plan.storage_leaf[static_cast<std::size_t>(s)];
    collector.add(1, "storage to leaf", plan.port_link.id, at(positions.storage, s / plan.storage_links),
                  at(positions.switches, leaf), 1);
  }
  for (const Trunk& trunk : plan.trunks) {
    const bool above = trunk.a >= plan.leaves && trunk.b >= plan.leaves;
    const std::string& link = above ? plan.core_link.id : plan.trunk_link.id;
    const char* use = above                                            ? "between spines and cores"
                      : trunk.a < plan.leaves && trunk.b < plan.leaves ? "leaf to leaf"
                                                                       : "leaf to spine";
    collector.add(above ? 3 : 2, use, link, at(positions.switches, trunk.a), at(positions.switches, trunk.b),
                  trunk.cables);
  }
  return collector.groups();
}

}  // namespace rackcast
