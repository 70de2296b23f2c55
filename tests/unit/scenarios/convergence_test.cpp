// The law of convergence: its numbers by hand, what an answer says of it, and what is refused.
#include "models/exchange/convergence.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "models/exchange/exchange.hpp"
#include "reports/sentences/row_sentences.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/listings/templates.hpp"
#include "scenarios/names/ranges.hpp"
#include "scenarios/result/result.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"
#include "tests/document_faults.hpp"
#include "tests/unit/schema_faults.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

std::string text_with(const std::string& members) {
  return R"({"name": "n", "data": {"bytes_per_sample": "110 kB", "samples": 1000000},
  "workloads": [{"model": "resnet50", "epochs": 90, "batch_per_gpu": 32)" +
         members + R"(}],
  "cluster": {"node": "dgx1v_16gb", "nodes": 4}})";
}

Scenario scenario(const std::string& members) {
  return read_scenario(parse_json(text_with(members), "law.json"), "law.json");
}

Result run(const std::string& members) {
  static const Catalog catalog = Catalog::builtin();
  return simulate(scenario(members), catalog);
}

std::string refusal(const std::string& law) {
  try {
    (void)scenario(",\n\"convergence\": " + law);
  } catch (const Error& e) {
    CHECK(e.where().line == 3);
    CHECK(e.where().column > 1);
    return e.message();
  }
  return {};
}

const doc::LadderRung& rung(const Result& result, const std::string& code) {
  const auto& rows = result.workloads.front().ladder;
  const auto found =
      std::ranges::find_if(rows, [&](const doc::LadderRung& r) { return r.what.code() == code; });
  REQUIRE(found != rows.end());
  return *found;
}

const std::string kLaw = R"(, "convergence": {"critical_batch": 1024, "reference_batch": 256)";
const std::string kServers = R"(, "exchange": {"strategy": "parameter_server", "mode": )";

}  // namespace

TEST_CASE("samples follow batch and staleness as the law has them") {
  const ConvergenceLaw law{8192, 256, 0.1};
  CHECK(batch_factor(law, 256) == 1);
  // (1 + 1) / (1 + 1/32) = 64/33
  CHECK(batch_factor(law, 8192) == doctest::Approx(64.0 / 33).epsilon(1e-12));
  // (1 + 1/64) / (1 + 1/32) = 65/66: small batches need fewer samples
  CHECK(batch_factor(law, 128) == doctest::Approx(65.0 / 66).epsilon(1e-12));
  CHECK(staleness_factor(law, 3) == doctest::Approx(1.3));
  CHECK(staleness_factor({8192, 256, {}}, 3) == 1);
  ExchangeSpec exchange;
  exchange.servers.staleness = 3;
  exchange.servers.mode = ServerMode::stale;
  CHECK(staleness_steps(exchange) == 0);  // all-reduce waits for everybody
  exchange.strategy = ExchangeStrategy::parameter_server;
  CHECK(staleness_steps(exchange) == 3);
  exchange.servers.mode = ServerMode::asynchronous;
  CHECK(staleness_steps(exchange) == 1);
  exchange.servers.mode = ServerMode::synchronous;
  CHECK(staleness_steps(exchange) == 0);
}

