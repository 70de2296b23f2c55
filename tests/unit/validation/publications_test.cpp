// What a publication says once for all its measurements.
#include "scenarios/validation/settings/publications.hpp"

#include <doctest/doctest.h>

#include <string>

#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/cases/unpredictable.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"

using namespace rackcast;

namespace {

ValidationCase from(const std::string& citation, const std::string& framework, const std::string& version,
                    int tensor = 1) {
  return parse_cases(R"([{"id":"a","series":"s/x","source":")" + citation +
                         R"(","kind":"measurement","system":{"gpu":"a100_sxm4_80gb","gpus":8,"nodes":1,
             "gpus_per_node":8},"workload":{"model":"gpt","task":"training","micro_batch":1,"global_batch":8,
             "precision":"fp16","transformer":{"layers":2,"hidden":1024,"heads":8,"seq_len":128,"vocab":51200},
             "framework":{"name":")" +
                         framework + R"(","version":")" + version + R"("},"parallelism":{"tp":)" +
                         std::to_string(tensor) + R"(}},"measured":{"metric":"step_time_s","value":1}}])",
                     "f.json")
      .at(0);
}

}  // namespace

TEST_CASE("a publication implies the release of a framework where a case leaves it open") {
  const auto release = [](const std::string& citation, const std::string& framework, const char* version) {
    return software_of_case(from(citation, framework, version), "").version;
  };
  CHECK(release("Korthikanti et al., arXiv:2205.05198 Table 5", "megatron-lm", "") == "3.0");
  CHECK(release("Korthikanti et al., arXiv:2205.05198 Table 5", "megatron-lm", "2.1") ==
        release("somebody", "megatron-lm", "2.1"));
  CHECK(release("somebody", "megatron-lm", "") != "3.0");
  CHECK(release("Korthikanti et al., arXiv:2205.05198 Table 5", "pytorch", "") ==
        release("somebody", "pytorch", ""));
}

TEST_CASE("a publication says of a server's release how many tokens it guesses") {
  const std::string runs =
      "aiconfigurator measured serving runs, https://github.com/ai-dynamo/aiconfigurator";
  CHECK(drafts_of(from(runs, "tensorrt-llm", "1.2.0rc6.post3"), 1) == 3);
  CHECK(drafts_of(from(runs, "tensorrt-llm", "1.2.0rc6.post3"), 8) == 1);
  CHECK(drafts_of(from(runs, "tensorrt-llm", "1.2.0rc6.post2"), 1) == 0);
  CHECK(drafts_of(from(runs, "vllm", "1.2.0rc6.post3"), 1) == 0);
  CHECK(drafts_of(from("somebody", "tensorrt-llm", "1.2.0rc6.post3"), 1) == 0);
  const auto stated = [](const char* tokens) {
    ValidationCase c = from("somebody", "vllm", "0.19.0");
    c.workload.extra = parse_json(std::string{R"({"draft_tokens": )"} + tokens + "}", "case.json");
    return drafts_of(c, 1);
  };
  CHECK(stated("2") == 2);
  for (const char* wrong : {"-1", "17", "1e300", "0.5"}) CHECK_THROWS_AS((void)stated(wrong), Unpredictable);
}

TEST_CASE("words that a tensor-parallel group divides are rounded down to its size") {
  const auto vocabulary = [](const std::string& citation, int tensor) {
    return transformer_of_case(from(citation, "megatron-deepspeed", "", tensor))->vocab;
  };
  CHECK(vocabulary("vTrain, arXiv:2312.12391", 1) == 50257);
  CHECK(vocabulary("vTrain, arXiv:2312.12391", 8) == 50256);  // 6282 on each
  CHECK(vocabulary("somebody", 8) == 51200);
}

TEST_CASE("the failure rates of a publication's own study are known") {
  CHECK(publication_of(from("The Llama 3 Herd of Models, arXiv:2407.21783", "pytorch", "")).study ==
        "llama3_405b");
  CHECK(publication_of(from("somebody", "pytorch", "")).study.empty());
}
