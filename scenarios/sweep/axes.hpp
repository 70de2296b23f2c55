#pragma once
/// Axes of a sweep: --vary PATH=VALUES, each VALUES one of
///
///   1..128          whole numbers, each
///   1..128:8        each eighth
///   1..1024*2       each time twice the one before
///   0.5..8#16       16 numbers, evenly spaced by logarithm
///   5..20 ms#4      the same with a unit behind the end
///   a,b,c           a list, of numbers or texts ("14 days,28 days")
///
/// The points of a sweep are all combinations, the last axis fastest.
#include <cstdint>
#include <string>
#include <vector>

namespace rackcast {

struct SweepAxis {
  std::string path;                 ///< "cluster.nodes"
  std::vector<std::string> values;  ///< as --set would take them
};

/// Throws Error (usage) for a text of another form, an empty range, or more than a million values.
SweepAxis read_axis(const std::string& text);

/// Number of points of all axes together. Throws Error (usage) beyond 100 million.
std::uint64_t point_count(const std::vector<SweepAxis>& axes);

/// The value of each axis at point `index`.
std::vector<std::string> point_values(const std::vector<SweepAxis>& axes, std::uint64_t index);

}  // namespace rackcast
