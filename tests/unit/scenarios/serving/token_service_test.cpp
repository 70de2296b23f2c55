// A fleet that serves a language model token by token.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "models/mechanism_spread.hpp"
#include "reports/pages/report.hpp"
#include "reports/sentences/row_sentences.hpp"
#include "scenarios/evaluate/ledger.hpp"
#include "scenarios/listings/templates.hpp"
#include "scenarios/serving/service_fleet.hpp"
#include "scenarios/serving/service_result.hpp"
#include "scenarios/serving/token_server.hpp"
#include "tests/answer_sentence.hpp"
#include "tests/document_faults.hpp"
#include "tests/unit/schema_faults.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& builtin() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

Scenario asked(const std::string& serving, const std::string& rest = "") {
  const std::string text = R"({"name": "chat", "serving": {"model": "llama3-8b", "precision": "fp16", )" +
                           serving + R"(}, "cluster": {"node": "dgx_a100_640gb"})" + rest + "}";
  return read_serving_scenario(parse_json(text, "chat.json"), "chat.json");
}

ServiceResult answered(const std::string& serving, const std::string& rest = "") {
  return size_service(asked(serving, rest), builtin());
}

constexpr const char* kChat =
    R"("rate": "100/s", "peak": 2, "prompt": 1000, "output": 300, "first_token": "500 ms", "token": "40 ms")";

}  // namespace

TEST_CASE(
    "issue 23, item 30: nodes for a language model keep both limits in the busiest hour, and one fewer does "
    "not") {
  const ServiceResult r = answered(kChat);
  REQUIRE(r.answer.feasible);
  REQUIRE(r.at_peak.tokens);
  CHECK(r.at_peak.tokens->first <= Duration{0.5});
  CHECK(r.at_peak.tokens->token <= Duration{0.04});
  CHECK(r.chosen.server->holds(Frequency{200}, r.chosen.needed));
  REQUIRE(r.chosen.needed > 1);
  CHECK_FALSE(r.chosen.server->holds(Frequency{200}, r.chosen.needed - 1));
  CHECK(answer_sentence(r).find("time to the first token") != std::string::npos);
  CHECK(answer_sentence(r).find("60,000 tokens/s") != std::string::npos);  // 300 of 200 requests
}

TEST_CASE("a service that guesses tokens keeps a limit per token on fewer GPUs, and says how it guesses" *
          doctest::test_suite("long")) {
  const auto with = [](const char* guesses) {
    return answered(
        std::string{
            R"("rate": "100/s", "prompt": 500, "output": 300, "first_token": "1 s", "token": "15 ms", )"} +
        guesses + R"("tensor": 1)");
  };
  const ServiceResult plain = with(""), guessed = with(R"("draft_tokens": 3, )");
  REQUIRE(plain.answer.feasible);
  REQUIRE(guessed.answer.feasible);
  CHECK(guessed.chosen.needed < plain.chosen.needed);
  const auto note = [](const ServiceResult& r) {
    std::string out;
    for (const auto& a : r.assumptions)
      if (a.what.code() == "speculation") out = reports::value_of(a);
    return out;
  };
  CHECK(note(plain).empty());
  CHECK(note(guessed) == "3 tokens guessed, 85 % right: 3.19 tokens a pass");
  CHECK(note(with(R"("draft_tokens": 1, "acceptance": 0.5, )")) ==
        "1 token guessed, 50 % right: 1.50 tokens a pass");

  for (const char* wrong :
       {R"("acceptance": 0.5, )", R"("draft_tokens": 17, )", R"("draft_tokens": -1, )",
        R"("draft_tokens": 1.5, )", R"("draft_tokens": "3", )", R"("draft_tokens": 3, "acceptance": 1.5, )",
        R"("draft_tokens": 3, "acceptance": "x", )"}) {
    CAPTURE(wrong);
    CHECK(contains(error_text([&] { (void)asked(std::string{kChat} + ", " + wrong + R"("tensor": 1)"); }),
                   "chat.json:1:"));
  }
  CHECK(contains(error_text([&] { (void)asked(R"("rate": "1/s", "latency": "1 s", "draft_tokens": 3)"); }),
                 "token by token"));
}

