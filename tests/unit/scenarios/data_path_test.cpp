// The data path as a scenario asks for it: keys, epochs, infeasible sets, growth and learning curves.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "reports/pages/report.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/base/error.hpp"
#include "tests/document_faults.hpp"
#include "tests/render_document.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;
using nlohmann::json;

namespace {

json base() {
  return json::parse(R"({
    "name": "t", "data": { "samples": 1281167 }, "storage": { "array": "nfs_10gbe" },
    "workloads": [{ "model": "alexnet", "epochs": 10, "batch_per_gpu": 512 }],
    "cluster": { "node": "dgx1_p100", "nodes": 1 }
  })");
}

Scenario read(const json& text) {
  return read_scenario(parse_json(text.dump(), "t.json"), "t.json");
}

WorkloadResult trained(const json& text) {
  return simulate(read(text), Catalog::builtin()).workloads.at(0);
}

std::string failure(const json& text) {
  try {
    simulate(read(text), Catalog::builtin());
  } catch (const Error& e) {
    return e.message() + " at " + e.where().pointer;
  }
  return {};
}

json fleet() {
  json text = base();
  // 10 x 0.1 TB/h x 10 h x 0.01 = 0.1 TB a day.
  text["data"] = {{"fleet",
                   {{"vehicles", 10},
                    {"capture_rate", "0.1 TB/h"},
                    {"recording_per_day", "10 h"},
                    {"days", 100},
                    {"kept", 0.01}}},
                  {"labelling_delay", "10 days"}};
  return text;
}

}  // namespace

TEST_CASE("the first epoch waits for the server, the second comes from memory") {
  const WorkloadResult w = trained(base());
  REQUIRE(w.input);
  REQUIRE(w.input->phases.size() == 2);
  const auto &cold = w.input->phases[0], &warm = w.input->phases[1];
  CHECK(cold.phase.hits.storage == 1);
  CHECK(warm.phase.hits.page_cache == doctest::Approx(1));
  CHECK(cold.run.binds == "storage read");
  CHECK(warm.run.binds != "storage read");
  // 1.1 GB/s / 0.113 MB = 9735 images/s at most.
  CHECK(cold.run.samples_per_step / cold.run.parts.total.base() <= 9735);
  CHECK(w.input->available.base() == doctest::Approx(1.1e9).epsilon(1e-3));
}

TEST_CASE("without a page cache every epoch is cold and training takes longer") {
  json text = base();
  text["input"] = {{"page_cache", false}};
  const WorkloadResult cold = trained(text);
  CHECK(cold.input->phases.size() == 1);
  CHECK(cold.prediction.time_to_train.value > trained(base()).prediction.time_to_train.value);
}

TEST_CASE("the funnel names the narrowest stage and how far the next one is") {
  json text = base();
  text["storage"] = {{"array", "dgx_pod_storage_server"}, {"count", 12}};
  const WorkloadResult w = trained(text);
  const Funnel& f = w.input->funnel;
  CHECK(f.stages.front().what == "storage read");
  CHECK(f.stages.back().what == "GPU compute");
  CHECK(f.stages[f.binds].what == "image decoding on the CPU cores");
  CHECK(f.headroom() > 1);
}

TEST_CASE(
    "stages of the input path are as uncertain as it is, links are not, GPUs by kernels and collectives" *
    doctest::test_suite("long")) {
  const Result r =
      simulate(load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/fleet_conservative.json"),
               Catalog::builtin());
  REQUIRE(r.workloads[0].input);
  const Funnel& funnel = r.workloads[0].input->funnel;
  std::size_t links = 0;
  for (const FunnelStage& stage : funnel.stages) {
    CAPTURE(stage.what);
    const bool link = stage.what == "InfiniBand" || stage.what == "PCIe";
    links += link ? 1 : 0;
    CHECK((stage.low < stage.rate && stage.rate < stage.high) == !link);
    if (stage.of_input)
      CHECK(stage.high / stage.rate ==
            doctest::Approx(funnel.stages.front().high / funnel.stages.front().rate));
  }
  CHECK(links == 2);
}

