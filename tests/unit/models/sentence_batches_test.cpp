// Sentences in batches: the numbers that logs print of pairs, batches and tokens, put together by hand.
#include "models/frameworks/sentence_batches.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "models/frameworks/framework.hpp"
#include "models/gpu/lowering.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/workload.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

using namespace rackcast;

namespace {

SentenceQuery transformer(const std::string& set, const std::string& version, double gpus = 8) {
  return {.network = "transformer-big", .set = set, .framework = "pytorch", .version = version, .gpus = gpus};
}

SentenceQuery gnmt(const std::string& version, double cut) {
  return {.network = "gnmt", .set = "wmt16-en-de", .framework = "pytorch", .version = version, .cut = cut};
}

}  // namespace

TEST_CASE("batches of tokens hold as many pairs as the logs of MLPerf say") {
  struct Log {
    const char* version;
    double gpus, tokens, batches;
  };
  // "generated 13089 batches" and so on, training_results_v0.6 and v0.7.
  for (const Log& log : {Log{"NGC 19.05", 8, 10240, 13089}, Log{"NGC 20.06", 8, 13824, 9702},
                         Log{"NGC 19.05", 16, 8192, 18213}, Log{"NGC 19.05", 160, 3840, 39110},
                         Log{"NGC 19.05", 480, 1280, 120640}, Log{"NGC 20.06", 80, 9216, 15881}}) {
    CAPTURE(log.tokens);
    const auto sentences = sentence_batches(transformer("wmt17-en-de", log.version, log.gpus));
    REQUIRE(sentences);
    CHECK(sentences->pairs / sentences->pairs_in(log.tokens) == doctest::Approx(log.batches).epsilon(0.01));
  }
  // 10240 / 31.4 - 1.8 = 324.3 pairs of 31 tokens are 10,054 rows; the next multiple of 8 is 10,056.
  const auto dgx1 = sentence_batches(transformer("wmt17-en-de", "NGC 19.05"));
  CHECK(dgx1->length() == 31);
  CHECK(dgx1->pairs_in(10240) == doctest::Approx(10056.0 / 31).epsilon(1e-12));
  // Round 0.5, 3935 updates of 8 GPUs: 4575616 / 31480 = 145.3 pairs with 5120 tokens.
  CHECK(sentence_batches(transformer("wmt17-en-de", "NGC 18.11"))->pairs_in(5120) ==
        doctest::Approx(145.35).epsilon(0.003));
}

TEST_CASE("which script it is depends on set, container, cut and GPUs") {
  CHECK(sentence_batches(gnmt("NGC 19.05", 75))->pairs == 3975116);
  CHECK(sentence_batches(gnmt("1.4 NGC 20.01", 50))->pairs == 3498161);
  // Round 0.5 cut at 50 whatever its results are said to have done, and sorted instead of using buckets.
  CHECK(sentence_batches(gnmt("NGC 18.11", 75))->pairs == 3498161);
  CHECK(sentence_batches(gnmt("NGC 18.11", 75))->computed >
        sentence_batches(gnmt("NGC 19.05", 50))->computed);
  CHECK_FALSE(sentence_batches(gnmt("NGC 19.05", 60)));
  CHECK_FALSE(sentence_batches(gnmt("1.4", 75)));  // no container: no script that is known
  SentenceQuery other = gnmt("NGC 19.05", 75);
  other.set = "wmt14-en-fr";
  CHECK_FALSE(sentence_batches(other));
  CHECK(sentence_batches(transformer("wmt17-en-de", "NGC 19.05", 8))->pairs <
        sentence_batches(transformer("wmt17-en-de", "NGC 19.05", 16))->pairs);
  // What is padded is computed and not counted.
  const auto counted = sentence_batches(gnmt("NGC 19.05", 75));
  CHECK(counted->counted < 2 * counted->computed);
}

TEST_CASE("batches that cannot be are refused") {
  CHECK_THROWS_AS((void)sentence_batches(gnmt("NGC 19.05", 75))->pairs_in(5120), Error);
  CHECK_THROWS_AS((void)sentence_batches(transformer("wmt17-en-de", "NGC 19.05"))->pairs_in(64), Error);
}

TEST_CASE("containers are told from releases") {
  CHECK(container_of("1.4 NGC 20.01") == 20.01);
  CHECK(container_of("NGC 18.11") == 18.11);
  CHECK_FALSE(container_of("1.4"));
}

TEST_CASE("additive attention moves maps of pairs times width") {
  const Workload gnmt_20 = load_workload("gnmt", {.seq_len = 20});
  const Operator* scores = nullptr;
  for (const Operator& op : gnmt_20.operators)
    if (op.kind == "additive_attention" && op.family == OperatorFamily::attention) scores = &op;
  REQUIRE(scores != nullptr);
  const GpuRates v100 = gpu_rates(gpu_spec(Catalog::builtin(), "v100_sxm2_16gb"));
  // 20 x 20 pairs of 16 sentences, 1024 wide, 2 bytes: a map of 13,107,200 bytes.
  const auto longest = [&](Pass pass) {
    double bytes = 0;
    for (const KernelCall& call : lower(*scores, pass, 16, Precision::mixed, v100, {}))
      if (call.kind == KernelClass::elementwise) bytes += call.moved_bytes;
    return bytes;
  };
  CHECK(longest(Pass::forward) == doctest::Approx(6 * 13107200.0));
  CHECK(longest(Pass::data_gradient) == doctest::Approx(8 * 13107200.0));
}

TEST_CASE("a mean batch of sentences runs on tensor cores where its rows are a multiple of 8") {
  Operator op;
  op.name = op.kind = "linear";
  op.family = OperatorFamily::gemm;
  op.shape.rows = 31, op.shape.n = op.shape.k = 1024;
  const GpuRates v100 = gpu_rates(gpu_spec(Catalog::builtin(), "v100_sxm2_16gb"));
  const auto arithmetic = [&](double batch) {
    return lower(op, Pass::forward, batch, Precision::mixed, v100, {.library = LibraryGeneration::cudnn7})
        .front()
        .arithmetic;
  };
  CHECK(arithmetic(10056.0 / 31) == Arithmetic::tensor);
  CHECK(arithmetic(10057.0 / 31) != Arithmetic::tensor);
}
