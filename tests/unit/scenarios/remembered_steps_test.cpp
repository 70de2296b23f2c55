// The evaluator remembers steps: what it gives is what a fresh one would have simulated.
#include <doctest/doctest.h>

#include <string>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/evaluate/step_key.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/names/run_control.hpp"
#include "sim/json/reader.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& builtin() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Question asked(double samples, const std::string& input) {
  const std::string text = R"({"name": "m", "data": {"samples": 2000000, "bytes_per_sample": "110 kB"},
  "storage": {"array": "nfs_10gbe"}, "input": )" +
                           input + R"(,
  "workloads": [{"model": "alexnet", "epochs": 2, "batch_per_gpu": 256}],
  "cluster": {"node": "dgx1v_16gb", "nodes": 2}})";
  const Scenario s = read_scenario(parse_json(text, "m.json"), "m.json");
  Question q = question(s, s.workloads.front());
  q.samples = samples;
  return q;
}

}  // namespace

TEST_CASE("issue 23, item 24: a remembered step is that of its own number of samples") {
  // So many shards of fewer samples are shorter: opening them takes a larger part.
  const std::string input = R"({"format": "tfrecord", "shards": 1000000, "page_cache": false})";
  const Question many = asked(1e9, input), few = asked(1e6, input);
  Evaluator fresh{builtin()}, used{builtin()};
  const TrainingRun alone = fresh.run(few);
  const TrainingRun first = used.run(many);
  CHECK(used.run(few).parts.total == alone.parts.total);
  CHECK(first.parts.total < alone.parts.total);
}

TEST_CASE(
    "issue 23, item 24: a remembered step is that of its own number of steps, where each is simulated") {
  RunControl control;
  control.fold = false;
  Evaluator evaluator{builtin(), control};
  const std::string input = R"({"page_cache": false})";
  const TrainingRun shorter = evaluator.run(asked(40'960, input)),
                    longer = evaluator.run(asked(81'920, input));
  CHECK(longer.steps == 2 * shorter.steps);
}

TEST_CASE("issue 23, item 24: every part of a step's spec is in its key") {
  const TrainingSpec plain;
  const auto differs = [&](auto change) {
    TrainingSpec other = plain;
    change(other);
    return spec_key(other) != spec_key(plain);
  };
  CHECK(differs([](TrainingSpec& s) { s.batch_per_gpu = 2; }));
  CHECK(differs([](TrainingSpec& s) { s.exchange.bucket = Bytes{1}; }));
  CHECK(differs([](TrainingSpec& s) { s.exchange.comm.version = "2.8"; }));
  CHECK(differs([](TrainingSpec& s) { s.exchange.servers.split = Bytes{0}; }));
  CHECK(differs([](TrainingSpec& s) { s.input.stages = {{"storage", "", 1, 1}}; }));
  CHECK(differs([](TrainingSpec& s) { s.save.divided = Bytes{1}; }));
  CHECK(differs([](TrainingSpec& s) { s.stragglers = {{1, 1, 1}}; }));
  CHECK(differs([](TrainingSpec& s) { s.network_scale = 2; }));
  CHECK_FALSE(differs([](TrainingSpec& s) { s.steps = 2; }));  // folded, a step is a step
  CHECK(differs([](TrainingSpec& s) { s.fold = false, s.steps = 2; }));
}
