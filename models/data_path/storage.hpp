#pragma once
/// A storage system of the catalogue as the planner needs it.
#include <optional>
#include <string>

#include "models/data_path/storage_system.hpp"
#include "sim/units/quantity.hpp"
#include "topologies/catalog/known.hpp"

namespace rackcast {

class Catalog;

/// One array or server; a scenario may buy several.
struct StorageFacts {
  std::string id, name;
  Bandwidth read{0};   ///< large reads, aggregate over all clients
  Bandwidth write{0};  ///< 0: the catalogue does not say, as for the limits below
  Frequency operations{0}, opens{0};
  Bandwidth per_client{0};
  Duration latency{0};
  StorageKind kind = StorageKind::array;
  std::optional<Bytes> capacity;  ///< nothing if the catalogue does not say
  bool from_memory = false;       ///< the read rate was recalled, not read in a source
  std::string read_source, read_fact;
};

/// `facts` with every rate multiplied by `factor`.
StorageFacts faster(StorageFacts facts, double factor);

/// Throws Error with near matches for an unknown array, or if the entry has no read rate.
StorageFacts storage_facts(const Catalog& catalog, const std::string& array);

}  // namespace rackcast