TEST_CASE("longer prompts, longer answers and tighter limits take more nodes" * doctest::test_suite("long")) {
  const auto nodes = [&](const char* serving) {
    const ServiceResult r = answered(serving);
    REQUIRE(r.answer.feasible);
    return r.chosen.needed;
  };
  const int base = nodes(kChat);
  CHECK(nodes(R"("rate": "100/s", "peak": 2, "prompt": 4000, "output": 300, "first_token": "500 ms",
                 "token": "40 ms")") > base);
  CHECK(nodes(R"("rate": "100/s", "peak": 2, "prompt": 1000, "output": 900, "first_token": "500 ms",
                 "token": "40 ms")") > base);
  CHECK(nodes(R"("rate": "100/s", "peak": 2, "prompt": 1000, "output": 300, "first_token": "500 ms",
                 "token": "20 ms")") > base);
}

TEST_CASE("a language model that one GPU does not hold is split, and one that no node holds is refused") {
  const ServiceResult r = size_service(
      read_serving_scenario(
          parse_json(
              R"({"name": "chat", "serving": {"model": "llama3-70b", "precision": "bf16", "rate": "2/s",
 "prompt": 500, "output": 100, "first_token": "2 s", "token": "100 ms"},
 "cluster": {"node": "dgx_a100_640gb"}})",
              "chat.json"),
          "chat.json"),
      builtin());
  REQUIRE(r.answer.feasible);
  CHECK(r.chosen.server->tokens()->gpus_per_copy() >= 2);
  const ServiceResult none = size_service(
      read_serving_scenario(parse_json(R"({"name": "chat", "serving": {"model": "llama3-70b", "rate": "2/s",
 "prompt": 500, "output": 100, "first_token": "2 s"}, "cluster": {"node": "dgx1_p100"}})",
                                       "chat.json"),
                            "chat.json"),
      builtin());
  CHECK_FALSE(none.answer.feasible);
  CHECK(none.answer.binding_constraint == "gpu_memory");
}

TEST_CASE("a limit that a lone request breaks is named with what it takes") {
  const ServiceResult r = answered(R"("rate": "1/s", "prompt": 1000, "output": 300, "token": "1 ms")");
  CHECK_FALSE(r.answer.feasible);
  CHECK(r.answer.binding_constraint == "time per output token");
  CHECK(answer_sentence(r).find("time per output token") != std::string::npos);
}

TEST_CASE(
    "the document of a language model's service is as its schema says, and the report shows its tokens" *
    doctest::test_suite("long")) {
  const std::string text =
      checked_json_text(answered(kChat, R"(, "site": {"prices": {"date": "2022-06-30"}})"));
  CHECK(schema_faults(schema_text("result"), text) == "");
  const auto document = reports::load_result(text, "result");
  REQUIRE(document.serving);
  REQUIRE(document.serving->tokens);
  CHECK(document.serving->tokens->peak_tokens_per_s == doctest::Approx(60000));
  CHECK(document.serving->at_peak->token_s);
}

TEST_CASE("lengths and limits of tokens are checked at their places") {
  const auto refusal = [](const std::string& serving, const std::string& rest = "") {
    return error_text([&] { (void)answered(serving, rest); });
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(has(refusal(R"("rate": "1/s", "latency": "1 s")"), "how long are prompts and answers"));
  CHECK(has(refusal(R"("rate": "1/s", "latency": "1 s")"), "rackcast generation"));
  CHECK(has(refusal(R"("rate": "1/s", "prompt": 10, "latency": "1 s")"), "output"));
  CHECK(has(refusal(R"("rate": "1/s", "prompt": 10, "output": 10)"), "within a limit"));
  CHECK(has(refusal(R"("rate": "1/s", "token": "10 ms", "latency": "1 s")"), "token by token"));
  CHECK(has(refusal(R"("rate": "1/s", "prompt": 0, "output": 10, "token": "10 ms")"), "prompt"));
  CHECK(
      has(refusal(R"("rate": "1/s", "prompt": 10, "output": 10, "token": "0 s")"), "must be more than zero"));
  const std::string picture = R"({"name": "x", "serving": {"model": "resnet50", "rate": "1/s", "prompt": 10,
 "output": 10, "token": "10 ms"}, "cluster": {"node": "dgx_a100_640gb"}})";
  CHECK(has(error_text([&] {
              (void)size_service(read_serving_scenario(parse_json(picture, "x.json"), "x.json"), builtin());
            }),
            "does not answer token by token"));
}

TEST_CASE("each limit on tokens has a percentile of its own" * doctest::test_suite("long")) {
  const auto with = [](const char* first) {
    return answered(
        std::string{R"("rate": "100/s", "peak": 2, "prompt": 1000, "output": 300, "token": "40 ms",
      "percentile": 99, "first_token": )"} +
        first);
  };
  const ServiceResult all = with(R"("300 ms")");
  const ServiceResult half = with(R"({"limit": "300 ms", "percentile": 50})");
  REQUIRE(all.answer.feasible);
  REQUIRE(half.answer.feasible);
  CHECK(half.chosen.needed <= all.chosen.needed);
  CHECK(half.at_peak.tokens->first == half.at_peak.tokens->first_p50);
  CHECK(half.at_peak.tokens->token >= half.at_peak.tokens->token_p50);
  CHECK(answer_sentence(half).find("50 % of them with a time to the first token") != std::string::npos);
  CHECK(answer_sentence(half).find(", for 99 %)") != std::string::npos);
  CHECK(schema_faults(schema_text("result"), checked_json_text(half)) == "");
}