TEST_CASE("the nodes of a growth plan have the interval of their times" * doctest::test_suite("long")) {
  const Result r =
      size(load_scenario(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/fleet_very_conservative.json"),
           Catalog::builtin());
  REQUIRE(r.growth);
  REQUIRE(r.growth->plan.size() > 3);
  for (const GrowthStep& step : r.growth->plan) {
    CHECK(step.limit.has_value() == !step.nodes);  // without an answer it says what stands in the way
    if (!step.nodes) continue;
    REQUIRE(step.least);
    CHECK(*step.least <= *step.nodes);
    if (step.most) CHECK(*step.most >= *step.nodes);
    if (!step.asked) continue;
    CHECK(*step.least < *step.nodes);
    const int confident = r.answer.changes.back().nodes.value();  // 90 % on one side: within 95 %
    CHECK(confident <= step.most.value());
  }
}

TEST_CASE("reads from an NFS server double with the nodes where each reads the whole set") {
  const auto read_rate = [](int nodes) {
    json text = base();
    text["cluster"]["nodes"] = nodes;
    text["workloads"][0] = {{"model", "resnet50"}, {"epochs", 1}, {"batch_per_gpu", 64}};
    text["input"] = {{"sharding", "all"}};
    const WorkloadResult w = trained(text);
    const TrainingRun& run = w.input->phases[0].run;
    return run.samples_per_step / run.parts.total.base() * w.input->phases[0].phase.hits.storage * 0.113e6;
  };
  CHECK(read_rate(2) / read_rate(1) > 1.9);
  CHECK(read_rate(2) / read_rate(1) <= 2.0);
}

TEST_CASE("small files meet the metadata rate that packed records avoid") {
  json text = base();
  text["data"] = {{"samples", 100'000'000}, {"bytes_per_sample", "10 kB"}};
  text["input"] = {{"format", "files"}};
  CHECK(trained(text).input->phases[0].run.binds != trained(base()).input->phases[0].run.binds);
  const WorkloadResult files = trained(text);
  text["input"] = {{"format", "recordio"}};
  CHECK(trained(text).prediction.time_to_train.value <= files.prediction.time_to_train.value);
}

TEST_CASE("checkpoints lengthen training by what they stall") {
  json text = base();
  text["workloads"][0] = {{"model", "vgg16"}, {"epochs", 10}, {"batch_per_gpu", 64}};
  const double without = trained(text).prediction.time_to_train.value;
  text["input"] = {{"checkpoint_every", "10 s"}};
  const WorkloadResult w = trained(text);
  CHECK(w.input->writes.time_factor > 1.01);
  CHECK(w.prediction.time_to_train.value > 1.01 * without);
}

TEST_CASE("GPUs that wait for decoding lose nothing to a save that batches ready in memory outlast") {
  json text = base();
  text["input"] = {{"checkpoint_every", "10 s"}};
  const WorkloadResult w = trained(text);
  CHECK(w.input->writes.write > Duration{0.1});
  CHECK(w.input->writes.stall < Duration{1e-6});
  // No rounding error of a picosecond's part passes for a stall.
  CHECK((w.input->writes.stall == Duration{0} || w.input->writes.stall >= Duration{1e-12}));
}

TEST_CASE("a data set larger than the storage is infeasible, whatever is asked") {
  json text = base();
  text["data"] = {{"size", "60 TB"}};  // the server holds 50 TB
  const WorkloadResult w = trained(text);
  CHECK_FALSE(w.answer.feasible);
  CHECK(w.answer.conflicts.at(0).limit == Limit::storage_capacity);
  text["data"]["compression"] = 2;
  CHECK(trained(text).answer.feasible);
}

TEST_CASE("bad input is named where it stands") {
  const auto with = [](const char* key, json value) {
    json text = base();
    text["input"] = {{key, std::move(value)}};
    return failure(text);
  };
  CHECK(with("shards", 0) == "a data set has at least one shard at /input/shards");
  CHECK(with("workers_per_gpu", 6).find("48, more than the 40 cores") != std::string::npos);
  CHECK(with("workers_per_gpu", 6).find("/input") != std::string::npos);
  CHECK(with("decoder", "gpu_engine").find("no JPEG engine") != std::string::npos);
  CHECK(with("record", "smell").find("unknown kind of record") != std::string::npos);
  json zero = base();
  zero["data"]["bytes_per_sample"] = "0 B";
  CHECK(failure(zero).find("/data/bytes_per_sample") != std::string::npos);
}

TEST_CASE("a date trains what is labelled by then, and retraining is followed") {
  json text = fleet();
  text["goal"] = {{"deadline", "1000 days"}, {"date", "60 days"}, {"retrain_every", "20 days"}};
  const Scenario s = read(text);
  CHECK(s.data.size.base() == doctest::Approx(5e12));  // 60 - 10 days
  const Result r = size(s, Catalog::builtin());
  REQUIRE(r.growth);
  CHECK(r.growth->series.size() == 100);
  REQUIRE(r.growth->retraining.size() == 3);  // days 60, 80, 100
  CHECK(r.growth->retraining[0].samples == doctest::Approx(5e12 / 0.113e6).epsilon(1e-6));
  CHECK(r.growth->retraining[1].time > r.growth->retraining[0].time);
  text["goal"]["date"] = "5 days";
  CHECK_THROWS_WITH_AS(read(text), doctest::Contains("no sample is labelled yet"), Error);
  json still = base();
  still["goal"] = {{"deadline", "1 day"}, {"date", "5 days"}};
  CHECK_THROWS_WITH_AS(read(still), doctest::Contains("needs data that grows"), Error);
}

TEST_CASE("a target error becomes a data set and a time") {
  json text = base();
  // error = 2 D^-0.25; 0.02 needs 10^8 samples.
  text["data"] = {{"learning_curve",
                   {{"points",
                     {{{"samples", 1e4}, {"error", 0.2}},
                      {{"samples", 1e6}, {"error", 0.0632455532}},
                      {{"samples", 16e4}, {"error", 0.1}}}},
                    {"target_error", 0.02}}}};
  const Scenario s = read(text);
  CHECK(s.data.samples == doctest::Approx(1e8).epsilon(1e-3));
  const Result r = simulate(s, Catalog::builtin());
  CHECK(r.workloads[0].samples == s.data.samples);
  CHECK(checked_json_text(r).find("\"learning_curve\"") != std::string::npos);
}

TEST_CASE("the report shows the pipeline and the data in time") {
  json text = fleet();
  text["goal"] = {{"deadline", "1000 days"}, {"retrain_every", "30 days"}};
  const auto document =
      reports::load_result(checked_json_text(size(read(text), Catalog::builtin())), "r.json");
  const std::string page = reports::render_markdown(document);
  for (const char* part : {"Input pipeline", "storage read", "Data in time", "Before the next", "page cache"})
    CHECK_MESSAGE(page.find(part) != std::string::npos, part);
}
