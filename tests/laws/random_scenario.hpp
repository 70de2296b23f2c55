#pragma once
/// Random scenarios that a user could write: training, training split over GPUs, sizing and serving. Every
/// name is drawn from the catalogue and the data files, so a new entry is covered when it is added.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "topologies/catalog/catalog.hpp"

namespace rackcast {

/// A network of models/data/workloads, as far as a scenario depends on it.
struct NetworkName {
  std::string name;
  double parameters = 0;
  bool transformer = false, causal = false;
  int heads = 0, layers = 0, experts = 0;
};

/// What scenarios are made of.
struct ScenarioNames {
  std::vector<NetworkName> networks;
  std::vector<std::string> nodes, gpus, clusters, storage, switches, links, frameworks, engines, exchanges,
      collectives, transports, compressions, fabrics;
  static ScenarioNames of(const Catalog& catalog);
};

/// The scenario of this seed; the same for the same catalogue. Most of them have an answer; some are refused
/// with a message, because a combination that nobody can build is drawn too.
nlohmann::json random_scenario(std::uint64_t seed, const ScenarioNames& names, const Catalog& catalog);

}  // namespace rackcast
