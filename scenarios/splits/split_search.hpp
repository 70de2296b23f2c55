#pragma once
/// The fastest of many meshes, by branch and bound.
///
/// Every candidate has a time that its step cannot fall below (models/split/step_bound.hpp). Candidates are
/// taken in the order of this bound: one that the memory of a GPU does not hold is dropped, the others are
/// simulated. When the bound of the next is above the time of the fifth best, all that remain are slower and
/// are cut off. So the best five are those that simulating every candidate would find, as long as the bounds
/// hold; equal times are ordered by fewer_cuts(). The result depends on nothing but the arguments.
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/graph/step_parts.hpp"
#include "models/split/mesh.hpp"
#include "scenarios/splits/split_space.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// What the search asks of a mesh. Each may throw Error for a mesh that has no model: it is then no
/// candidate.
struct SplitJudge {
  std::function<Duration(const Mesh&)> least;  ///< no step is shorter
  std::function<Bytes(const Mesh&)> memory;    ///< that a GPU needs
  std::function<StepParts(const Mesh&)> step;  ///< simulated
};

struct JudgedSplit {
  Mesh mesh;
  Bytes memory{0};
  StepParts step = {};
};

struct SplitFindings {
  std::vector<JudgedSplit> best;        ///< that fit, the fastest first; at most five
  std::optional<JudgedSplit> smallest;  ///< where none fits: the one that needs least memory, not simulated
  std::size_t considered = 0;           ///< candidates
  std::size_t not_fitting = 0, simulated = 0, cut_off = 0;  ///< what became of them
};

inline constexpr std::size_t best_splits = 5;

SplitFindings search_splits(const std::vector<Mesh>& candidates, Bytes available, const SplitJudge& judge);

/// A mesh that differs from the chosen one in one value, and what speaks against it.
struct OtherSplit {
  SplitKey key = SplitKey::tensor;
  std::string value;
  std::optional<Bytes> needed;   ///< more than a GPU has
  std::optional<Duration> step;  ///< else the time of its step
};

/// What a workload with "auto" gets on a number of GPUs.
struct SplitChoice {
  SplitFindings found;
  std::vector<OtherSplit> others;  ///< the obvious alternatives to the best, where any fits
  Bytes available{0};

  [[nodiscard]] bool fits() const { return !found.best.empty(); }
  /// Where none fits, the one that needs least memory. There is a candidate.
  [[nodiscard]] const Mesh& mesh() const { return fits() ? found.best.front().mesh : found.smallest->mesh; }
};

/// Searches the space, which has a candidate, and asks about the neighbours of the best.
SplitChoice choose_split(const SplitSpace& space, Bytes available, const SplitJudge& judge);

}  // namespace rackcast
