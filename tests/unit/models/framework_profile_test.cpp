// Which profile a script gets, and what its scripts run under the name of a network.
#include <doctest/doctest.h>

#include "models/frameworks/framework.hpp"
#include "models/networks/workload.hpp"

using namespace rackcast;

TEST_CASE("scripts that keep channels first share a profile") {
  const auto profile = [](const char* script) {
    return framework_profile({.name = "tensorflow", .version = "1.13.1", .script = script}).id;
  };
  CHECK(profile("tensorpack") == profile("tf_cnn_benchmarks"));
  CHECK(profile("keras") != profile("tensorpack"));
}

TEST_CASE(
    "PyTorch's BERT scripts take the vocabulary product of every position, TensorFlow's of masked ones") {
  const auto networks = framework_profile({.name = "pytorch", .version = "NGC 20.03"}).networks;
  REQUIRE(networks.contains("bert-base"));
  CHECK(framework_profile({.name = "tensorflow", .version = "NGC 20.03"}).networks.count("bert-base") == 0);
  // 512 positions with 30,528 words instead of 76 with 30,522, and the layer of 768 by 768 before them
  const double more = 2.0 * 768 * (512.0 * 30528 - 76.0 * 30522) + 2.0 * 768 * 768 * (512 - 76);
  const double every = load_workload("bert-base-every-position").forward_flop().base(),
               masked = load_workload("bert-base").forward_flop().base();
  CHECK(every - masked == doctest::Approx(more).epsilon(0.02));
}
