#include "topologies/routing/route_loads.hpp"

namespace rackcast {

double RouteLoads::at_bridge(LinkId id, DeviceId first, DeviceId last) const {
  const Topology& t = router_.topology();
  if (t.class_of(id).kind != LinkKind::pcie) return 1;
  const Link& link = t.link(id);
  const bool cpu = t.device(link.to).kind == DeviceKind::cpu || t.device(link.from).kind == DeviceKind::cpu;
  return cpu && link.from != first && link.to != last ? bridge_ : 1;
}

void RouteLoads::add(const RouteParts::InNode& part, bool begins, bool ends, double bytes) {
  if (!part.route) return;
  const auto [it, fresh] = sequences_.emplace(std::tuple{part.route, begins, ends, bytes}, 0);
  if (fresh) {
    const Topology& t = router_.topology();
    const LinkId base = t.node(part.node).first_link - part.shift;
    // Ends of the message as seen in the first node of the shape.
    const DeviceId from = begins ? t.link(part.route->hops.front().link).from : no_id;
    const DeviceId to = ends ? t.link(part.route->hops.back().link).to : no_id;
    std::vector<LinkLoad> offsets;
    for (const Hop& hop : part.route->hops)
      offsets.push_back({hop.link - base, bytes * hop.share * at_bridge(hop.link, from, to)});
    it->second = loads_.sequence(std::move(offsets));
  }
  loads_.add_sequence(part.node, it->second);
}

void RouteLoads::add(DeviceId from, DeviceId to, double bytes, const RouteChoice& choice) {
  if (bytes == 0) return;
  const RouteParts parts = router_.parts(from, to, choice);
  const bool inside = parts.fabric.empty() && !parts.in.route;
  add(parts.out, true, inside, bytes);
  for (const Hop& hop : parts.fabric) loads_.add(hop.link, bytes * hop.share);
  add(parts.in, false, true, bytes);
}

}  // namespace rackcast
