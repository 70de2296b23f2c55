// The document that `calibrate run` wrote on a real GPU (tests/data/boxes/h200.json): it is read, nothing in
// it is wrong, and its kernels can be fitted.
#include <doctest/doctest.h>

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

TEST_CASE("the kernels of a real box are fitted") {
  const Catalog catalog = Catalog::builtin();
  const BoxFit fit = fit_box(catalog, h200(), {});
  CHECK(fit.gpu == "h200_sxm");
  CHECK(fit.fits.size() >= 10);
}

}  // namespace
}  // namespace rackcast
