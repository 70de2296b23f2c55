// The document that `calibrate run` wrote on a real GPU (tests/data/boxes/h200.json): it is read, nothing in
// it is wrong, and its kernels can be fitted.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "calibrate/box/box_fit.hpp"
#include "calibrate/measure/box.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {
namespace {

const Box& h200() {
  static const Box box = read_box_file(std::string{RACKCAST_SOURCE_DIR} + "/tests/data/boxes/h200.json");
  return box;
}

const Measurement& measurement(const std::string& id) {
  const auto at = std::ranges::find(h200().measurements, id, &Measurement::id);
  REQUIRE(at != h200().measurements.end());
  return *at;
}

TEST_CASE("a box that was measured on a real GPU is complete and has no wrong result") {
  CHECK(h200().complete);
  REQUIRE(h200().gpus.size() == 1);
  CHECK(h200().gpus.front().sm_count == 132);
  for (const Measurement& m : h200().measurements) {
    INFO(m.id);
    CHECK(m.verified.value_or(true));
    CHECK(m.summary().median > 0);
  }
}

TEST_CASE("no kernel of a real box is faster than the units of the GPU") {
  for (const Measurement& m : h200().measurements) {
    if (m.kind != "gpu_gemm") continue;
    INFO(m.id);
    const std::string& precision = m.labels.at("precision");
    // Datasheet of the H200, dense.
    const double peak = precision == "int8"                          ? 1979e12
                        : precision == "tf32"                        ? 495e12
                        : precision == "fp32" || precision == "fp64" ? 67e12
                                                                     : 990e12;
    CHECK(m.rate() < peak);
  }
}

TEST_CASE("short kernels of a real box are timed without the host that enqueues them") {
  // One by one cuDNN took 41 us for this convolution; a launch alone takes 4.6 us.
  CHECK(measurement("gpu_conv/fp16/forward/n1/c64/h56/k64/r3/stride1").summary().median < 10e-6);
  CHECK(measurement("gpu_gemm/fp16/m256/n256/k256/count1").summary().median <
        measurement("gpu_launch/kernel").summary().median);
}

TEST_CASE("the kernels of a real box are fitted") {
  const Catalog catalog = Catalog::builtin();
  const BoxFit fit = fit_box(catalog, h200(), {});
  CHECK(fit.gpu == "h200_sxm");
  CHECK(fit.fits.size() >= 10);
}

}  // namespace
}  // namespace rackcast
