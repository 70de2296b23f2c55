// Which case of a series is taken as measured, and what that does to the others.
#include "scenarios/validation/predict/anchored.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "scenarios/measured/factors.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

ValidationCase run_of(const std::string& id, double gpus, double batch, double measured,
                      const std::string& metric = "tokens_per_s") {
  ValidationCase c;
  c.id = id;
  c.series = "owner/box/net";
  c.system.gpu = "v100";
  c.system.gpus = gpus;
  c.workload.model = "net";
  c.workload.task = "inference";
  c.workload.batch_per_gpu = batch;
  c.metric = metric;
  c.measured = measured;
  return c;
}

}  // namespace

TEST_CASE("the anchor has the fewest GPUs, then the smallest batch, then the first id") {
  const std::vector<ValidationCase> cases{
      run_of("d", 2, 1, 1, "samples_per_s"), run_of("c", 1, 8, 1, "samples_per_s"),
      run_of("b", 1, 4, 1, "samples_per_s"), run_of("a", 1, 4, 1, "samples_per_s"),
      run_of("e", 1, 1, 1, "tpot_ms"),       run_of("f", 1, 1, 1, "speedup")};
  auto anchors = choose_anchors(cases, std::vector<bool>(6, true));
  for (std::size_t i = 0; i < 4; ++i) CHECK(anchors[i] == 3);
  CHECK(anchors[4] == 4);   // another family: its own anchor
  CHECK_FALSE(anchors[5]);  // a ratio of two runs has none
  anchors = choose_anchors(cases, {true, true, true, false, true, true});
  CHECK(anchors[0] == 2);
}

TEST_CASE("a figure moves by its share with the anchor, and its interval shrinks") {
  const Catalog catalog = Catalog::builtin();
  PredictionContext context{catalog};
  // Measured twice what was predicted; times move against rates.
  const ValidationCase anchor = run_of("a", 1, 4, 200, "samples_per_s"),
                       same = run_of("b", 1, 8, 1, "forward_time_s");
  const PredictedFigure of_anchor = figure_of(100, 0.2), before = figure_of(3, 0.2);
  const PredictedFigure after = predict_anchored(context, same, before, anchor, of_anchor);
  const double share = common_shares().batch * 0.04 / (0.04 + 0.03 * 0.03);
  CHECK(after.value == doctest::Approx(3 * std::exp(-share * std::log(2))));
  CHECK(after.high / after.low < before.high / before.low);
  const double left = std::sqrt(1 - share * common_shares().batch);
  CHECK(std::log(after.high / after.value) == doctest::Approx(left * 1.645 * 0.2));
}
