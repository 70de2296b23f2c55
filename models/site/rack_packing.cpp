#include "models/site/rack_packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

#include "models/site/rack_patterns.hpp"
#include "sim/base/error.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

constexpr double slack = 1e-9;  ///< of a limit, for sums of decimal fractions

/// One limit of a rack, and what a device takes of it.
struct Limit {
  const char* name;
  double (*capacity)(const RackSpec&);
  double (*demand)(const RackItem&);
};
constexpr std::array<Limit, 5> limits{{
    {"rack units", [](const RackSpec& r) { return static_cast<double>(r.usable_units()); },
     [](const RackItem& i) {
       return static_cast<double>(i.units);
     }},
    {"power", [](const RackSpec& r) { return r.power.base(); },
     [](const RackItem& i) {
       return i.power.base();
     }},
    {"weight", [](const RackSpec& r) { return r.load.base(); },
     [](const RackItem& i) {
       return i.weight.base();
     }},
    {"outlets", [](const RackSpec& r) { return static_cast<double>(r.outlets); },
     [](const RackItem& i) {
       return static_cast<double>(i.outlets);
     }},
    {"ports", [](const RackSpec& r) { return static_cast<double>(r.ports); },
     [](const RackItem& i) {
       return static_cast<double>(i.ports);
     }},
}};

bool within(double demand, double capacity) {
  return demand <= capacity * (1 + slack);
}

/// Is the limit one? Zero means none, but for units: a rack whose units are all reserved takes nothing.
bool counts(const Limit& limit, const RackSpec& rack) {
  return &limit == &limits.front() || limit.capacity(rack) > 0;
}

/// The largest share of a rack that one device takes.
double size_of(const RackItem& item, const RackSpec& rack) {
  double most = 0;
  for (const Limit& limit : limits) {
    if (counts(limit, rack)) most = std::max(most, limit.demand(item) / limit.capacity(rack));
  }
  return most;
}

/// The fullest limit of a rack, as a share.
double load_of(const std::vector<RackItem>& items, const RackCounts& rack_counts, const RackSpec& rack) {
  double most = 0;
  for (const Limit& limit : limits) {
    if (!counts(limit, rack)) continue;
    double sum = 0;
    for (std::size_t k = 0; k < items.size(); ++k) sum += rack_counts[k] * limit.demand(items[k]);
    most = std::max(most, sum / limit.capacity(rack));
  }
  return most;
}

/// Kinds from the largest to the smallest device; equal ones in the order given.
std::vector<std::size_t> by_size(const std::vector<RackItem>& items, const RackSpec& rack) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return size_of(items[a], rack) > size_of(items[b], rack); });
  return order;
}

bool add_if_fits(const std::vector<RackItem>& items, RackCounts& rack_counts, std::size_t kind,
                 const RackSpec& rack) {
  ++rack_counts[kind];
  if (fits(items, rack_counts, rack)) return true;
  --rack_counts[kind];
  return false;
}

std::vector<RackCounts> first_fit(const std::vector<RackItem>& items, const RackSpec& rack) {
  std::vector<RackCounts> racks;
  for (const std::size_t kind : by_size(items, rack)) {
    std::size_t open = 0;  // equal devices: where one did not fit, the next will not either
    for (int n = 0; n < items[kind].count; ++n) {
      while (open < racks.size() && !add_if_fits(items, racks[open], kind, rack)) ++open;
      if (open == racks.size()) {
        racks.emplace_back(items.size(), 0);
        ++racks.back()[kind];
      }
    }
  }
  return racks;
}

