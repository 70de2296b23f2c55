#pragma once
/// The search for the split of a network over GPUs, in words.
#include <string>

#include "reports/result/result.hpp"

namespace rackcast::reports {

/// "fastest of 12,345 splits", or that none fits.
std::string split_rank_text(const SplitSearch& search);

/// A split with what it takes, in one line.
std::string best_split_text(const SplitSearch::Split& split);

/// How many splits there were and what became of them.
std::string split_counts_text(const SplitSearch& search);

/// What the best split with one value changed comes to: "tensor 4: needs 96 GB of 80 GB".
std::string other_split_text(const SplitSearch& search, const SplitSearch::Other& other);

}  // namespace rackcast::reports
