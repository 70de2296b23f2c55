#include "models/reliability/failure_rates.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

namespace {

constexpr Duration kYear{365.25 * 86400};
constexpr Duration kThousandDays{1000 * 86400.0};

ComponentRate component(const CatalogEntry& entry, const std::string& key, std::string name, double count) {
  const Fact& fact = entry.require(key);
  return {std::move(name),   count,         fact.number(),
          fact.confidence(), fact.source(), "reliability/" + entry.id + "/" + key};
}

}  // namespace

Frequency NodeReliability::replacements() const {
  double per_year = 0;
  for (const ComponentRate& c : components) per_year += c.count * c.per_year;
  return std::min(per_year / kYear, interruptions());
}

NodeReliability node_reliability(const Catalog& catalog, const NodeSpec& node) {
  const std::string key = "node_mtbf_h/" + node.gpu.line.failure_era;
  const Fact& mtbf = catalog.find("reliability", "planning_defaults").require(key);
  NodeReliability out;
  // 8: the GPUs of the nodes that the figures are about.
  out.mtbf = Duration{mtbf.number() * 3600} * (8.0 / std::max(1, node.gpus));
  out.confidence = mtbf.confidence();
  out.source = mtbf.source();
  out.fact = "reliability/planning_defaults/" + key;
  out.log_sigma = published_interruptions(catalog, "").log_sigma;
  const CatalogEntry& practice = catalog.find("reliability", "gpu_practice");
  const CatalogEntry& parts = catalog.find("reliability", "components");
  out.components.push_back(
      component(practice, node.gpu.line.replacement_era + "_annual_replacement_fraction", "GPU", node.gpus));
  out.components.push_back(component(parts, "cpu_afr", "CPU", node.sockets));
  if (node.nics > 0) {
    out.components.push_back(component(parts, "nic_afr", "network adapter", node.nics));
    out.components.push_back(
        component(parts, "optical_transceiver_afr", "optical transceiver", 2.0 * node.nics));
  }
  if (node.ssd) out.components.push_back(component(parts, "nvme_afr", "local SSDs, as one", 1));
  return out;
}

RepairDefaults repair_defaults(const Catalog& catalog) {
  const CatalogEntry& entry = catalog.find("reliability", "planning_defaults");
  return {Duration{entry.require("default_timeout_min").number() * 60},
          Duration{entry.require("auto_restart_min").number() * 60},
          Duration{entry.require("node_repair_h").number() * 3600}};
}

PublishedRate published_interruptions(const Catalog& catalog, std::string_view without) {
  const CatalogEntry& rsc = catalog.find("reliability", "meta_rsc_clusters");
  const CatalogEntry& llama = catalog.find("reliability", "llama3_405b");
  struct Row {
    std::string_view study;
    double per_thousand_days;
  };
  const double llama_nodes = llama.require("gpus").number() / 8;
  const std::array rows{
      Row{"meta_rsc_clusters", rsc.require("rsc1_failures_per_1000_node_days").number()},
      Row{"meta_rsc_clusters", rsc.require("rsc2_failures_per_1000_node_days").number()},
      Row{"llama3_405b", llama.require("interruptions_unexpected").number() * 1000 /
                             (llama_nodes * llama.require("days").number())},
  };
  double sum = 0, used = 0, all = 0, squares = 0;
  for (const Row& row : rows) {
    const double log = std::log(row.per_thousand_days);
    all += log / rows.size();
    if (row.study == without) continue;
    sum += log;
    ++used;
  }
  if (used == 0) throw Error{"no published failure rate is left"};
  for (const Row& row : rows) squares += std::pow(std::log(row.per_thousand_days) - all, 2);
  return {std::exp(sum / used) / kThousandDays, std::sqrt(squares / (rows.size() - 1.0))};
}

}  // namespace rackcast
