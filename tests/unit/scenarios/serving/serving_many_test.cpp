// A fleet that serves at many points: swept, and with inputs that are not known exactly.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "scenarios/serving/service_result.hpp"
#include "scenarios/sweep/sweep.hpp"
#include "scenarios/uncertainty/service_uncertainty.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"
#include "tests/unit/schema_faults.hpp"
#include "tests/unit/sim/temporary_folder.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog builtin = Catalog::builtin();
  return builtin;
}

std::string text_of(const std::string& serving, const std::string& cluster = "") {
  return R"({"name": "photos", "serving": {"model": "resnet50-v1.5", "precision": "fp16", )" + serving +
         R"(}, "cluster": {"node": "dgx1v_16gb")" + cluster + "}, \"goal\": {\"max_nodes\": 40}}";
}

Scenario scenario(const std::string& serving) {
  return read_serving_scenario(parse_json(text_of(serving), "fleet.json"), "fleet.json");
}

constexpr const char* kBusy =
    R"("rate": "60000/s", "peak": 2, "latency": "20 ms", "max_batch": 32, "spares": 1)";

SweepSpec sweep(const TemporaryFolder& folder, const std::string& cluster, const char* axis, int threads) {
  SweepSpec spec;
  spec.scenario = folder / "fleet.json";
  write_file_atomically(spec.scenario, text_of(kBusy, cluster));
  spec.axes = {read_axis(axis)};
  spec.threads = threads;
  return spec;
}

std::vector<SweepRow> rows_of(const SweepSpec& spec, const std::string& file) {
  SweepStore store{file, sweep_question(spec)};
  run_sweep(spec, catalog(), store);
  return store.rows();
}

double number(const SweepRow& row, std::size_t column) {
  return std::get<double>(row.figures.at(column));
}

}  // namespace

TEST_CASE("a sweep of a load answers at each point what size answers" * doctest::test_suite("long")) {
  const TemporaryFolder folder;
  const SweepSpec spec = sweep(folder, "", "serving.rate=30000/s,60000/s,5000000/s", 2);
  const auto rows = rows_of(spec, folder / "a.db");
  REQUIRE(rows.size() == 3);
  for (std::size_t i = 0; i < 2; ++i) {
    Scenario s = scenario(kBusy);
    s.serving->rate = Frequency{i == 0 ? 3e4 : 6e4};
    const ServiceResult one = size_service(s, catalog());
    CHECK(rows[i].feasible);
    CHECK(rows[i].nodes == one.answer.nodes);
    CHECK(rows[i].gpus == one.answer.gpus);
    CHECK(rows[i].binds == one.chosen.binds);
    CHECK(std::get<std::string>(rows[i].figures[0]) == "dgx1v_16gb");
    CHECK(std::get<std::string>(rows[i].figures[1]) == "fp16");
    CHECK(number(rows[i], 2) == one.chosen.needed);
    CHECK(number(rows[i], 3) == one.at_peak.asked.base());
    CHECK(number(rows[i], 4) >= 0.99 * s.serving->peak_rate().base());  // rates are known to 1 %
    CHECK(number(rows[i], 6) == one.chosen.availability);
    CHECK(std::holds_alternative<std::monostate>(rows[i].figures[8]));  // no site: no price
  }
  CHECK_FALSE(rows[2].feasible);
  CHECK(rows[2].binds == "most nodes");
}

TEST_CASE("a sweep of the nodes says what each fleet does") {
  const TemporaryFolder folder;
  const auto rows = rows_of(sweep(folder, R"(, "nodes": 9)", "cluster.nodes=2..20:6", 1), folder / "a.db");
  REQUIRE(rows.size() == 4);
  CHECK_FALSE(rows[0].feasible);  // one node and a spare are overloaded
  CHECK(rows[0].binds == "latency");
  CHECK(std::holds_alternative<std::monostate>(rows[0].figures[3]));
  CHECK(rows[3].feasible);
  CHECK(rows[3].nodes == 20);
  CHECK(number(rows[3], 2) == 19);
  CHECK(number(rows[3], 3) < 0.020);
  CHECK(number(rows[3], 5) < number(rows[2], 5));  // the same load on more of them
}