TEST_CASE("an answer counts the epochs after the law, and says that it is the weakest link") {
  const Result plain = run(""), lawful = run(kLaw + "}");
  // 32 GPUs x 32 samples = 1024: (1 + 1) / (1 + 1/4) = 1.6, 144 epochs, 140,625 steps.
  CHECK(rung(lawful, "epochs_asked").value == 90);
  CHECK(rung(lawful, "epochs_after_law").value == doctest::Approx(144));
  CHECK(rung(lawful, "samples_seen").value == doctest::Approx(144e6));
  CHECK(lawful.workloads.front().steps == 140625);
  // One GPU has the batch 32: (1 + 1/32) / (1 + 1/4) = 0.825 of the epochs.
  CHECK(rung(lawful, "time_on_one_gpu").value ==
        doctest::Approx(0.825 * rung(plain, "time_on_one_gpu").value).epsilon(1e-9));
  CHECK(lawful.prediction.time_to_train.value / plain.prediction.time_to_train.value ==
        doctest::Approx(1.6).epsilon(1e-3));
  CHECK(lawful.prediction.step_time.value == plain.prediction.step_time.value);
  const auto law = std::ranges::find(lawful.assumptions, Trust::low, &Assumption::confidence);
  REQUIRE(law != lawful.assumptions.end());
  CHECK(reports::name_of(*law).find("weakest link") != std::string::npos);
  CHECK(law->source.find("1812.06162") != std::string::npos);
  CHECK(law->where.starts_with("law.json:2:"));
  REQUIRE(lawful.warnings.size() == plain.warnings.size() + 1);
  CHECK(lawful.warnings.back().code() == "convergence_law");
  CHECK(std::ranges::count(plain.warnings, "convergence_law", &doc::Reason::code) == 0);
  CHECK(schema_faults(schema_text("result"), checked_json_text(lawful)).empty());
}

TEST_CASE("staleness costs what the scenario says, and nothing unsaid is left unmentioned") {
  const std::string stale = kServers + R"("stale", "staleness": 3})";
  const Result free = run(kLaw + "}" + stale), paid = run(kLaw + R"(, "staleness_penalty": 0.1})" + stale);
  CHECK(rung(free, "epochs_after_law").value == doctest::Approx(144));
  CHECK(rung(paid, "epochs_after_law").value == doctest::Approx(144 * 1.3));
  // The one GPU waits for nobody.
  CHECK(rung(free, "time_on_one_gpu").value == rung(paid, "time_on_one_gpu").value);
  CHECK(std::ranges::count(free.warnings, "stale_gradients", &doc::Reason::code) == 1);
  CHECK(std::ranges::count(paid.warnings, "stale_gradients", &doc::Reason::code) == 0);
  const Result waits = run(kLaw + R"(, "staleness_penalty": 0.1})" + kServers + "\"synchronous\"}");
  CHECK(rung(waits, "epochs_after_law").value == doctest::Approx(144));
}

TEST_CASE("the critical batch may be a range, and is among what the time depends on") {
  const std::string range =
      R"(, "convergence": {"critical_batch": "512..2048", "reference_batch": 256, "source": "1..2 guesses"})";
  CHECK(scenario(range).workloads.front().convergence->law.critical_batch == 1280);
  CHECK(schema_faults(schema_text("scenario"), text_with(range)).empty());
  const Result result = run(range);
  const auto& rows = result.workloads.front().sensitivity;
  const auto row = std::ranges::find(rows, "workloads.0.convergence.critical_batch", &SensitivityRow::input);
  REQUIRE(row != rows.end());
  // 1024 samples: (1 + 2) / (1 + 1/2) = 2 at 512, (1 + 1/2) / (1 + 1/8) = 4/3 at 2048.
  CHECK(row->low / row->high == doctest::Approx(1.5).epsilon(1e-3));
}

TEST_CASE("laws that cannot be are refused at their place") {
  CHECK(refusal(R"({"critical_batch": 8192})").find("reference_batch") != std::string::npos);
  CHECK(refusal(R"({"reference_batch": 256})").find("critical_batch") != std::string::npos);
  CHECK(refusal(R"({"critical_batch": 0, "reference_batch": 256})").find("from 1") != std::string::npos);
  CHECK(refusal(R"({"critical_batch": 8192, "reference_batch": "256 B"})") != "");
  CHECK(refusal(R"({"critical_batch": 1, "reference_batch": 1, "staleness_penalty": -0.1})").find("from 0") !=
        std::string::npos);
  CHECK(refusal(R"({"critical_batch": 1, "reference_batch": 1, "stalness": 1})").find("unknown key") !=
        std::string::npos);
  CHECK(refusal("8192").find("an object is expected") != std::string::npos);
}
