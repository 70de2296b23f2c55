// Verdicts on memory beside published statements: batches that ran, and the largest that did.
#include "models/memory/memory.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <set>
#include <string>

#include "models/networks/workload.hpp"
#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/cases/case_reader.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/json/reader.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

using namespace rackcast;

namespace {

const std::string kCases = std::string{RACKCAST_SOURCE_DIR} + "/tests/validation/cases/";

ValidationCase bert(const std::string& model, int length) {
  const std::string text = fmt::format(R"({{"id":"x","series":"s/t/m","kind":"measurement",
        "system":{{"gpu":"titan_x_pascal","gpus":1,"gpus_per_node":1,"nodes":1,"intra_node":"none"}},
        "workload":{{"model":"{}","task":"training","input":{{"seq_len":{}}},"precision":"fp32",
                    "framework":{{"name":"tensorflow","version":"1.11"}}}},
        "measured":{{"metric":"largest_batch","value":1,"unit":"sequences"}}}})",
                                       model, length);
  return read_case(parse_json(text, "x.json"), "x.json");
}

}  // namespace

TEST_CASE("the largest batch is a figure of a case") {
  const Catalog catalog = Catalog::builtin();
  PredictionContext context{catalog};
  const PredictionOutcome out = predict_case(context, bert("bert-base", 128));
  CAPTURE(out.skipped_reason);
  REQUIRE(out.figure);
  const Workload& network = context.workload(bert("bert-base", 128));
  MemoryOptions options{.batch = out.figure->value, .optimizer = Optimizer::adam};
  const Bytes available = gpu_spec(catalog, "titan_x_pascal").available_memory();
  CHECK(training_memory(network, options).total() <= available);
  ++options.batch;
  CHECK(training_memory(network, options).total() > available);
}

TEST_CASE("every batch that somebody trained on one GPU fits it") {
  const Catalog catalog = Catalog::builtin();
  PredictionContext context{catalog};
  int ran = 0, fits = 0;
  std::string wrong;
  std::set<std::string> seen;
  for (const ValidationCase& c : load_cases(kCases)) {
    if (!c.unreadable.empty() || c.workload.task != "training" || !c.one_gpu() || !c.system.gpu) continue;
    try {
      MemoryOptions options = memory_of_case(context, c);
      options.batch = batch_of_case(c);
      const Workload& network = context.workload(c);
      const GpuSpec gpu = gpu_spec(catalog, *c.system.gpu);
      const std::string key =
          fmt::format("{} {} {} {}", gpu.id, workload_key(c), options.batch, to_string(options.precision));
      if (!seen.insert(key).second) continue;
      const bool held = training_memory(network, options).total() <= gpu.available_memory();
      ++ran;
      fits += held;
      if (!held) wrong += key + "\n";
    } catch (const Unpredictable&) {
    } catch (const Error&) {
    }
  }
  CAPTURE(wrong);
  CHECK(ran > 200);
  // The GTX 770 was sold with 2 and with 4 GB. The source does not say which it was, and the catalogue has
  // the smaller.
  CHECK(wrong == "gtx_770 caffenet/227/227/3 256 fp32\n");
  CHECK(fits == ran - 1);
}

TEST_CASE("batches that a source says do not fit are refused") {
  // M. Rhu et al., "vDNN", arXiv 1602.08124, abstract: VGG-16 with a batch of 256 needs 28 GB, a Titan X
  // has 12.
  const Bytes needed = training_memory(load_workload("vgg16"), {.batch = 256}).total();
  CHECK(needed > Bytes{12 * 1024.0 * 1024 * 1024});
  CHECK(needed < Bytes{28e9});
}

TEST_CASE("BERT's table of largest batches: none that ran is refused, too many are let through") {
  // github.com/google-research/bert README.md, "Out-of-memory issues": Titan X of 12 GB, TensorFlow 1.11.
  struct Row {
    const char* model;
    int length;
    double largest;
  };
  constexpr Row rows[] = {{"bert-base", 64, 64},  {"bert-base", 128, 32}, {"bert-base", 256, 16},
                          {"bert-base", 320, 14}, {"bert-base", 384, 12}, {"bert-base", 512, 6},
                          {"bert-large", 64, 12}, {"bert-large", 128, 6}, {"bert-large", 256, 2},
                          {"bert-large", 320, 1}, {"bert-large", 384, 0}, {"bert-large", 512, 0}};
  const Catalog catalog = Catalog::builtin();
  PredictionContext context{catalog};
  int refused = 0;
  for (const Row& row : rows) {
    CAPTURE(row.model);
    CAPTURE(row.length);
    const double ours = largest_batch_of_case(context, bert(row.model, row.length));
    CHECK(ours >= row.largest);
    refused += ours < row.largest + 1;
  }
  // A known gap (docs/accuracy/storage_power_memory.md): what composed operations keep explains less than
  // half of it.
  CHECK(refused == 0);
}
