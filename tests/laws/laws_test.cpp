// Laws of the answers, each a test of its name: what one change of a scenario or of a part of the catalogue
// may do.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "tests/laws/answer_faults.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;
using nlohmann::json;

namespace {

constexpr double kRounding = 1e-6;

/// A folder of catalogue entries of one's own, deleted at the end.
class OwnParts {
 public:
  /// Entry `id` as it is shipped, changed, as `own_id`.
  void add(const char* kind, const std::string& id, const std::string& own_id,
           const std::function<void(json&)>& change = {}) const {
    const auto shipped =
        std::filesystem::path{RACKCAST_SOURCE_DIR} / "topologies" / "data" / kind / (id + ".json");
    json entry = json::parse(std::ifstream{shipped}, nullptr, true, true);
    if (own_id != id) entry.erase("aliases");
    if (change) change(entry);
    std::filesystem::create_directories(place_ / kind);
    std::ofstream{place_ / kind / (own_id + ".json")} << entry.dump(1);
  }
  [[nodiscard]] Catalog catalog() const { return Catalog::builtin(place_.string()); }

 private:
  TemporaryFolder folder_;
  std::filesystem::path place_ = folder_.path();
};

/// Multiplies the facts whose names end so.
std::function<void(json&)> scaled(std::vector<std::string> endings, double factor) {
  return [endings = std::move(endings), factor](json& entry) {
    int changed = 0;
    for (auto& [key, fact] : entry.at("facts").items())
      for (const std::string& ending : endings)
        if (key.ends_with(ending) && fact.contains("value") && fact["value"].is_number()) {
          fact["value"] = fact["value"].get<double>() * factor;
          ++changed;
        }
    REQUIRE(changed > 0);
  };
}

json training(const std::string& node, int nodes, const std::string& model, int batch,
              const std::string& framework) {
  return {{"name", "law"},
          {"data", {{"samples", 2'000'000}, {"bytes_per_sample", "110 kB"}}},
          {"storage", {{"array", "none"}}},
          {"workloads",
           {{{"model", model},
             {"epochs", 10},
             {"batch_per_gpu", batch},
             {"precision", "fp32"},
             {"framework", {{"name", framework}}}}}},
          {"cluster", {{"node", node}, {"nodes", nodes}}}};
}

const std::vector<json>& trainings() {
  static const std::vector<json> all{training("dgx1v_16gb", 4, "resnet50", 64, "tensorflow"),
                                     training("dgx1_p100", 2, "vgg16", 32, "mxnet"),
                                     training("dgx_a100_640gb", 8, "bert-large", 8, "pytorch"),
                                     training("dell_c4140_k", 3, "alexnet", 128, "caffe2")};
  return all;
}

/// The answer of a scenario that must have one.
json answered(const json& scenario, const Catalog& catalog) {
  const DrawnAnswer answer = answer_to(scenario, catalog);
  INFO(scenario.dump());
  INFO(answer.message);
  REQUIRE(answer.end == DrawnAnswer::End::answered);
  return answer.document;
}

double figure(const json& document, const char* name) {
  return document.at("prediction").at(name).at("value").get<double>();
}

double time_of(const json& scenario, const Catalog& catalog) {
  return figure(answered(scenario, catalog), "time_to_train_s");
}

std::string gpu_of(const json& scenario) {
  const auto node = std::filesystem::path{RACKCAST_SOURCE_DIR} / "topologies/data/nodes" /
                    (scenario.at("cluster").at("node").get<std::string>() + ".json");
  return json::parse(std::ifstream{node}, nullptr, true, true).at("gpu_id").get<std::string>();
}

const std::vector<std::string> rates_of_gpu{"_tflops", "_tops", "memory_bandwidth_gb_per_s"};

}  // namespace

