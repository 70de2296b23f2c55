#pragma once
/// How many samples training takes to come as far, by the batch of a step and the staleness of its gradients.
///
/// With E the samples and E_min those of the smallest batches, E(B) = E_min (1 + B / B_crit): McCandlish,
/// Kaplan, Amodei et al., An Empirical Model of Large-Batch Training, arXiv 1812.06162, 2018, section 2. It
/// assumes a learning rate tuned for every batch, and one critical batch for the whole training; in truth
/// that one grows while the loss falls, and depends on network, data and optimizer.
///
/// Staleness has no such law. Ho et al., NIPS 26, 2013 (theorem 1) bound the error after T updates that are
/// at most s steps stale by a multiple of sqrt((s + 1) / T): up to s times as many samples more, for convex
/// losses. Dai et al., ICLR 2019 (arXiv 1810.03264) measure effects that differ by network, depth and
/// optimizer. So the share per step of staleness is the caller's, taken as linear like that bound.
#include <optional>

namespace rackcast {

struct ExchangeSpec;

struct ConvergenceLaw {
  double critical_batch = 0;                ///< samples of a step at which twice E_min are needed
  double reference_batch = 0;               ///< samples of a step for which the number of epochs was given
  std::optional<double> staleness_penalty;  ///< share of samples more per step of staleness; absent: none
};

/// Samples at a global batch of `batch` over those at the reference: (1 + B / B_crit) / (1 + B_ref / B_crit).
double batch_factor(const ConvergenceLaw& law, double batch);

/// 1 + penalty x steps.
double staleness_factor(const ConvergenceLaw& law, double steps);

/// Steps by which gradients are stale. 0 where the ranks wait for each other; the bound of mode stale; 1
/// where they never wait: then a gradient is n updates of n ranks late on average, which are one step (Zhang
/// et al., Staleness-aware async-SGD, IJCAI 2016, arXiv 1511.05950).
double staleness_steps(const ExchangeSpec& exchange);

}  // namespace rackcast