/// Every kind over all of `number` racks, each device to the emptiest that has the fewest of its kind.
std::optional<std::vector<RackCounts>> even_spread(const std::vector<RackItem>& items, const RackSpec& rack,
                                                   int number) {
  std::vector<RackCounts> racks(static_cast<std::size_t>(number), RackCounts(items.size(), 0));
  for (const std::size_t kind : by_size(items, rack)) {
    const int each = items[kind].count / number;
    for (RackCounts& one : racks) one[kind] = each;
    if (!std::ranges::all_of(racks, [&](const RackCounts& one) { return fits(items, one, rack); })) return {};
    std::vector<std::size_t> order(racks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<double> loads;
    for (const RackCounts& one : racks) loads.push_back(load_of(items, one, rack));
    std::ranges::stable_sort(order, {}, [&](std::size_t r) { return loads[r]; });
    int left = items[kind].count - each * number;
    for (const std::size_t r : order) {
      if (left > 0 && add_if_fits(items, racks[r], kind, rack)) --left;
    }
    if (left > 0) return {};
  }
  return racks;
}

void keep_better(Packing& best, std::vector<RackCounts> racks, const char* method) {
  if (best.racks.empty() || racks.size() < best.racks.size()) {
    best.racks = std::move(racks);
    best.method = method;
  }
}

/// The bound of the relaxation, and a packing of its whole racks and the best one of what they leave: a
/// problem of a few racks whatever the size of the whole. Mostly the two meet.
std::optional<ExactPacking> pack_by_relaxation(const std::vector<RackItem>& items, const RackSpec& rack,
                                               const std::vector<RackCounts>& patterns) {
  auto relaxed = pack_relaxed(items, patterns);
  if (!relaxed) return std::nullopt;
  ExactPacking out{std::move(relaxed->whole), relaxed->lower_bound};
  std::vector<RackItem> rest = items;
  for (std::size_t k = 0; k < rest.size(); ++k) rest[k].count = relaxed->left[k];
  if (std::ranges::all_of(rest, [](const RackItem& item) { return item.count == 0; })) return out;
  const auto ways = maximal_patterns(rest, rack);
  const auto found = ways ? pack_exactly(rest, *ways) : std::nullopt;
  std::ranges::copy(found ? found->racks : first_fit(rest, rack), std::back_inserter(out.racks));
  return out;
}

/// The exact method's answer, where it is better or closes the gap.
void improve_exactly(const std::vector<RackItem>& items, const RackSpec& rack, PackMethod method,
                     Packing& best) {
  const bool asked = method == PackMethod::exact;
  if (asked && !exact_packing_available()) {
    throw Error{"this program was built without CBC, so it cannot pack exactly",
                {},
                "take \"method\": \"automatic\", or build with the package coinor-libcbc-dev"};
  }
  const auto patterns = maximal_patterns(items, rack);
  if (!patterns) {
    if (asked)
      throw Error{fmt::format("one rack can be filled in more than {} ways", most_patterns),
                  {},
                  "take \"method\": \"automatic\""};
    return;
  }
  const auto take = [&](std::optional<ExactPacking> found) {
    if (!found) return;
    best.lower_bound = std::max(best.lower_bound, found->lower_bound);
    if (!asked && found->racks.size() >= best.racks.size()) return;
    best.racks = std::move(found->racks);
    best.method = "exact (CBC)";
  };
  if (!asked) take(pack_by_relaxation(items, rack, *patterns));
  if (asked || !best.optimal()) take(pack_exactly(items, *patterns));
}

constexpr std::array<std::string_view, 4> kind_names{"server", "storage", "equipment", "switch"};
constexpr std::array<std::string_view, 3> method_names{"automatic", "exact", "first_fit"};

}  // namespace

std::string_view to_string(RackItemKind kind) {
  return kind_names.at(static_cast<std::size_t>(kind));
}

PackMethod parse_pack_method(std::string_view name) {
  const auto* found = std::ranges::find(method_names, name);
  if (found == method_names.end()) {
    throw Error{fmt::format("there is no packing method \"{}\"", name), {}, "automatic, exact, first_fit"};
  }
  return static_cast<PackMethod>(found - method_names.begin());
}