TEST_CASE("law: a faster link never trains slower, and a slow one binds") {
  const Catalog catalog = Catalog::builtin();
  int faster = 0;
  for (json scenario : trainings()) {
    double before = 0;
    for (const char* rate : {"1 Gbit/s", "10 Gbit/s", "25 Gbit/s", "100 Gbit/s", "400 Gbit/s"}) {
      scenario["cluster"]["fabric"]["link_rate"] = rate;
      const double time = time_of(scenario, catalog);
      CAPTURE(scenario.dump());
      if (before > 0) CHECK(time <= before * (1 + kRounding));
      faster += before > 0 && time < 0.9 * before;
      before = time;
    }
  }
  CHECK(faster >= 4);
}

TEST_CASE("law: a faster GPU never trains slower") {
  for (const json& scenario : trainings()) {
    double before = 0;
    for (const double factor : {0.5, 1.0, 2.0, 4.0}) {
      const OwnParts parts;
      parts.add("gpus", gpu_of(scenario), gpu_of(scenario), scaled(rates_of_gpu, factor));
      const double time = time_of(scenario, parts.catalog());
      CAPTURE(scenario.dump());
      CAPTURE(factor);
      if (before > 0) CHECK(time <= before * (1 + kRounding));
      before = time;
    }
  }
}

TEST_CASE("law: half the clock takes between the same time and twice the time") {
  for (json scenario : trainings()) {
    scenario["cluster"]["nodes"] = 1;
    scenario["cluster"]["gpus_per_job"] = 1;
    const double whole = time_of(scenario, Catalog::builtin());
    const OwnParts parts;
    parts.add("gpus", gpu_of(scenario), gpu_of(scenario), scaled(rates_of_gpu, 0.5));
    const double half = time_of(scenario, parts.catalog());
    CAPTURE(scenario.dump());
    CHECK(half <= 2 * whole * (1 + kRounding));
    CHECK(half >= 1.5 * whole);  // the host's share of a step is small in these
  }
}

TEST_CASE("law: a faster disk never trains slower, and where it binds twice the rate takes half the time") {
  json scenario = training("dgx1v_16gb", 2, "resnet50", 64, "tensorflow");
  scenario["data"] = {{"size", "20 TB"}, {"bytes_per_sample", "2 MB"}};  // more than the nodes can hold
  scenario["input"] = {{"page_cache", false}, {"record", "raw"}};
  scenario["storage"] = {{"array", "nfs_10gbe"}};
  double before = 0;
  std::vector<double> times;
  for (const double factor : {0.5, 1.0, 2.0, 100.0}) {
    const OwnParts parts;
    parts.add("storage", "nfs_10gbe", "nfs_10gbe", scaled({"gb_per_s", "iops"}, factor));
    times.push_back(time_of(scenario, parts.catalog()));
    if (before > 0) CHECK(times.back() <= before * (1 + kRounding));
    before = times.back();
  }
  CHECK(times[0] / times[1] == doctest::Approx(2).epsilon(0.02));
  CHECK(times[3] < 0.5 * times[1]);
}

TEST_CASE("law: more nodes give no less throughput") {
  const Catalog catalog = Catalog::builtin();
  for (json scenario : trainings()) {
    double before = 0;
    for (const int nodes : {2, 3, 4, 6, 8, 16, 32}) {
      scenario["cluster"]["nodes"] = nodes;
      const double rate = figure(answered(scenario, catalog), "samples_per_s");
      CAPTURE(scenario.dump());
      CHECK(rate >= before * (1 - kRounding));
      before = rate;
    }
  }
}

TEST_CASE("law: a larger deadline needs no more nodes") {
  const Catalog catalog = Catalog::builtin();
  for (json scenario : trainings()) {
    int before = 1 << 20;
    for (const char* deadline : {"30 min", "1 h", "2 h", "8 h", "2 days"}) {
      scenario["goal"] = {{"deadline", deadline}, {"max_nodes", 64}};
      const json answer = answered(scenario, catalog).at("answer");
      const int nodes = answer.at("feasible").get<bool>() ? answer.at("nodes").get<int>() : 1 << 20;
      CAPTURE(scenario.dump());
      CHECK(nodes <= before);
      before = nodes;
    }
    CHECK(before < 1 << 20);
  }
}