TEST_CASE("a sweep of a load gives the same bytes for any threads, shards and order") {
  const TemporaryFolder folder;
  SweepSpec spec = sweep(folder, "", "serving.latency=4..20#10", 1);
  spec.axes.front().values = {"4 ms", "6 ms", "8 ms", "10 ms", "12 ms", "14 ms", "16 ms", "18 ms", "20 ms"};
  SweepStore once{folder / "once.db", sweep_question(spec)};
  run_sweep(spec, catalog(), once);
  SweepStore joined{folder / "joined.db", sweep_question(spec)};
  for (const int shard : {2, 1}) {
    spec.threads = 3;
    spec.shard = shard;
    spec.shards = 2;
    const std::string part = folder / ("part" + std::to_string(shard));
    SweepStore store{part, sweep_question(spec)};
    run_sweep(spec, catalog(), store);
    joined.merge(part);
  }
  CHECK(sweep_csv(joined) == sweep_csv(once));
}

TEST_CASE("where the ports of a node are the limit, the nodes are the load over the ports" *
          doctest::test_suite("long")) {
  // 4 ports of 100 Gb/s and 10 MB a request: a node takes so many requests, however fast its kernels are. The
  // load is even between 1,000/s and 3,000/s at twice that in the busiest hour: nodes are, too.
  const Scenario s = scenario(R"("rate": "1000..3000/s", "peak": 2, "latency": "20 ms", "request": "10 MB")");
  const ServiceUncertainty r = service_uncertainty(s, catalog(), 256);
  const double each = 2 * 2000 / r.quantiles[2];
  CHECK(r.quantiles[0] == doctest::Approx(2 * 1100 / each).epsilon(0.02));
  CHECK(r.quantiles[4] == doctest::Approx(2 * 2900 / each).epsilon(0.02));
  REQUIRE(r.tornado.size() == 2);
  CHECK(r.tornado[0].input == "serving.rate");
  CHECK(r.tornado[0].share.total == doctest::Approx(1).epsilon(0.02));
  CHECK(r.tornado[0].high == doctest::Approx(3 * r.tornado[0].low));
  CHECK(r.tornado[1].share.total < 1e-9);
  CHECK(r.nodes == static_cast<int>(std::ceil(2 * 2000 / each)));
  CHECK(r.confidence >= 0.5);
}

TEST_CASE("the spread of the kernels alone gives the interval that size prints" *
          doctest::test_suite("long")) {
  const Scenario s = scenario(kBusy);
  const ServiceUncertainty r = service_uncertainty(s, catalog(), 64);
  const ServiceResult sized = size_service(s, catalog());
  CHECK(r.nodes == sized.chosen.needed);
  CHECK(r.spares == 1);
  // Whole nodes there, parts of a node here; 64 points know the ends of an interval to a few percent.
  const auto rounds_up_to = [](double parts, int whole) {
    return parts > 0.97 * (whole - 1) && parts <= 1.03 * whole;
  };
  CHECK(rounds_up_to(r.quantiles[0], *sized.least));
  CHECK(rounds_up_to(r.quantiles[4], *sized.most));
  CHECK(r.tornado.front().low < r.tornado.front().high);
  int before = 0;
  for (const auto& c : r.confident) {
    REQUIRE(c.nodes.has_value());
    CHECK(*c.nodes >= before);
    before = *c.nodes;
  }
  const std::string text = service_uncertainty_document(s, r);
  CHECK(text == service_uncertainty_document(s, service_uncertainty(s, catalog(), 64)));
}

TEST_CASE("a latency that part of its range cannot keep is no number of nodes" *
          doctest::test_suite("long")) {
  const ServiceUncertainty r = service_uncertainty(
      scenario(R"("rate": "60000/s", "latency": "0.1..5 ms", "max_batch": 32)"), catalog(), 32);
  CHECK(std::isinf(r.quantiles[4]) == !r.confident[3].nodes.has_value());
  CHECK(std::isinf(r.tornado.front().low));
  CHECK(service_uncertainty_document(scenario(kBusy), r).find("no number of nodes") != std::string::npos);
  CHECK_THROWS_AS(service_uncertainty(scenario(R"("rate": "60000/s", "latency": "1..3 us")"), catalog(), 16),
                  Error);
}
