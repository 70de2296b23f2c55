#include "scenarios/document/site.hpp"

#include <algorithm>
#include <iterator>

#include "scenarios/document/form/read.hpp"

namespace rackcast::doc {

void check(const SiteRacks& racks, const Json& json) {
  for (std::size_t i = 0; i < racks.group_of_rack.size(); ++i) {
    if (racks.group_of_rack[i] < std::ssize(racks.groups)) continue;
    json.require("group_of_rack")
        .array()[i]
        .fail("there is no such group of racks", std::string{damaged_hint});
  }
  for (const SiteRacks::Group& group : racks.groups) {
    const std::int64_t top = group.rack_units.value_or(racks.units);
    if (std::ranges::any_of(group.positions, [top](const auto& p) { return p.u + p.units - 1 > top; }))
      json.require("groups").fail("a device stands above the top of its rack", std::string{damaged_hint});
  }
}

}  // namespace rackcast::doc
