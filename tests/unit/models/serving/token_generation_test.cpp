// Language models that answer token by token.
#include "models/serving/token_generation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "models/collectives/comm_model.hpp"
#include "models/gpu/cost.hpp"
#include "models/networks/token_facts.hpp"
#include "models/networks/transformer.hpp"
#include "models/networks/workload.hpp"
#include "scenarios/listings/generation.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"
#include "tests/unit/models/serving/generation_machine.hpp"
#include "topologies/hardware/node_spec.hpp"

using namespace rackcast;

TEST_CASE("memory beside the weights decides how many requests are in flight") {
  const Machine m;
  GenerationSpec spec = m.spec();
  const Generation g = m.run(spec);
  CHECK(g.weights.base() == doctest::Approx(2 * 8030261248.0).epsilon(1e-3));
  // 32 layers, 8 heads of 128, keys and values in 16 bits.
  CHECK(g.kv_per_token == Bytes{2.0 * 2 * 32 * 8 * 128});
  CHECK(g.requests == std::floor(0.9 * (spec.memory - g.weights) / (1500 * g.kv_per_token)));
  spec.server = server_habits("vllm", "", &m.node.gpu);  // keeps no room for what is not there yet
  CHECK(m.run(spec).requests == 256);
  spec.memory = Bytes{17e9};
  spec.server = server_habits("tensorrt", "", &m.node.gpu);
  CHECK(m.run(spec).requests >= 1);
  spec.memory = g.weights;
  CHECK_THROWS_AS((void)m.run(spec), Error);
}

TEST_CASE("a host takes its time for every request of a pass, as its version does") {
  const Machine m;
  GenerationSpec spec = m.spec();
  spec.requests = 64;
  spec.server.per_request = Duration{0};
  const auto token = [&] {
    return pass_time(generation_passes(m.cluster, *m.network.transformer, m.gpu, m.framework, {}, spec).load,
                     64, 0);
  };
  const Duration before = token();
  spec.server.per_request = Duration{50e-6};
  CHECK((token() - before).base() == doctest::Approx(64 * 50e-6));
  CHECK(server_habits("trtllm_bench", "1.0", nullptr).per_request.base() == doctest::Approx(5e-6));
  // What is known of a server without the fits: a loop in C++ that nobody talks to, or one of Python.
  CHECK(unseen_server_times("trtllm_bench").per_request == Duration{0});
  CHECK(unseen_server_times("trtllm_bench").arriving == Duration{0});
  CHECK(unseen_server_times("vllm").per_request > Duration{10e-6});
  CHECK(unseen_server_times("no such server").passes_waited > 1);
  // vLLM plans a pass beside the one that runs since 0.14; "nightly" and no version are the newest.
  const auto each = [](const char* version) {
    return server_habits("vllm", version, nullptr).per_request;
  };
  CHECK(each("0.13.0") > 3 * each("0.14.0"));
  CHECK(each("0.9") == each("0.13.0"));
  for (const char* version :
       {"", "nightly-5b8c30d6", "0.19.0", "1.0", "0", "0.", ".14", "x.y", "99999999999.1"}) {
    CAPTURE(version);
    CHECK(each(version) == each("0.14.0"));
  }
}

TEST_CASE("a pass of one token takes at least the time to read weights, keys and values") {
  const Machine m;
  GenerationSpec spec = m.spec();
  for (const int requests : {1, 16, 128}) {
    spec.requests = requests;
    const GenerationPasses passes =
        generation_passes(m.cluster, *m.network.transformer, m.gpu, m.framework, {}, spec);
    const Generation& g = passes.full;
    const Bytes read = g.weights + requests * 1250 * g.kv_per_token;
    const Duration floor = read / m.node.gpu.memory_bandwidth.value;
    const Duration pass = passes.load.token.at(static_cast<std::size_t>(std::log2(requests)));
    CAPTURE(requests);
    CHECK(pass > floor);
    CHECK(pass < 2 * floor);
    CHECK(g.token >= pass);
    // Prompts share passes with tokens: about as fast as one after the other where products are large, faster
    // where weights are most of a pass; and slower than for nothing.
    const double apart = requests * 500 / (requests * passes.with(1).first + 499 * pass).base();
    CHECK(g.tokens_per_s > 0.85 * apart);
    CHECK(g.tokens_per_s <= requests * 500 / (499 * pass).base());
  }
}

