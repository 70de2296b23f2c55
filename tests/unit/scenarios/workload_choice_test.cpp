// Network, sample and software that a workload of a scenario names, and that validate and scenarios agree.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "models/frameworks/framework.hpp"
#include "reports/result/result.hpp"
#include "reports/sentences/row_sentences.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Result run(const std::string& workload, const std::string& cluster) {
  const std::string text =
      fmt::format(R"({{"name": "x", "data": {{"samples": 1281167, "bytes_per_sample": "0.1 MB"}},
 "storage": {{"array": "none"}}, "workloads": [{{"epochs": 1, {}}}], "cluster": {{{}}}}})",
                  workload, cluster);
  return simulate(read_scenario(parse_json(text, "x.json"), "x.json"), catalog(), nullptr, {});
}

double rate(const std::string& workload, const std::string& cluster = R"("node": "dgx1v_16gb", "nodes": 1)") {
  return run(workload, cluster).workloads.front().prediction.samples_per_s.value;
}

double validated(const std::string& file, const std::string& id) {
  PredictionContext context{catalog()};
  for (const ValidationCase& c :
       load_cases(std::string{RACKCAST_SOURCE_DIR} + "/tests/validation/cases/" + file + ".json"))
    if (c.id == id) return predict_case(context, c).figure->value;
  return 0;
}

std::string refusal(const std::string& model, const std::string& sample) {
  return error_text(
      [&] { (void)rate(fmt::format(R"("model": "{}", "batch_per_gpu": 8, "sample": {})", model, sample)); });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a GPU that needs newer software gets a container of its first years") {
  CHECK(version_on("pytorch", "", "").empty());
  CHECK(version_on("pytorch", "", "21.05") == "NGC 21.05");
  CHECK(version_on("pytorch", "1.13", "23.04") == "1.13");
  CHECK(version_on("mxnet", "1.8.0", "23.04") == "NGC 23.04");
  CHECK(version_on("tensorflow", "20.06", "") == "NGC 20.06");
  const Result result = run(R"("model": "resnet50", "batch_per_gpu": 64, "framework": {"name": "mxnet"})",
                            R"("node": "dgx_a100_640gb", "nodes": 1)");
  std::string said;
  for (const Assumption& a : result.assumptions)
    if (a.what.code() == "framework_profile")
      said = reports::value_of(a) + "; " + reports::source_of(a) + "; " +
             std::string{reports::to_string(a.confidence)};
  CHECK(contains(said, "MXNet, NGC container from 2021"));
  CHECK(contains(said, "NGC 21.05, of the GPU's first years; default"));
}

TEST_CASE("a sample may have another size than the network was published with") {
  const std::string bert = R"("model": "bert-large", "batch_per_gpu": 16, "precision": "mixed")";
  CHECK(rate(bert + R"(, "sample": {"tokens": 128})") > 2 * rate(bert + R"(, "sample": {"tokens": 512})"));
  const std::string resnet = R"("model": "resnet50", "batch_per_gpu": 64)";
  CHECK(rate(resnet + R"(, "sample": {"image": [224, 224, 3]})") == rate(resnet));
  CHECK(rate(resnet + R"(, "sample": {"image": [448, 448, 3]})") < 0.35 * rate(resnet));
}

TEST_CASE("sentences have the length of their batches") {
  const std::string gnmt =
      R"("model": "gnmt", "batch_per_gpu": 128, "framework": {"name": "pytorch", "version": )";
  const auto gnmt_rate = [&](const std::string& version, const std::string& sample) {
    return rate(gnmt + '"' + version + R"("}, "sample": )" + sample);
  };
  const std::string cut_75 = R"({"sentences": "wmt16-en-de", "longest": 75})";
  CHECK(gnmt_rate("NGC 19.05", cut_75) == gnmt_rate("NGC 19.05", R"({"tokens": 38})"));
  CHECK(gnmt_rate("19.05", cut_75) == gnmt_rate("NGC 19.05", cut_75));
  CHECK(gnmt_rate("NGC 19.05", R"({"sentences": "wmt16-en-de", "longest": 50})") ==
        gnmt_rate("NGC 19.05", R"({"tokens": 32})"));
  CHECK(contains(refusal("gnmt", cut_75), "x.json:2"));  // no framework, no script
  CHECK(contains(refusal("resnet50", R"({"sentences": "wmt16-en-de"})"), "no script is known"));
  CHECK(contains(refusal("gnmt", R"({"sentences": "wmt16-en-de", "tokens": 3})"), "one of them"));
  CHECK(contains(refusal("gnmt", R"({"longest": 75})"), "needs"));
}

