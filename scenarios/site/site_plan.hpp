#pragma once
/// What stands in the racks of a cluster, and how many racks it takes: the part of a site that the search for
/// a node count needs too.
#include <optional>
#include <string>
#include <vector>

#include "models/collectives/cluster.hpp"
#include "models/site/rack_elevation.hpp"
#include "scenarios/format/site_spec.hpp"
#include "scenarios/limits/missing_facts.hpp"

namespace rackcast {

struct StorageSpec;

/// `idle`: a node without a GPU of the job.
enum class DeviceRole { node, idle, spare, leaf, spine, core, storage, equipment };

/// Equal devices with everything that rack, power and bill of materials ask of them.
struct SiteDevice {
  RackItem item;  ///< its power on the site's basis
  DeviceRole role = DeviceRole::node;
  std::string catalog_kind, catalog_id;  ///< empty: of the scenario
  Power nameplate{0}, typical{0};        ///< a node's under the power cap of its GPUs, if there is one
  bool power_known = true, units_known = true;
  bool nameplate_is_typical = false;  ///< only its typical power is known, and counts as both
};

/// The room as cables are measured in it: rows of racks, a cold and a hot aisle in turn between them.
struct FloorLayout {
  Length rack_width{0}, cold_aisle{0}, hot_aisle{0};
  int racks_per_row = 1;
};

struct SitePlan {
  std::vector<SiteDevice> devices;
  RackSpec rack;
  RackCooling cooling;
  bool rack_power_given = false;
  /// How the racks that nodes come in are cooled, where they come in racks of their own.
  std::optional<RackCooling> own_cooling;
  Pue pue;
  Area area_per_rack{0};
  FloorLayout floor;
  std::vector<std::string> misfits;  ///< why a device fits no such rack
  std::vector<std::string> unknown;  ///< what the catalogue does not say
  std::optional<Packing> packing;    ///< nothing with misfits, or without anything that has rack units

  [[nodiscard]] std::vector<RackItem> items() const;
  /// The same with the other basis of power.
  [[nodiscard]] std::vector<RackItem> items(bool nameplate) const;
  [[nodiscard]] Power nameplate() const;
  [[nodiscard]] Power typical() const;
  /// Devices of this role; 0 where there are none.
  [[nodiscard]] int count(DeviceRole role) const;
  /// Of all equipment whose rack units are known.
  [[nodiscard]] double rack_units() const;
  /// Racks that devices bring with them.
  [[nodiscard]] int own_racks() const;
  /// The most that a rack with these contents may draw; 0: not limited.
  [[nodiscard]] Power power_limit(const RackCounts& counts) const;
  /// What power and rack units leave out; prices are none of a plan's.
  [[nodiscard]] MissingFacts missing() const;
};

/// `cluster`: with its spare nodes, the last `spares` of them. They stand in racks, on the network, at their
/// rating in every limit of power, and idle while the others work. Throws Error, at the place in the
/// scenario, for names that the catalogue does not have.
SitePlan site_plan(const Catalog& catalog, const SiteSpec& site, const Cluster& cluster, int spares,
                   const StorageSpec& storage);

/// Checks every name of the site against the catalogue.
void check_site_names(const Catalog& catalog, const SiteSpec& site);

/// The price of a device: the scenario's, else the catalogue's at the date. Nothing if neither has one.
std::optional<Price> site_price(const Catalog& catalog, const PriceOptions& prices, const std::string& kind,
                                const std::string& id, const std::string& label);

}  // namespace rackcast