TEST_CASE("requests in flight are the rate times the time of an answer (Little's law)") {
  const Machine m;
  GenerationSpec spec = m.spec();
  for (const int stages : {1, 4}) {
    for (const double requests : {1.0, 8.0, 64.0, 200.0}) {
      spec.pipeline = stages;
      spec.requests = requests;
      const Generation g = m.run(spec);
      const Duration answer = g.first + (spec.output - 1) * g.token;
      CAPTURE(requests);
      CHECK(g.tokens_per_s / spec.output * answer.base() == doctest::Approx(requests));
    }
  }
}

TEST_CASE("issue 23, item 2: time per output token includes the passes spent on prompts of others") {
  const Machine m;
  GenerationSpec spec = m.spec();
  spec.requests = 64;
  const auto with_prompt = [&](double prompt) {
    spec.prompt = prompt;
    return m.run(spec);
  };
  // 64 requests of 8,000 + 500 tokens: each token of one waits for 63/500 prompts of others, 0.6 s or so
  // each.
  const Generation brief = with_prompt(10), heavy = with_prompt(4000);
  spec.requests = 1;
  const Duration prompt = m.run(spec).first;
  CHECK(heavy.token - brief.token > 0.8 * (63.0 / 500) * prompt);
}

TEST_CASE("issue 23, item 2: the time to the first token is at least one read of the weights") {
  const Machine m;
  for (const double prompt : {1.0, 10.0, 1000.0, 20000.0}) {
    for (const int stages : {1, 4}) {
      for (const double requests : {1.0, 16.0}) {
        GenerationSpec spec = m.spec();
        spec.prompt = prompt;
        spec.pipeline = stages;
        spec.requests = requests;
        const Generation g = m.run(spec);
        CAPTURE(prompt);
        CAPTURE(stages);
        CHECK(g.first > stages * (g.weights / m.node.gpu.memory_bandwidth.value));
      }
    }
  }
}

TEST_CASE("the load within a time per token keeps it, prompts included") {
  GenerationQuestion q;
  q.model = "llama3-8b";
  q.node = "dgx_a100_640gb";
  q.prompt = 4000;
  q.output = 200;
  q.tensor = 1;
  q.token_latency = Duration{0.04};
  const Json answer = parse_json(explain_generation(Catalog::builtin(), q), "answer");
  const auto& tables = answer.require("tables").array();
  const auto& row = tables.back().require("rows").array().at(0).array();
  const double requests = std::stod(row.at(1).string());
  const double tokens_per_s = std::stod(row.at(3).string());  // one GPU
  // Little's law on the printed figures: a request has its place for at least 199 tokens of the printed time.
  const double each = requests * 200 / tokens_per_s;
  CHECK(each / 200 < 0.04 * 1.1);  // the first token may take longer
  CHECK(requests >= 1);
}

TEST_CASE("GPUs that split a network leave more room and pay for sums") {
  const Machine m;
  GenerationSpec spec = m.spec();
  const Generation one = m.run(spec);
  spec.tensor = 4;
  const Generation four = m.run(spec);
  CHECK(four.weights.base() == doctest::Approx(one.weights.base() / 4).epsilon(0.01));
  CHECK(four.kv_per_token.base() == doctest::Approx(one.kv_per_token.base() / 4));
  CHECK(four.requests > 4 * one.requests);
  CHECK(four.tokens_per_s < 4.5 * one.tokens_per_s);
  spec.requests = 1;
  GenerationSpec alone = m.spec();
  alone.requests = 1;
  CHECK(m.run(spec).token < m.run(alone).token);
}