TEST_CASE("samples that cannot be are refused at their place") {
  CHECK(contains(refusal("resnet50", R"({"image": [224, 224]})"), "height, width and channels"));
  CHECK(contains(refusal("resnet50", R"({"image": [0, 224, 3]})"), "x.json:2"));
  CHECK(contains(refusal("resnet50", R"({"image": [1e9, 224, 3]})"), "image"));
  CHECK(contains(refusal("resnet50", R"({"image": [224, 224, 3], "tokens": 3})"), "not both"));
  CHECK(contains(refusal("resnet50", "{}"), "needs \"image\" or \"tokens\""));
  CHECK(contains(refusal("resnet50", R"({"pixels": 3})"), "pixels"));
  CHECK(contains(refusal("bert-large", R"({"tokens": -1})"), "tokens"));
  CHECK(contains(refusal("resnet50", R"({"tokens": 128})"), "x.json:2"));
  CHECK(contains(refusal("resnet50", R"({"tokens": 128})"), "a sequence length cannot be set"));
  CHECK(contains(refusal("bert-large", R"({"image": [224, 224, 3]})"), "x.json:2"));
}

TEST_CASE("software and optimizer of a run may be other than usual") {
  const std::string resnet = R"("model": "resnet50", "batch_per_gpu": 64, "precision": "mixed")",
                    torch7 = R"(, "framework": {"name": "torch7")", k80 = R"("node": "aws_p2_8xlarge")";
  const double usual = rate(resnet);
  // The update of a step takes time, and Adam's more than momentum's.
  CHECK(rate(resnet + R"(, "optimizer": "momentum")") == usual);
  CHECK(rate(resnet + R"(, "optimizer": "adam")") < usual);
  CHECK(rate(resnet + R"(, "optimizer": "none")") > usual);
  // Nothing is transposed for tensor cores.
  CHECK(rate(resnet + R"(, "framework": {"name": "mxnet", "channels_last": true})") >
        rate(resnet + R"(, "framework": {"name": "mxnet"})"));
  const std::string fp32 = R"("model": "resnet50", "batch_per_gpu": 16)";
  CHECK(rate(fp32 + torch7 + R"(, "convolutions": "library"})", k80) == rate(fp32 + torch7 + "}", k80));
  CHECK(rate(fp32 + torch7 + R"(, "convolutions": "fbfft"})", k80) != rate(fp32 + torch7 + "}", k80));
  // Batches that are made of tokens have a mean size.
  CHECK(rate(R"("model": "gnmt", "batch_per_gpu": 32.5)") != rate(R"("model": "gnmt", "batch_per_gpu": 32)"));
  const auto refused = [](const std::string& workload) {
    return error_text([&] { (void)rate(workload); });
  };
  CHECK(contains(refused(resnet + R"(, "optimizer": "sgd")"), "momentum"));
  CHECK(contains(refused(resnet + R"(, "framework": {"name": "x", "convolutions": "cudnn"})"), "library"));
  CHECK(contains(refused(R"("model": "resnet50", "batch_per_gpu": 0)"), "batch_per_gpu"));
  CHECK(contains(refused(R"("model": "gpt2-xl", "optimizer": "none", "parallelism": {"tensor": 2})"),
                 "split over GPUs"));
}

TEST_CASE("a scenario and validate predict the same of the same run") {
  const std::string
      docs = "tensorflow_docs_benchmarks_2017",
      script = R"("framework": {"name": "tensorflow", "version": "1.1", "script": "tf_cnn_benchmarks", )"
               R"("cudnn": "5.1"})";
  CHECK(rate(R"("model": "inception-v3", "batch_per_gpu": 64, )" + script,
             R"("node": "aws_p2_8xlarge", "nodes": 1, "gpus_per_job": 1)") ==
        doctest::Approx(validated(docs, "tfdocs-ec2-inception-v3-b64-synthetic-1gpu")).epsilon(0.01));
  CHECK(rate(R"("model": "bert-large-every-position", "batch_per_gpu": 16, "precision": "mixed", )"
             R"("sample": {"tokens": 128}, )"
             R"("framework": {"name": "pytorch", "version": "NGC 19.x or 20.x"})") ==
        doctest::Approx(validated("nvidia_deeplearningexamples", "dle-pt2001-bertl-pre-dgx1-8-s128-amp"))
            .epsilon(0.01));
}
