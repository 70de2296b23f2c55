// Measured trainings beside an answer: which are near, and how predictions of them turned out.
#include "scenarios/evidence/evidence.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

TrainingTraits asked() {
  return {"v100_sxm2_16gb", 64, 8, 400, "resnet50", "convolutional", 300, "mixed", "mxnet"};
}

ValidatedRun run(const TrainingTraits& traits, double ratio = 1) {
  ValidatedRun r;
  r.id = traits.model;
  r.traits = traits;
  r.metric = "images_per_s";
  r.measured = 100;
  r.predicted = {100 * ratio, 80 * ratio, 125 * ratio};
  r.covered = ratio >= 0.8 && ratio <= 1.25 ? 1 : 0;
  return r;
}

double distance(const TrainingTraits& traits) {
  return nearest_runs(catalog(), {run(traits)}, asked()).nearest.at(0).distance;
}

}  // namespace

TEST_CASE("the speed of a time is the other way round than that of a rate") {
  ValidatedRun r = run(asked());
  r.measured = 2;
  r.predicted = {4, 2, 8};
  CHECK(r.speed_ratio().value == doctest::Approx(2));  // twice the images per second
  r.metric = "step_time_s";
  CHECK(r.speed_ratio().value == doctest::Approx(0.5));
  CHECK(r.speed_ratio().low == doctest::Approx(0.25));  // the longest time is the lowest speed
  CHECK(r.speed_ratio().high == doctest::Approx(1));
}

TEST_CASE("the distance adds up what differs") {
  CHECK(distance(asked()) == 0);
  TrainingTraits t = asked();
  t.gpu = "v100_pcie_16gb";  // the same architecture
  CHECK(distance(t) == doctest::Approx(1));
  t.gpu = "p100_sxm2";
  CHECK(distance(t) == doctest::Approx(3));
  t = asked();
  t.model = "resnet152";
  CHECK(distance(t) == doctest::Approx(0.5));
  t.model = "vgg16";  // the same kind, a quarter of the arithmetic per parameter: 1 + 2 / 4
  t.flop_per_parameter = 75;
  CHECK(distance(t) == doctest::Approx(1.5));
  t.kind = "transformer";
  CHECK(distance(t) == doctest::Approx(4));
  t = asked();
  t.gpus = 8;  // three halvings, and inside one node; what is between nodes does not count then
  t.nodes = 1;
  t.node_gbit = 0;
  CHECK(distance(t) == doctest::Approx(2));
  t = asked();
  t.precision = "fp16";
  CHECK(distance(t) == doctest::Approx(0.25));
  t.precision = "fp32";
  t.framework = "tensorflow";
  t.node_gbit = 100;
  CHECK(distance(t) == doctest::Approx(2));
}

TEST_CASE("the nearest come first, however they were predicted, and one for each system and software") {
  TrainingTraits far = asked(), near = asked();
  far.gpus = 512;
  near.gpus = 32;
  TrainingTraits other = asked();
  other.framework = "tensorflow";
  other.gpus = 8;
  const Evidence e = nearest_runs(catalog(), {run(far), run(other), run(near, 3)}, asked());
  REQUIRE(e.nearest.size() == 2);  // far is the same system as near, farther
  CHECK(e.nearest[0].run.traits.gpus == 32);
  CHECK(e.nearest[0].run.speed_ratio().value == doctest::Approx(3));
  CHECK(e.nearest[0].other == std::vector<std::string>{"32 instead of 64 GPUs"});
  CHECK(e.nearest[1].run.traits.framework == "tensorflow");
  CHECK(e.same_gpu.rows == 3);
  CHECK(e.same_gpu.covered == 2);
  CHECK(e.same_gpu.median_error == doctest::Approx(0));
}

TEST_CASE("a GPU that the catalogue lacks is still compared") {
  TrainingTraits t = asked();
  t.gpu = "gpu_of_next_year";
  CHECK(distance(t) == doctest::Approx(3));
}

TEST_CASE("what is shipped can be read, and holds nothing impossible") {
  const std::vector<ValidatedRun> runs = shipped_evidence();
  CHECK(runs.size() > 300);
  for (const ValidatedRun& r : runs) {
    CAPTURE(r.id);
    CHECK(r.measured > 0);
    CHECK(r.predicted.low <= r.predicted.value);
    CHECK(r.predicted.value <= r.predicted.high);
    CHECK(r.covered <= r.like);
    CHECK_FALSE(r.source.empty());
    CHECK_NOTHROW((void)catalog().find("gpus", r.traits.gpu));
  }
}

TEST_CASE("a broken file of evidence is refused at its place") {
  const auto read = [](const std::string& text) {
    return read_evidence(text, "e.json");
  };
  CHECK(read(R"({"format": "rackcast-evidence", "version": 1, "sources": [], "runs": []})").empty());
  CHECK_THROWS_AS(read(R"({"format": "rackcast-result", "version": 1, "sources": [], "runs": []})"), Error);
  CHECK_THROWS_AS(read(R"({"format": "rackcast-evidence", "version": 2, "sources": [], "runs": []})"), Error);
  CHECK_THROWS_AS(read(R"({"format": "rackcast-evidence", "version": 1, "sources": [], "runs": [{}]})"),
                  Error);
  CHECK_THROWS_AS(read("[]"), Error);
}