TEST_CASE("published throughput is of as many requests as its source prints") {
  CHECK(trtllm_bench_requests(128, 128) == 30000.0);
  CHECK(trtllm_bench_requests(20000, 2000) == 1000.0);
  CHECK_FALSE(trtllm_bench_requests(128, 129));
}

TEST_CASE("a benchmark's passes have room for the prompts that come with the requests in flight") {
  const Machine m;
  GenerationSpec spec = m.spec();
  spec.server = server_habits("trtllm_bench", "", &m.node.gpu);
  spec.output = 1000;
  // 2,000 tokens of 128 KiB each: 220 requests or so, as many tokens of prompts, 440 rounded up to 2,048.
  const GenerationPasses few =
      generation_passes(m.cluster, *m.network.transformer, m.gpu, m.framework, {}, spec, 3000);
  CHECK(few.load.places == few.full.requests);
  CHECK(few.load.tokens_per_pass == 2048);
  spec.output = 100;  // 400 requests with ten tokens of prompts each: 400 * 11, in steps of 512
  const GenerationPasses many =
      generation_passes(m.cluster, *m.network.transformer, m.gpu, m.framework, {}, spec, 3000);
  CHECK(many.load.tokens_per_pass == 512 * std::ceil(many.full.requests * 11 / 512));
  CHECK(many.load.requests == 3000);
}

TEST_CASE("many requests at once are answered at about the steady rate") {
  const Machine m;
  const GenerationSpec spec = m.spec();
  const GenerationPasses passes =
      generation_passes(m.cluster, *m.network.transformer, m.gpu, m.framework, {}, spec, 20000);
  const double rate = 20000 * spec.output / time_to_answer_all(passes.load).base();
  CHECK(rate == doctest::Approx(passes.full.tokens_per_s).epsilon(0.05));
}

TEST_CASE("stages of a pipeline wait for activations") {
  const Machine m;
  GenerationSpec spec = m.spec();
  spec.pipeline = 4;
  const GenerationPasses passes =
      generation_passes(m.cluster, *m.network.transformer, m.gpu, m.framework, {}, spec, 100);
  CHECK(passes.stages == 4);
  CHECK(passes.load.requests == 25);
  const Cluster stages = first_ranks(m.cluster, 4);
  CommModel between{stages, {}};
  spec.requests = 400;
  const Duration send = between.time(Collective::send_recv, Bytes{2.0 * 100 * 4096});
  CHECK(m.run(spec).token > 4 * send);
}

TEST_CASE("a large vocabulary costs, more so where it is gathered from several GPUs") {
  const Machine m;
  TransformerShape few = *m.network.transformer;
  few.vocab = 8192;
  GenerationSpec spec = m.spec();
  spec.requests = 256;
  for (const int ways : {1, 8}) {
    spec.tensor = ways;
    const auto token = [&](const TransformerShape& shape) {
      return generate_tokens(m.cluster, shape, m.gpu, m.framework, {}, spec).token;
    };
    // 120,064 words: 10 bytes of each are moved beside the product, on every GPU.
    const Bytes scores{256.0 * (128256 - 8192)};
    const Duration moved = 10 * scores / m.node.gpu.memory_bandwidth.value;
    CAPTURE(ways);
    CHECK(token(*m.network.transformer) - token(few) > moved);
  }
}

TEST_CASE("long prompts cost in proportion where attention is one kernel") {
  const Machine m;
  GenerationSpec spec = m.spec();
  spec.prompt = 2000;
  spec.requests = 1;
  const Duration once = m.run(spec).first;
  spec.prompt = 16000;
  CHECK(m.run(spec).first < 11 * once);
}

