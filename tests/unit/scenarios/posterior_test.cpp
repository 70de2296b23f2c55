// The Gaussian update of the model's factors on measured runs, against sums by hand.
#include "scenarios/measured/posterior.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace rackcast;

namespace {

constexpr std::size_t kernels = index_of(Factor::kernels), exchange = index_of(Factor::exchange);

RunTraits run_on(int gpus, int nodes = 1, double batch = 64) {
  RunTraits out;
  out.gpu = "p100";
  out.machine = "dgx1";
  out.network = "resnet50";
  out.software = "tensorflow";
  out.precision = "fp32";
  out.batch = batch;
  out.gpus = gpus;
  out.nodes = nodes;
  return out;
}

/// A run whose rate is a power of the speed of kernels and of the exchange.
Observation seen(RunTraits run, double of_kernels, double of_exchange, double log_ratio, double error) {
  Observation out;
  out.run = std::move(run);
  out.log_sigma[kernels] = 0.2;
  out.log_sigma[exchange] = 0.3;
  out.sensitivity[kernels] = of_kernels;
  out.sensitivity[exchange] = of_exchange;
  out.log_ratio = log_ratio;
  out.error = error;
  return out;
}

FactorVector spreads() {
  FactorVector out{};
  out[kernels] = 0.2;
  out[exchange] = 0.3;
  return out;
}

}  // namespace

TEST_CASE("a measurement at the prediction moves nothing and leaves the error of the measurement") {
  const Posterior posterior{{seen(run_on(1), 1, 0, 0, 0.05)}};
  const FactorBelief belief = posterior.at(run_on(1), spreads());
  CHECK(belief.mean[kernels] == 0);
  // 0.2^2 0.05^2 / (0.2^2 + 0.05^2) = 0.0001 / 0.0425
  CHECK(belief.covariance[kernels][kernels] == doctest::Approx(0.0001 / 0.0425));
  CHECK(belief.log_sigma(Factor::exchange) == doctest::Approx(0.3));
}

TEST_CASE(
    "twice as fast on one GPU is twice as fast kernels on every number of GPUs, and no faster network") {
  const Posterior posterior{{seen(run_on(1), 1, 0, std::log(2), 0.02)}};
  const double expected = std::log(2) * 0.04 / 0.0404;  // 0.2^2 / (0.2^2 + 0.02^2)
  for (const int gpus : {1, 8, 64}) {
    const FactorBelief belief = posterior.at(run_on(gpus, std::max(1, gpus / 8)), spreads());
    CHECK(belief.mean[kernels] == doctest::Approx(expected));
    CHECK(belief.mean[exchange] == 0);
    CHECK(belief.log_sigma(Factor::exchange) == doctest::Approx(0.3));
  }
  // A rate of which kernels are 70 % in logarithms moves by 0.7 of it.
  FactorVector share{};
  share[kernels] = 0.7;
  share[exchange] = 0.3;
  CHECK(posterior.at(run_on(64, 8), spreads()).mean_of(share) == doctest::Approx(0.7 * expected));
}

TEST_CASE("two measurements tell kernels and network apart") {
  // ln(rate) = 0.5 kernels + 0.5 exchange on eight nodes. Kernels are 10 % slow, the network 30 % fast.
  const double slow = std::log(0.9), fast = std::log(1.3), error = 1e-4;
  const std::vector<Observation> both{seen(run_on(1), 1, 0, slow, error),
                                      seen(run_on(64, 8), 0.5, 0.5, 0.5 * slow + 0.5 * fast, error)};
  const FactorBelief belief = Posterior{both}.at(run_on(64, 8), spreads());
  CHECK(belief.mean[kernels] == doctest::Approx(slow).epsilon(1e-4));
  CHECK(belief.mean[exchange] == doctest::Approx(fast).epsilon(1e-4));
  // The second alone leaves open which of the two it was: the factors move together against each other.
  const FactorBelief alone = Posterior{{both[1]}}.at(run_on(64, 8), spreads());
  CHECK(alone.covariance[kernels][exchange] < -0.01);
  CHECK(alone.log_sigma(Factor::kernels) > 0.1);
}

TEST_CASE("a run with another batch has a share of the factor in common") {
  CommonShares shares;
  shares.batch = 0.5;
  const Posterior posterior{{seen(run_on(1, 1, 32), 1, 0, 0.1, 1e-6)}, shares};
  const FactorBelief belief = posterior.at(run_on(1, 1, 64), spreads());
  CHECK(belief.mean[kernels] == doctest::Approx(0.05));
  CHECK(belief.covariance[kernels][kernels] == doctest::Approx(0.04 * (1 - 0.25)));
}

TEST_CASE("shares of batches and numbers of GPUs are per doubling") {
  CommonShares shares;
  shares.batch = 0.9;
  shares.count = 0.7;
  CHECK(correlation(Factor::kernels, run_on(1, 1, 8), run_on(1, 1, 64), shares) ==
        doctest::Approx(0.9 * 0.9 * 0.9));
  CHECK(correlation(Factor::whole, run_on(8), run_on(2), shares) == doctest::Approx(0.7 * 0.7));
  CHECK(correlation(Factor::kernels, run_on(8), run_on(2), shares) == 1);
}

TEST_CASE("the exchange within a node and that between nodes are different factors") {
  const CommonShares shares{};
  CHECK(correlation(Factor::exchange, run_on(8, 1), run_on(16, 2), shares) == 0);
  CHECK(correlation(Factor::exchange, run_on(16, 2), run_on(32, 4), shares) == 1);
  CHECK(correlation(Factor::kernels, run_on(8, 1), run_on(16, 2), shares) == 1);
  CHECK(correlation(Factor::kernels, run_on(8, 1), run_on(8, 1), common_shares()) == 1);
}

TEST_CASE("the order of measurements changes no bit") {
  std::vector<Observation> rows{seen(run_on(1), 1, 0, 0.1, 0.03), seen(run_on(8), 0.9, 0.1, 0.02, 0.05),
                                seen(run_on(64, 8), 0.6, 0.4, -0.2, 0.01),
                                seen(run_on(1, 1, 32), 1, 0, 0.15, 0.03)};
  const FactorBelief first = Posterior{rows}.at(run_on(128, 16), spreads());
  std::ranges::reverse(rows);
  std::swap(rows[0], rows[1]);
  const FactorBelief second = Posterior{rows}.at(run_on(128, 16), spreads());
  CHECK(first.mean == second.mean);
  CHECK(first.covariance == second.covariance);
}

TEST_CASE("the root of the covariance gives it back, and of independent factors it is diagonal") {
  const FactorBelief prior = prior_belief(spreads());
  CHECK(prior.root()[kernels][kernels] == 0.2);
  CHECK(prior.root()[exchange][kernels] == 0);
  const FactorBelief belief =
      Posterior{{seen(run_on(64, 8), 0.5, 0.5, 0.1, 0.03)}}.at(run_on(64, 8), spreads());
  const FactorMatrix root = belief.root();
  for (std::size_t i = 0; i < factor_count; ++i)
    for (std::size_t j = 0; j < factor_count; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < factor_count; ++k) product += root[i][k] * root[j][k];
      CHECK(product == doctest::Approx(belief.covariance[i][j]));
    }
}
