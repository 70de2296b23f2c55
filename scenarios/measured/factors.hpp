#pragma once
/// The uncertain factors of a prediction, and how much of them two runs have in common.
///
/// Each factor multiplies a rate of the model: of the kernels with the host that launches them, of the
/// exchange between GPUs, of the input path, of nodes that work together. A figure whose model does not tell
/// these apart has one factor for the whole. ln(factor) is normal with mean 0. A run has its own draw of each
/// factor. The draws of two runs are correlated, the more so the more alike the runs are.
#include <array>
#include <compare>
#include <cstddef>
#include <string>

#include "topologies/fabrics/fabric_options.hpp"

namespace rackcast {

enum class Factor { kernels, exchange, input, pace, whole };
inline constexpr std::size_t factor_count = 5;

using FactorVector = std::array<double, factor_count>;
using FactorMatrix = std::array<FactorVector, factor_count>;

constexpr std::size_t index_of(Factor factor) {
  return static_cast<std::size_t>(factor);
}

/// What is compared of two runs.
struct RunTraits {
  std::string gpu;       ///< catalogue id
  std::string machine;   ///< node
  FabricOptions fabric;  ///< network between nodes
  std::string network;   ///< the neural network with the size of its samples
  std::string software;  ///< framework, version, script and libraries
  std::string precision;
  std::string split;    ///< of the network over GPUs; empty: none
  std::string shapes;   ///< lengths of samples, prompts and answers, where the network does not say them
  double batch = 0;     ///< samples of one GPU in one pass; 0: not known
  double requests = 0;  ///< in flight, of a network that serves; 0: none
  int gpus = 1, nodes = 1;

  std::partial_ordering operator<=>(const RunTraits&) const = default;
};

/// Correlation of ln(factor) between two runs that differ in one trait alone; of runs that differ in several,
/// the product. Each is the share of the variance that such runs have in common. Batch, number of GPUs and
/// requests are per doubling: runs that differ by a factor of 8 have the third power in common.
struct CommonShares {
  double batch = 1, count = 1, requests = 1;
  double shapes = 1, network = 1, gpu = 1, software = 1, precision = 1, split = 1;
};
/// models/data/host/common_shares.json.
const CommonShares& common_shares();

/// Correlation of one factor between two runs: 1 of a run with itself, symmetric, never negative. The
/// exchange within a node and that between nodes are different factors: their correlation is 0.
double correlation(Factor factor, const RunTraits& a, const RunTraits& b, const CommonShares& shares);

}  // namespace rackcast