TEST_CASE("a tenth more of each limit on tokens has a value of its own" * doctest::test_suite("long")) {
  const ServiceResult r = answered(kChat);
  std::string names;
  for (const doc::Plan::Relaxation& x : r.relaxations)
    names += x.limit + ": " + x.now + ", " + x.relaxed + "; ";
  CHECK(names.find("time to the first token: 500 ms, 550 ms") != std::string::npos);
  CHECK(names.find("time per output token: 40 ms, 44 ms") != std::string::npos);
  CHECK(names.find("latency") == std::string::npos);  // none is stated
}

TEST_CASE("a prompt and an answer past the network's longest context are refused at the prompt" *
          doctest::test_suite("long")) {
  const std::string limits = R"(, "rate": "1/s", "first_token": "10 s", "token": "1 s")";
  const auto message = [&](const std::string& lengths) -> std::string {
    try {
      (void)answered(lengths + limits);
    } catch (const Error& e) {
      CHECK(e.where().line > 0);
      CHECK(e.kind() == ErrorKind::invalid_input);
      return e.message();
    }
    return "";
  };
  CHECK(message(R"("prompt": 8000, "output": 300)") ==
        "a prompt of 8000 tokens and an answer of 300 are 8300 tokens; Llama 3 8B takes 8192 at most");
  CHECK(message(R"("prompt": 7892, "output": 300)") == "");
}

TEST_CASE("a distribution of lengths is refused with what there is instead") {
  try {
    (void)asked(R"("rate": "1/s", "prompt": {"mean": 1000, "p90": 2700}, "output": 300, "token": "1 s")");
    FAIL("accepted");
  } catch (const Error& e) {
    CHECK(e.message() == "\"prompt\" is the mean number of tokens: a distribution of lengths has no model");
    CHECK(e.where().line > 0);
  }
}

TEST_CASE("a lone first token takes its way to the server and the passes it waits, by the server's version") {
  const auto lone = [](const std::string& framework) {
    const Scenario s = asked(R"("framework": )" + framework + ", " + kChat);
    Ledger nobody;
    const ServiceNode node{builtin(), GpuModelLibrary::builtin(), s, s.cluster, Precision::fp16, nobody};
    return *node.tokens()->lone().tokens;
  };
  const TokenTimes now = lone(R"({"name": "vllm"})"),
                   older = lone(R"({"name": "vllm", "version": "0.11.0"})");
  // models/data/host/serving.json: 15 ms and 4 passes.
  CHECK(now.first > Duration{0.015} + 4.0 * now.token);
  // Its host takes 70 us a token and 0.3 ms a pass in the place of 10 us and 1 ms.
  CHECK(older.token.base() == doctest::Approx(now.token.base() - 0.64e-3).epsilon(0.01));
}

TEST_CASE("odds of a limit on the first token hold what it takes beside its passes") {
  const auto fleet = [](const char* limit) {
    const Scenario s = asked(fmt::format(R"("rate": "20/s", "prompt": 1000, "output": 300, {})", limit));
    ServiceOption o;
    Ledger nobody;
    o.server = std::make_shared<const ServiceNode>(builtin(), GpuModelLibrary::builtin(), s, s.cluster,
                                                   Precision::fp16, nobody);
    o.cluster = s.cluster;
    o.needed = 4;
    return std::pair{o, s};
  };
  const auto [o, s] = fleet(R"("first_token": "2 s")");
  const double sigma = o.server->first_log_sigma();
  REQUIRE(sigma == mechanism_log_sigma(Mechanism::first_token));
  // Four nodes are far from full, so the passes hardly matter: Phi(ln(limit / time) / sigma).
  const ServingResult gpu = o.server->under(s.serving->peak_rate() / 4 / 8);
  const double by_hand = 0.5 * std::erfc(-std::log(2 / gpu.tokens->first.base()) / sigma / std::sqrt(2));
  CHECK(*odds_in_time(o, *s.serving) == doctest::Approx(by_hand).epsilon(0.03));
  const ServiceTime reach = interval_of(*o.server, s.serving->peak_rate() / 4 / 8,
                                        [](const ServingResult& r) { return r.tokens->first; });
  REQUIRE(reach.high_s);
  CHECK(*reach.high_s >= gpu.tokens->first.base() * std::exp(1.645 * sigma));
  // A lone first token already takes more than the limit / exp(1.2816 sigma): no number of nodes is sure.
  const auto [tight, asked_of] = fleet(R"("first_token": "250 ms")");
  CHECK_FALSE(nodes_with_odds(*tight.server, asked_of.serving->peak_rate(), 1000, 0.9));
  // Without a limit about first tokens, they change nothing.
  CHECK(fleet(R"("token": "40 ms")").first.server->first_log_sigma() == 0);
}