TEST_CASE("law: doubled data doubles the time") {
  const Catalog catalog = Catalog::builtin();
  for (json scenario : trainings()) {
    const double once = time_of(scenario, catalog);
    scenario["data"]["samples"] = 2 * scenario["data"]["samples"].get<std::int64_t>();
    CAPTURE(scenario.dump());
    CHECK(time_of(scenario, catalog) ==
          doctest::Approx(2 * once).epsilon(0.002));  // part of it: the last step
  }
}

TEST_CASE("law: doubled epochs double the time") {
  const Catalog catalog = Catalog::builtin();
  for (json scenario : trainings()) {
    const double once = time_of(scenario, catalog);
    scenario["workloads"][0]["epochs"] = 20;
    CAPTURE(scenario.dump());
    CHECK(time_of(scenario, catalog) == doctest::Approx(2 * once).epsilon(0.002));
  }
}

TEST_CASE("law: identical nodes under another name train alike") {
  for (json scenario : trainings()) {
    const std::string node = scenario["cluster"]["node"];
    const OwnParts parts;
    parts.add("nodes", node, "zz_renamed");
    const Catalog catalog = parts.catalog();
    const json before = answered(scenario, catalog).at("prediction");
    scenario["cluster"]["node"] = "zz_renamed";
    CAPTURE(scenario.dump());
    CHECK(answered(scenario, catalog).at("prediction") == before);
  }
}

TEST_CASE("law: a fabric of switches under another name trains alike") {
  for (json scenario : trainings()) {
    scenario["cluster"]["nodes"] = 24;
    scenario["cluster"]["fabric"] = {{"kind", "two_level"},
                                     {"switch", "qm8700"},
                                     {"spine_switch", "qm8700"},
                                     {"link", "hdr"},
                                     {"oversubscription", 2}};
    const OwnParts parts;
    parts.add("switches", "qm8700", "aa_renamed");
    const Catalog catalog = parts.catalog();
    const json before = answered(scenario, catalog).at("prediction");
    scenario["cluster"]["fabric"]["switch"] = scenario["cluster"]["fabric"]["spine_switch"] = "aa_renamed";
    CAPTURE(scenario.dump());
    CHECK(answered(scenario, catalog).at("prediction") == before);
  }
}

TEST_CASE("law: members of an exchange mean the same in any order") {
  const Catalog catalog = Catalog::builtin();
  const auto with = [&](const char* exchange) {
    nlohmann::ordered_json scenario = trainings().front();
    scenario["workloads"][0]["exchange"] = nlohmann::ordered_json::parse(exchange);
    return answer_to(scenario, catalog).document.at("assumptions");
  };
  json one = with(R"({"transport": "sockets", "compression": "fp16"})");
  json other = with(R"({"compression": "fp16", "transport": "sockets"})");
  for (json* rows : {&one, &other})
    for (json& row : *rows) row.erase("where");
  CHECK(one == other);
}

TEST_CASE("a file system that reads through hundreds of ports is simulated on its own machine") {
  json scenario = training("ibm_ac922_6gpu", 64, "resnet50", 64, "pytorch");
  scenario["storage"] = {{"array", "summit_alpine"}};
  CHECK(time_of(scenario, Catalog::builtin()) > 0);
}

TEST_CASE("an efficiency above 1 of sharded optimizer states says that each GPU updates a smaller share") {
  json scenario = training("ibm_ac922_4gpu", 2, "bert-base", 1, "chainer");
  scenario["workloads"][0].erase("batch_per_gpu");
  scenario["workloads"][0]["parallelism"] = {
      {"micro_batch", 4}, {"micro_batches", 2}, {"recompute", "full"}, {"zero_stage", 3}};
  const json document = answered(scenario, Catalog::builtin());
  int stated = 0;
  for (const json& warning : document.at("warnings")) {
    if (warning.at("code") != "superlinear") continue;
    ++stated;
    CHECK(warning.at("part") == "optimizer");
    CHECK(warning.at("efficiency").get<double>() > 1);
    CHECK(warning.at("part_s").get<double>() < warning.at("alone_s").get<double>());
  }
  CHECK(stated == 1);
}
