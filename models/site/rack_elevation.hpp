#pragma once
/// Where each device of a rack stands: U numbers count from 1 at the bottom.
#include <vector>

#include "models/site/rack_packing.hpp"

namespace rackcast {

enum class RackSide { front, rear };
std::string_view to_string(RackSide);

struct Placed {
  std::size_t item = 0;             ///< kind of device
  int number = 0;                   ///< of the device among its kind, over all racks
  int u = 1;                        ///< lowest unit that it fills
  RackSide side = RackSide::front;  ///< where it is mounted; a device is as deep as the rack and fills both
};

/// The racks of a packing, bottom up: servers, the heavy ones first, then storage, other equipment, and the
/// switches on top, mounted at the rear where the servers' ports are. Devices are numbered rack by rack.
std::vector<std::vector<Placed>> rack_elevations(const std::vector<RackItem>& items,
                                                 const std::vector<RackCounts>& racks);

}  // namespace rackcast
