#pragma once
/// Cables of a network between devices in racks: their lengths, and the products of these lengths.
#include <optional>
#include <string>
#include <vector>

#include "models/site/rack_elevation.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

class Catalog;
struct FabricPlan;

/// Where the ends are: the rack and the unit of a device.
struct RackPosition {
  int rack = 0, u = 1;
};

/// Where the devices of a network stand; switches count leaves, then spines, then cores.
struct Positions {
  std::vector<RackPosition> nodes, switches, storage;
};

/// The room: racks stand in rows side by side, the rows one aisle pitch apart.
struct Room {
  int rack_units = 42;
  Length rack_width{0.6}, row_pitch{2.12};  ///< depth plus half of a cold and of a hot aisle
};

/// Racks that stand side by side before the next row begins (models/data/site/cabling.json).
int racks_per_row();

/// Equal cables: of one use, link, product and length class.
struct CableGroup {
  std::string use;      ///< "node to leaf", "leaf to spine", ...
  std::string link;     ///< "edr"
  std::string product;  ///< id below cables; empty: the catalogue has none that reaches so far
  std::string name;     ///< of the product, for people
  Length length{0};     ///< class: the next length that is sold
  int count = 0;
};

/// Within a rack straight from unit to unit, else up to the tray, along and down again, plus slack at the
/// ends (models/data/site/cabling.json). A cable that is longer than the longest class keeps its length.
/// Groups come by use, then length.
std::vector<CableGroup> cables(const Catalog& catalog, const FabricPlan& plan, const Positions& positions,
                               const Room& room);

}  // namespace rackcast
