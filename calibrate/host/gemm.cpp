// Matrix products of Eigen, checked element by element against plain sums.
#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>

#include "calibrate/host/host_experiments.hpp"
#include "calibrate/host/host_info.hpp"
#include "calibrate/host/team.hpp"
#include "sim/base/random.hpp"

namespace rackcast {
namespace {

struct GemmShape {
  int m, n, k;
};

/// Around the register tile and cache blocks of any CPU, thin ones as in dense layers, and a large one.
constexpr GemmShape shapes[] = {{64, 64, 64},       {256, 256, 256},  {257, 255, 251},  {512, 512, 512},
                                {1024, 1024, 1024}, {1024, 16, 1024}, {16, 1024, 1024}, {2048, 2048, 256}};

template <class Scalar>
class GemmTrial : public Trial {
 public:
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

  GemmTrial(GemmShape shape, int threads, int repeats, std::uint64_t seed)
      : repeats_(repeats), team_(threads), sets_(static_cast<std::size_t>(threads)) {
    RandomStream random{seed, "calibrate/cpu_gemm"};
    const auto fill = [&](Matrix& matrix, int rows, int columns) {
      matrix.resize(rows, columns);
      for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows; ++i) matrix(i, j) = static_cast<Scalar>(random.uniform(-1, 1));
    };
    for (Set& set : sets_) {
      fill(set.a, shape.m, shape.k);
      fill(set.b, shape.k, shape.n);
      set.c.resize(shape.m, shape.n);
    }
  }

  double sample() override {
    return team_.run([this](int i) {
      Set& set = sets_[static_cast<std::size_t>(i)];
      for (int r = 0; r < repeats_; ++r) set.c.noalias() = set.a * set.b;
    });
  }

  [[nodiscard]] bool verifies() const override { return true; }

  std::string verify() override {
    RandomStream random{1, "calibrate/verify"};
    for (const Set& set : sets_) {
      for (int probe = 0; probe < 32; ++probe) {
        const auto i = static_cast<Eigen::Index>(random.below(static_cast<std::uint64_t>(set.c.rows())));
        const auto j = static_cast<Eigen::Index>(random.below(static_cast<std::uint64_t>(set.c.cols())));
        double sum = 0;
        for (Eigen::Index l = 0; l < set.a.cols(); ++l)
          sum += static_cast<double>(set.a(i, l)) * static_cast<double>(set.b(l, j));
        // Each of the k terms is below 1 and adds at most half a unit in the last place of a sum below k.
        const double slack =
            static_cast<double>(Eigen::NumTraits<Scalar>::epsilon()) * static_cast<double>(set.a.cols()) * 4;
        if (!(std::abs(static_cast<double>(set.c(i, j)) - sum) <= slack))
          return fmt::format("element {},{} is {} instead of {}", i, j, set.c(i, j), sum);
      }
    }
    return {};
  }

 private:
  struct Set {
    Matrix a, b, c;
  };
  int repeats_;
  Team team_;
  std::vector<Set> sets_;
};

template <class Scalar>
Experiment gemm_experiment(const HostPlan& plan, GemmShape shape, int threads, const std::string& precision) {
  Experiment e;
  const double flop = 2.0 * shape.m * shape.n * shape.k;
  const int repeats = repeats_for(flop / 2e10);  // any core of the last decade does 20 GFLOP/s
  e.about.kind = "cpu_gemm";
  e.about.device = "cpu";
  e.about.id =
      fmt::format("cpu_gemm/{}/m{}/n{}/k{}/threads{}", precision, shape.m, shape.n, shape.k, threads);
  e.about.numbers = {
      {"m", shape.m}, {"n", shape.n}, {"k", shape.k}, {"threads", threads}, {"repeats", repeats}};
  e.about.labels = {{"precision", precision}, {"library", "Eigen"}};
  e.about.amount = flop * repeats * threads;
  e.about.amount_unit = "FLOP";
  e.prepare = [=, seed = plan.seed] {
    return std::make_unique<GemmTrial<Scalar>>(shape, threads, repeats, seed);
  };
  e.conditions = [] {
    return cpu_conditions();
  };
  return e;
}

}  // namespace

std::vector<int> thread_steps(int threads) {
  std::vector<int> out{1};
  if (threads >= 4) out.push_back(threads / 2);
  if (threads >= 2) out.push_back(threads);
  return out;
}

std::vector<Experiment> cpu_gemm_experiments(const HostPlan& plan) {
  std::vector<Experiment> out;
  for (const GemmShape shape : shapes) {
    out.push_back(gemm_experiment<float>(plan, shape, 1, "fp32"));
    if (plan.thorough) out.push_back(gemm_experiment<double>(plan, shape, 1, "fp64"));
  }
  for (const int threads : thread_steps(plan.threads))
    if (threads > 1) out.push_back(gemm_experiment<float>(plan, {512, 512, 512}, threads, "fp32"));
  return out;
}

}  // namespace rackcast
