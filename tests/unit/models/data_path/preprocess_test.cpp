#include "models/data_path/preprocess.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "models/data_path/starvation.hpp"
#include "sim/base/error.hpp"

using namespace rackcast;

namespace {

PreprocessSpec eight_gpus() {
  PreprocessSpec spec;
  spec.kind = record_kind("jpeg");
  spec.cores_per_node = 40;
  spec.gpus_per_node = 8;
  spec.sockets = 2;
  spec.gpu_peak = FlopRate{19.5e12};
  return spec;
}

double rate(const PreprocessSpec& spec) {
  const InputStage stage = preprocess_cost(spec).stages.at(0);
  return stage.capacity / stage.per_sample;
}

}  // namespace

TEST_CASE("forty cores decode forty times the rate of one, and twice the pixels take twice the time") {
  PreprocessSpec spec = eight_gpus();
  CHECK(rate(spec) == doctest::Approx(40 * 250));
  spec.size = 0.36;
  CHECK(rate(spec) == doctest::Approx(40 * 125));
}

TEST_CASE("workers limit the cores that decode; more of them than cores is an error") {
  PreprocessSpec spec = eight_gpus();
  spec.workers_per_gpu = 3;
  CHECK(rate(spec) == doctest::Approx(24 * 250));
  spec.workers_per_gpu = 6;
  CHECK_THROWS_WITH_AS(preprocess_cost(spec), doctest::Contains("48, more than the 40 cores"), Error);
  spec.cores_per_node = 0;
  CHECK_THROWS_AS(preprocess_cost(spec), Error);
}

TEST_CASE("loaders away from their GPU's socket lose a tenth, where there are two sockets") {
  PreprocessSpec spec = eight_gpus();
  spec.pinned = false;
  CHECK(rate(spec) == doctest::Approx(0.9 * 10'000));
  spec.sockets = 1;
  CHECK(rate(spec) == doctest::Approx(10'000));
}

TEST_CASE("GPU decoding takes GPU time and leaves part of the work to the cores; an engine does not") {
  PreprocessSpec spec = eight_gpus();
  spec.decoder = Decoder::gpu;
  const PreprocessCost hybrid = preprocess_cost(spec);
  CHECK(hybrid.gpu_time.base() == doctest::Approx(1.0 / 6000));
  CHECK(hybrid.stages.at(0).per_sample == doctest::Approx(0.69));
  spec.decoder = Decoder::gpu_engine;
  CHECK_THROWS_AS(preprocess_cost(spec), Error);
  spec.has_engine = true;
  const PreprocessCost engine = preprocess_cost(spec);
  CHECK(engine.gpu_time.base() == 0);
  CHECK(engine.stages.at(0).capacity == doctest::Approx(8 * 5000));
}

TEST_CASE("every kind of record has a cost with a source, and an unknown one names them") {
  for (const std::string& name : record_kind_names()) {
    const RecordKind kind = record_kind(name);
    CHECK(kind.rate_per_core.base() > 0);
    CHECK(kind.log_sigma > 0);
    CHECK(!kind.source.empty());
  }
  CHECK_THROWS_WITH_AS(record_kind("smell"), doctest::Contains("lidar"), Error);
  PreprocessSpec spec = eight_gpus();
  spec.kind = record_kind("audio");
  spec.size = 10;  // seconds, at 100 times real time
  CHECK(rate(spec) == doctest::Approx(40 * 10));
  spec.decoder = Decoder::gpu;
  CHECK_THROWS_AS(preprocess_cost(spec), Error);
}

TEST_CASE("a loader with varying times starves the GPU before their mean rates meet") {
  // r = 2, prefetch 2, K = 3: p0 = (1-2)/(1-16) = 1/15.
  CHECK(fed_fraction(2, 1, 2) == doctest::Approx(14.0 / 15));
  CHECK(fed_fraction(1, 1, 2) == doctest::Approx(3.0 / 4));
  // r = 1/2: p0 = (1/2)/(15/16) = 8/15, so 7/15 of the trainer's rate, a little under r.
  CHECK(fed_fraction(1, 2, 2) == doctest::Approx(7.0 / 15));
  CHECK(fed_fraction(1e9, 1, 2) == doctest::Approx(1));
  CHECK(fed_fraction(INFINITY, 1, 2) == 1);
  CHECK_THROWS_AS(fed_fraction(0, 1, 2), Error);
}
