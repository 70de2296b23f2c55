#pragma once
/// Points of which none is better than another in everything.
#include <cstddef>
#include <vector>

namespace rackcast {

/// Is `a` nowhere more than `b`, and somewhere less? A difference below 1e-9 of the value is none.
bool dominates(const std::vector<double>& a, const std::vector<double>& b);

/// The indices, ascending, of the points that no other one dominates; of equal points the first. Less is
/// better in every dimension; all points have as many.
std::vector<std::size_t> pareto_front(const std::vector<std::vector<double>>& points);

}  // namespace rackcast
