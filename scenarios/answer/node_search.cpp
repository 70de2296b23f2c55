#include "scenarios/answer/node_search.hpp"

#include <algorithm>

namespace rackcast {

std::optional<std::size_t> first_enough(SearchSpan span, const std::function<bool(std::size_t)>& enough) {
  std::size_t low = span.first, high = span.start;  // every place below `low` is known or taken to fail
  if (enough(high)) {
    for (; low == span.first && high > low && high - low >= span.step; span.step *= 2) {
      const std::size_t next = high - span.step;
      if (enough(next))
        high = next;
      else
        low = next + 1;
    }
  } else {
    do {
      if (high == span.last) return std::nullopt;
      low = high + 1;
      high += std::min(span.step, span.last - high);
      span.step *= 2;
    } while (!enough(high));
  }
  while (low < high) {
    const std::size_t middle = low + (high - low - 1) / 2;
    if (enough(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

std::optional<Smaller> why_not_fewer(NodeDemand& demand, int nodes) {
  if (nodes <= 1) return std::nullopt;
  return demand.falls_short(demand.below(nodes));
}

}  // namespace rackcast
