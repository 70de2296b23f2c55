// Which weights a server is started with, and who guesses tokens.
#include <doctest/doctest.h>

#include <string>

#include "models/networks/predicts_ahead.hpp"
#include "tests/unit/scenarios/launch/launched.hpp"

namespace rackcast {
namespace {

std::string guessing(const std::string& model, const std::string& target, int tensor = 8) {
  return launched(R"({"name": "own", "serving": {"model": ")" + model +
                      R"(", "rate": "1/s", "prompt": 1000, "output": 300, "token": "1 s", "precision": "fp8",
                      "draft_tokens": 3, "tensor": )" +
                      std::to_string(tensor) + R"(}, "cluster": {"node": "dgx_b200", "nodes": 1}})",
                  target);
}

ServingLaunch public_weights(Precision precision) {
  ServingLaunch out;
  out.published = "organisation/name";
  out.precision = precision;
  return out;
}

TEST_CASE("a network with layers that predict further tokens guesses them itself") {
  CHECK(contains(guessing("deepseek-v3", "vllm"),
                 R"(--speculative-config '{"method": "mtp", "num_speculative_tokens": 3}')"));
  CHECK(
      contains(guessing("deepseek-v3", "sglang"), "--speculative-algorithm NEXTN --speculative-num-steps 3"));
  CHECK(contains(guessing("deepseek-v3", "tensorrt-llm"), "decoding_type: MTP"));
  CHECK_FALSE(contains(guessing("deepseek-v3", "vllm"), "DRAFT"));
}

TEST_CASE("for any other network a model that guesses tokens is to be filled in") {
  const std::string variable = "DRAFT=\"${DRAFT:?folder or name of an EAGLE-3 model";
  const std::string vllm = guessing("llama3-8b", "vllm");
  CHECK(contains(vllm, variable));
  CHECK(
      contains(vllm, R"("{\"method\": \"eagle3\", \"model\": \"$DRAFT\", \"num_speculative_tokens\": 3}")"));
  CHECK_FALSE(contains(vllm, "mtp"));
  const std::string sglang = guessing("llama3-8b", "sglang");
  CHECK(contains(sglang, variable));
  CHECK(contains(sglang, "--speculative-algorithm EAGLE3 --speculative-draft-model-path \"$DRAFT\""));
  CHECK(contains(sglang, "--speculative-num-draft-tokens 4"));
  const std::string tensorrt = guessing("llama3-8b", "tensorrt-llm");
  CHECK(contains(tensorrt, variable));
  CHECK(contains(tensorrt, "decoding_type: Eagle\\n  max_draft_len: 3"));
  CHECK_FALSE(contains(tensorrt, "MTP"));
}

TEST_CASE("further predictions are a fact of one network, and not inherited") {
  for (const char* name : {"deepseek-v3", "deepseek-r1", "glm-4.5", "glm-4.5-air"})
    CHECK(predicts_ahead(name));
  for (const char* name : {"deepseek-v2", "kimi-k2", "llama3-8b"}) CHECK_FALSE(predicts_ahead(name));
}

TEST_CASE("weights that the server does not make itself are to be filled in") {
  const std::string usual = "MODEL=\"${MODEL:-organisation/name}\"";
  for (const char* server : {"vllm", "sglang", "tensorrt-llm"}) {
    CAPTURE(server);
    CHECK(contains(server_text(public_weights(Precision::bf16), server), usual));
    for (const Precision precision : {Precision::int8, Precision::fp4}) {
      const std::string narrow = server_text(public_weights(precision), server);
      CHECK(contains(narrow, "# MODEL must have weights and activations in "));
      CHECK(contains(narrow, "MODEL=\"${MODEL:?folder or name of the weights and activations in "));
      CHECK_FALSE(contains(narrow, "organisation/name"));
    }
  }
  CHECK(contains(server_text(public_weights(Precision::fp8), "vllm"), usual));
  CHECK(contains(server_text(public_weights(Precision::fp8), "tensorrt-llm"),
                 "MODEL=\"${MODEL:?folder or name of the weights in FP8"));
}

TEST_CASE("TensorRT-LLM has no argument for 32 bits") {
  for (const Precision precision : {Precision::fp32, Precision::tf32}) {
    const ServingLaunch launch = public_weights(precision);
    CHECK(contains(error_text([&] { (void)server_text(launch, "tensorrt-llm"); }),
                   "TensorRT-LLM has no argument"));
    CHECK(contains(server_text(launch, "vllm"), "--dtype float32"));
  }
  const std::string asked = not_launched(
      R"({"name": "own", "serving": {"model": "llama3-8b", "rate": "1/s", "prompt": 1000, "output": 300,
      "token": "1 s", "tensor": 8,
"precision": "fp32"}, "cluster": {"node": "dgx_h100", "nodes": 1}})",
      "tensorrt-llm");
  CHECK(contains(asked, "s.json:3:"));
  CHECK(contains(asked, "compute in fp32"));
}

}  // namespace
}  // namespace rackcast
