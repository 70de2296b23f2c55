#pragma once
/// How many samples a training needs for the same result, by its global batch and the staleness of its
/// gradients.
///
/// With S the steps and E = B S the samples, (S / S_min - 1) (E / E_min - 1) = 1 and B_crit = E_min / S_min:
/// McCandlish, Kaplan, Amodei et al., An Empirical Model of Large-Batch Training, arXiv 1812.06162, 2018,
/// equations 2.11 and 2.12 (checked against papers that cite them: Kaplan et al., arXiv 2001.08361, equations
/// 5.1 and 5.2, and others). Solved for E: E(B) = E_min (1 + B / B_crit). It assumes a learning rate tuned
/// for every batch, and one critical batch for the whole training; in truth the critical batch grows while
/// the loss falls, and it depends on network, data and optimizer.
///
/// Staleness has no such law. Ho et al., NIPS 26, 2013 bound the error after T updates that are at most s
/// steps stale, for convex losses. From memory and not verified: the bound grows as the square root of (s +
/// 1) / T, so up to s times as many samples more are needed. Dai et al., ICLR 2019 (arXiv 1810.03264) measure
/// effects that differ by model and optimizer and are larger for deeper networks (verified in its abstract
/// and in a review). So the caller states the share of samples for each step of staleness; the samples grow
/// linearly with the staleness, as in that bound.
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
/// where they never wait: each of n ranks sends one of n gradients, so about n updates, one step, come
/// between its reading the weights and its update (W. Zhang et al., Staleness-aware async-SGD, IJCAI 2016,
/// arXiv 1511.05950, measure that; of it the abstract alone was read).
double staleness_steps(const ExchangeSpec& exchange);

}  // namespace rackcast
