#pragma once
/// The search for the least number of nodes, and its proof: the same for training and for serving.
///
/// A NodeDemand says what a number of nodes comes to. The search asks it at a first count, goes on in growing
/// steps until the threshold lies between two counts, and halves. The answer and the count below it have both
/// been asked, so the proof is what the demand says of that count.
///
/// Assumed: what is enough stays enough with more nodes. Limits that more nodes make worse (power, room,
/// money) are no part of a demand; they are looked at once the number is known.
#include <cstddef>
#include <functional>
#include <optional>

#include "scenarios/result/result.hpp"

namespace rackcast {

/// The places that a search may ask, and where it begins.
struct SearchSpan {
  std::size_t first = 0, last = 0;
  std::size_t start = 0;
  std::size_t step = 1;  ///< the first step away from `start`; each step is twice the one before
};

/// The first place that is enough; nothing if none is. It and the place below have been asked, but for a
/// place below `first`. Requires first <= start <= last.
std::optional<std::size_t> first_enough(SearchSpan span, const std::function<bool(std::size_t)>& enough);

/// What a load or a training asks of a number of nodes.
class NodeDemand {
 public:
  virtual ~NodeDemand() = default;
  /// Do `nodes` keep every limit that more nodes help?
  virtual bool enough(int nodes) = 0;
  /// The next smaller number of nodes that can be built at all; nodes - 1 where none can.
  virtual int below(int nodes) = 0;
  /// Which limit `fewer` nodes break, and by how much.
  virtual Smaller falls_short(int fewer) = 0;
};

/// Why not fewer than `nodes`; nothing for one node.
std::optional<Smaller> why_not_fewer(NodeDemand& demand, int nodes);

}  // namespace rackcast