TEST_CASE("guesses bring more tokens in a longer pass") {
  CHECK(Speculation{3, 0.8, 0}.tokens_per_pass() == doctest::Approx((1 - std::pow(0.8, 4)) / (1 - 0.8)));
  CHECK(Speculation{3, 1, 0}.tokens_per_pass() == 4);
  CHECK(Speculation{3, 0, 0}.tokens_per_pass() == 1);
  CHECK(Speculation{}.tokens_per_pass() == 1);
  CHECK(speculation_of(2).acceptance == 0.85);
  CHECK(speculation_of(2, 0.5).tokens_per_pass() == 1.75);

  const Machine m;
  GenerationSpec spec = m.spec();
  spec.requests = 1;
  const auto with = [&](int drafts, double acceptance) {
    spec.speculation = speculation_of(drafts, acceptance);
    return m.run(spec);
  };
  const Generation plain = with(0, 0), right = with(3, 1), wrong = with(3, 0);
  // One request waits for weights, which four tokens read together.
  CHECK(plain.token / right.token > 2.5);
  CHECK(plain.token / right.token < 4);
  CHECK(wrong.token > plain.token);
  CHECK(right.first == plain.first);  // prompts are known
  CHECK(right.compute_log_sigma == doctest::Approx(plain.compute_log_sigma).epsilon(0.01));
  // A layer more: 32 of them and two tables of 128,256 words of 4,096 are the network.
  CHECK((right.weights - plain.weights).base() ==
        doctest::Approx(2 * (8030261248.0 - 2 * 128256.0 * 4096) / 32).epsilon(0.001));
  // Many requests keep the GPU's arithmetic busy, and guesses are more of it.
  spec.requests = 256;
  CHECK(with(0, 0).token / with(3, 1).token < plain.token / right.token);

  spec.speculation = speculation_of(3);
  CHECK(m.run(spec).compute_log_sigma > 1.1 * plain.compute_log_sigma);  // nobody said how often it is right
  spec.pipeline = 2;
  CHECK_THROWS_AS((void)m.run(spec), Error);
  spec.pipeline = 1;
  spec.beams = 2;
  CHECK_THROWS_AS((void)m.run(spec), Error);
}

TEST_CASE("impossible questions are refused") {
  const Machine m;
  const auto asked = [&](auto change) {
    GenerationQuestion q;
    q.model = "llama3-8b";
    q.node = "dgx_a100_640gb";
    q.prompt = q.output = 100;
    change(q);
    return explain_generation(m.catalog, q);
  };
  CHECK(asked([](GenerationQuestion&) {}).find("tokens/s") != std::string::npos);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.model = "resnet50"; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.model = "bert-large"; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.prompt = 0; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.output = -1; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.output = 1e300; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.tensor = 3; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.tensor = q.pipeline = 2'000'000'000; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.pipeline = 0; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.node = "dgx9"; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.drafts = -1; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.drafts = 17; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.acceptance = 0.5; }), Error);
  CHECK(asked([](GenerationQuestion& q) { q.drafts = 2; }).find("2 tokens guessed, 2.57 tokens a pass") !=
        std::string::npos);
  // 56 layers of which 27 have states: 27 x (4 x 128 x 80 x 128 + 6 x 12,288) bytes.
  CHECK(asked([](GenerationQuestion& q) { q.model = "nemotron-nano-9b-v2"; }).find("144 MB a request") !=
        std::string::npos);
}

TEST_CASE("newer vLLM takes more requests and tokens at once on large GPUs, but not on the A100") {
  const Catalog catalog = Catalog::builtin();
  const auto habits = [&](const char* gpu, const char* version, const char* server = "vllm") {
    const GpuSpec spec = gpu_spec(catalog, gpu);
    const ServerHabits out = server_habits(server, version, &spec);
    return std::pair{out.most_requests, out.tokens_per_pass};
  };
  const std::pair large{1024.0, 8192.0}, small{256.0, 2048.0}, before{256.0, 8192.0};
  for (const char* version : {"", "0.8", "0.16.0"}) {
    CHECK(habits("h100_sxm5", version) == large);
    CHECK(habits("b200_sxm", version) == large);
    for (const char* gpu : {"a100_sxm4_80gb", "a100_sxm4_40gb", "l40s"}) CHECK(habits(gpu, version) == small);
  }
  CHECK(habits("h100_sxm5", "0.7.3") == before);
  CHECK(habits("l40s", "0.7.3") == before);
  CHECK(habits("h100_sxm5", "", "sglang") == habits("l40s", "", "sglang"));
}