TEST_CASE("guessed tokens of a network with states are refused at the service") {
  const std::string text =
      R"({"name": "chat", "cluster": {"node": "dgx_h100"}, "serving": {"model": "nemotron-nano-9b-v2",
          "rate": "1/s", "prompt": 1000, "output": 300, "token": "40 ms", "draft_tokens": 2}})";
  try {
    (void)size_service(read_serving_scenario(parse_json(text, "chat.json"), "chat.json"), builtin());
    FAIL("accepted");
  } catch (const Error& e) {
    CHECK(e.message() ==
          "speculative decoding has no model for networks with state-space layers: their states cannot be "
          "undone");
    CHECK(e.hint() == "leave \"draft_tokens\" out");
    CHECK(e.where().line > 0);
  }
}

TEST_CASE("nodes that share what they were asked answer as nodes that do not") {
  const auto node = [](const Scenario& s, Precision precision, std::shared_ptr<KnownServers> known = {}) {
    Ledger nobody;
    return ServiceNode{builtin(),       GpuModelLibrary::builtin(), s, s.cluster, precision, nobody,
                       std::move(known)};
  };
  const auto chat = [](const char* prompt, const char* limits) {
    return asked(fmt::format(R"("rate": "100/s", "prompt": {}, "output": 300, {})", prompt, limits));
  };
  const ServiceNode first =
      node(chat("1000", R"("first_token": "500 ms", "token": "40 ms")"), Precision::fp16);
  (void)first.gpu_rate();
  const auto agrees = [&](const Scenario& s, Precision precision) {
    const ServiceNode alone = node(s, precision), shared = node(s, precision, first.known());
    CHECK(shared.gpu_rate() == alone.gpu_rate());
    const Frequency load = alone.gpu_rate() / 2;
    for (const double slower : {1.0, 1.2}) {
      CHECK(shared.under(load, slower).asked == alone.under(load, slower).asked);
      CHECK(shared.under(load, slower).tokens->first == alone.under(load, slower).tokens->first);
    }
    return alone.gpu_rate();
  };
  const Frequency as_asked =
      agrees(chat("1000", R"("first_token": "500 ms", "token": "40 ms")"), Precision::fp16);
  // What differs in any of these has answers of its own.
  CHECK(agrees(chat("1000", R"("first_token": "500 ms", "token": "15 ms")"), Precision::fp16) < as_asked);
  CHECK(agrees(chat("1000", R"("first_token": "500 ms", "token": {"limit": "40 ms", "percentile": 50})"),
               Precision::fp16) >= as_asked);
  CHECK(agrees(chat("2000", R"("first_token": "500 ms", "token": "40 ms")"), Precision::fp16) < as_asked);
  CHECK(agrees(chat("1000", R"("max_batch": 4, "first_token": "500 ms", "token": "40 ms")"),
               Precision::fp16) < as_asked);
  const char* limits = R"("first_token": "500 ms", "token": "40 ms")";
  CHECK(agrees(chat("1000", limits), Precision::int8) != as_asked);
  CHECK(agrees(chat("1000", R"("tensor": 8, "first_token": "500 ms", "token": "40 ms")"), Precision::fp16) !=
        as_asked);
  CHECK(agrees(chat("1000", R"("draft_tokens": 2, "first_token": "500 ms", "token": "40 ms")"),
               Precision::fp16) != as_asked);
  CHECK(agrees(chat("1000", R"("framework": {"name": "sglang"}, "first_token": "500 ms", "token": "40 ms")"),
               Precision::fp16) != as_asked);
  Scenario other = chat("1000", limits);
  other.serving->memory_factor = 0.5;
  CHECK(agrees(other, Precision::fp16) < as_asked);
  other = chat("1000", limits);
  other.seed += 1;
  CHECK(agrees(other, Precision::fp16) > Frequency{0});
  other = asked(fmt::format(R"("rate": "100/s", "prompt": 1000, "output": 300, {})", limits),
                R"(, "site": {"power": {"gpu_cap": "250 W"}})");
  CHECK(agrees(other, Precision::fp16) < as_asked);
}