std::optional<std::string> misfit(const RackItem& item, const RackSpec& rack) {
  if (item.own_rack) {
    if (!(*item.own_rack > Power{0}) || within(item.power.base(), item.own_rack->base())) return std::nullopt;
    return fmt::format("{} draws {}; its own rack may draw {}", item.name, to_text(item.power),
                       to_text(*item.own_rack));
  }
  if (!within(item.units, rack.usable_units())) {
    return fmt::format("{} takes {} rack units; the rack has {}", item.name, item.units, rack.usable_units());
  }
  if (rack.power > Power{0} && !within(item.power.base(), rack.power.base())) {
    return fmt::format("{} draws {}; the rack may draw {}", item.name, to_text(item.power),
                       to_text(rack.power));
  }
  if (rack.load > Mass{0} && !within(item.weight.base(), rack.load.base())) {
    return fmt::format("{} weighs {}; the rack carries {}", item.name, to_text(item.weight),
                       to_text(rack.load));
  }
  if (rack.depth > Length{0} && !within(item.depth.base(), rack.depth.base())) {
    return fmt::format("{} is {} deep; the rack is {}", item.name, to_text(item.depth), to_text(rack.depth));
  }
  for (const Limit& limit : {limits[3], limits[4]}) {
    const double capacity = limit.capacity(rack), demand = limit.demand(item);
    if (capacity > 0 && demand > capacity) {
      return fmt::format("{} needs {} {}; the rack has {}", item.name, demand, limit.name, capacity);
    }
  }
  return std::nullopt;
}

bool fits(const std::vector<RackItem>& items, const RackCounts& rack_counts, const RackSpec& rack) {
  return load_of(items, rack_counts, rack) <= 1 + slack;
}

int rack_lower_bound(const std::vector<RackItem>& items, const RackSpec& rack) {
  double bound = 0;
  for (const Limit& limit : limits) {
    if (!counts(limit, rack)) continue;
    double sum = 0, large = 0;
    for (const RackItem& item : items) {
      sum += item.count * limit.demand(item);
      if (2 * limit.demand(item) > limit.capacity(rack) * (1 + slack)) large += item.count;
    }
    bound = std::max({bound, std::ceil(sum / limit.capacity(rack) - slack), large});
  }
  return static_cast<int>(bound);
}

namespace {

/// Of devices that share racks.
Packing pack_shared(const std::vector<RackItem>& items, const RackSpec& rack, PackMethod method) {
  Packing best;
  best.lower_bound = rack_lower_bound(items, rack);
  if (best.lower_bound == 0) return best;
  keep_better(best, first_fit(items, rack), "first-fit decreasing");
  if (method == PackMethod::first_fit) return best;
  const auto most = static_cast<int>(best.racks.size());
  constexpr int most_evened = 2000;  // each number of racks is tried with all devices
  for (int number = best.lower_bound; number <= most && most <= most_evened; ++number) {
    if (auto racks = even_spread(items, rack, number)) {
      best.racks = std::move(*racks);  // as many racks at most, and each like the other
      best.method = "even spread";
      break;
    }
  }
  if (method == PackMethod::exact || !best.optimal()) improve_exactly(items, rack, method, best);
  return best;
}

}  // namespace

Packing pack_racks(const std::vector<RackItem>& items, const RackSpec& rack, PackMethod method) {
  for (const RackItem& item : items) {
    if (item.count == 0) continue;
    if (const auto why = misfit(item, rack)) throw Error{*why, {}, "", ErrorKind::infeasible};
  }
  std::vector<RackItem> shared = items;
  std::vector<RackCounts> own;
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (!items[k].own_rack) continue;
    RackCounts one(items.size(), 0);
    one[k] = 1;
    own.insert(own.end(), static_cast<std::size_t>(items[k].count), one);
    shared[k].count = 0;
  }
  Packing out = pack_shared(shared, rack, method);
  if (out.racks.empty() && !own.empty()) out.method = "racks of their own";
  out.lower_bound += static_cast<int>(own.size());
  out.racks.insert(out.racks.begin(), own.begin(), own.end());
  return out;
}

Power rack_power(const std::vector<RackItem>& items, const RackCounts& rack_counts) {
  Power sum{0};
  for (std::size_t k = 0; k < items.size(); ++k) sum += rack_counts[k] * items[k].power;
  return sum;
}

Mass rack_weight(const std::vector<RackItem>& items, const RackCounts& rack_counts) {
  Mass sum{0};
  for (std::size_t k = 0; k < items.size(); ++k) sum += rack_counts[k] * items[k].weight;
  return sum;
}

int rack_units(const std::vector<RackItem>& items, const RackCounts& rack_counts) {
  int sum = 0;
  for (std::size_t k = 0; k < items.size(); ++k) sum += rack_counts[k] * items[k].units;
  return sum;
}

}  // namespace rackcast
