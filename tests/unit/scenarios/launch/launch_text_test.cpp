// The files that start a run: what they say, and that Megatron-LM's arguments are read back as they were.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "calibrate/import/import.hpp"
#include "tests/unit/scenarios/launch/launched.hpp"
#include "tests/unit/sim/error_text.hpp"

namespace rackcast {
namespace {

/// The scenario that an import of the text holds, and its first workload.
nlohmann::json read_back(const std::string& text) {
  const ImportResult result =
      import_text(launch_catalog(), {.kind = "megatron-args", .path = "launch.sh", .program = "t"}, text);
  CHECK_FALSE(contains(result.text, "not known here"));
  return nlohmann::json::parse(result.text).at("scenario");
}

TEST_CASE(
    "arguments of Megatron-LM are read back as the split, batch, precision and network that they were") {
  for (
      const std::string workload :
      {R"({"model": "llama3-70b", "global_batch": 512, "precision": "bf16", "parallelism": {"tensor": 8, "pipeline": 2,
            "interleave": 5, "micro_batch": 2, "zero_stage": 1, "recompute": "selective", "sequence_parallel": true,
            "overlap_gradients": true}})",
       R"({"model": "gpt3-175b", "global_batch": 64, "precision": "mixed", "parallelism": {"tensor": 4, "pipeline": 8,
            "micro_batch": 1, "zero_stage": 0, "recompute": "full", "sequence_parallel": false,
            "overlap_gradients": false}})",
       R"({"model": "llama3-8b", "global_batch": 64, "precision": "fp8", "parallelism": {"tensor": 2, "pipeline": 1,
            "context": 2, "micro_batch": 1, "zero_stage": 3, "recompute": "none", "sequence_parallel": true}})",
       R"({"model": "deepseek-v3", "global_batch": 256, "precision": "fp8", "parallelism": {"tensor": 1, "pipeline": 4,
            "expert": 8, "micro_batch": 1, "zero_stage": 1, "recompute": "full", "sequence_parallel": false,
            "overlap_gradients": true}})",
       R"({"model": "mixtral-8x7b", "global_batch": 256, "precision": "fp4", "sample": {"tokens": 4096},
            "parallelism": {"tensor": 2, "pipeline": 1, "micro_batch": 1, "zero_stage": 1, "shard_group": 8,
            "recompute": "none", "sequence_parallel": true, "overlap_gradients": true}})",
       R"({"model": "llama4-maverick", "global_batch": 256, "precision": "bf16", "sample": {"tokens": 8192},
            "parallelism": {"tensor": 1, "pipeline": 1, "expert": 32, "micro_batch": 1, "zero_stage": 1,
            "recompute": "none", "sequence_parallel": false, "overlap_gradients": false}})",
       R"({"model": "qwen3-30b-a3b", "global_batch": 256, "precision": "bf16", "parallelism": {"tensor": 1,
            "pipeline": 1, "expert": 8, "micro_batch": 1, "zero_stage": 0, "recompute": "none",
            "sequence_parallel": false, "overlap_gradients": false}})",
       R"({"model": "gpt-oss-20b", "global_batch": 256, "precision": "fp32", "parallelism": {"tensor": 1,
            "pipeline": 1, "micro_batch": 1, "zero_stage": 1, "recompute": "none", "sequence_parallel": false,
            "overlap_gradients": true}})"}) {
    CAPTURE(workload);
    const nlohmann::json asked = nlohmann::json::parse(workload);
    for (const char* target : {"megatron", "slurm"}) {
      const nlohmann::json scenario = read_back(launched(training(workload), target));
      const nlohmann::json& back = scenario["workloads"][0];
      CHECK(back["model"] == asked["model"]);
      CHECK(back["global_batch"] == asked["global_batch"]);
      CHECK(back["precision"] == asked["precision"]);
      CHECK(back["parallelism"] == asked["parallelism"]);
      CHECK(scenario["data"]["samples"] == 44'000'000);  // as often as epochs are without a number
      CHECK(scenario["cluster"] == nlohmann::json{{"nodes", 4}, {"gpus_per_node", 8}});
      if (asked.contains("sample")) CHECK(back["sample"] == asked["sample"]);
    }
  }
}

TEST_CASE("networks of a scenario's own are read back as they were") {
  const nlohmann::json shape{
      {"layers", 24},       {"hidden", 2048},   {"heads", 16},         {"kv_heads", 4},
      {"head_dim", 64},     {"ffn", 5440},      {"vocab", 60000},      {"seq_len", 4096},
      {"window", 1024},     {"experts", 16},    {"top_k", 2},          {"moe_ffn", 700},
      {"dense_layers", 2},  {"qk_norm", true},  {"gated_mlp", true},   {"full_attention_every", 6},
      {"dropout", true},    {"shared_ffn", 90}, {"shared_experts", 1}, {"qkv_bias", true},
      {"tied_output", true}};
  const nlohmann::json model{
      {"title", "own"}, {"task", "language model"}, {"source", "own"}, {"transformer", shape}};
  const nlohmann::json workload{
      {"model", model}, {"global_batch", 64}, {"precision", "bf16"}, {"parallelism", {{"tensor", 2}}}};
  nlohmann::json back =
      read_back(launched(training(workload.dump())))["workloads"][0]["model"]["transformer"];
  CHECK(back["longest_context"] == 4096);
  back.erase("longest_context");
  CHECK(back == shape);
}

TEST_CASE("what the scenario leaves to the framework's recipes, and to no split, is written out") {
  const std::string split = launched(training(
      R"({"model": "llama3-8b", "global_batch": 64, "precision": "bf16", "parallelism": {"tensor": 4}})"));
  CHECK(contains(split, "--sequence-parallel"));
  CHECK(contains(split, "--overlap-grad-reduce"));
  const std::string whole = launched(
      training(R"({"model": "llama3.2-1b", "batch_per_gpu": 4, "accumulation": 2, "precision": "bf16"})"));
  CHECK(contains(whole, "--micro-batch-size 4"));
  CHECK(contains(whole, "--global-batch-size 256"));  // 4 x 2 x 32 GPUs
  CHECK(contains(whole, "#SBATCH --nodes=4"));
  CHECK(contains(whole, "TOKENIZER:-meta-llama/"));
}

TEST_CASE("size chooses the nodes where the scenario leaves them open") {
  const std::string sized =
      launched(R"({"name": "own", "data": {"samples": 200000}, "workloads": [{"model": "llama3-8b",
    "epochs": 1, "precision": "bf16", "global_batch": 128, "parallelism": {"tensor": 2, "zero_stage": 1}}],
    "cluster": {"node": "dgx_h100"}, "goal": {"deadline": "2 h", "max_nodes": 32}})");
  CHECK(contains(sized, "# `rackcast size` chose the nodes"));
  CHECK_FALSE(contains(sized, "#SBATCH --nodes=1\n"));
  const std::string never =
      not_launched(R"({"name": "own", "data": {"samples": 200000000}, "workloads": [{"model":
    "llama3-8b", "epochs": 1, "precision": "bf16", "global_batch": 128, "parallelism": {"tensor": 2}}],
    "cluster": {"node": "dgx_h100"}, "goal": {"deadline": "1 h", "max_nodes": 2}})");
  CHECK(contains(never, "no cluster within the limits meets the goal"));
}

TEST_CASE("what does not become arguments of Megatron-LM is refused or said") {
  CHECK(contains(not_launched(training(R"({"model": "resnet50"})")), "no transformer of equal layers"));
  CHECK(contains(not_launched(training(R"({"model": "bert-large"})")), "an encoder"));
  CHECK(contains(not_launched(training(R"({"model": "gemma2-9b"})")), "norms behind attention"));
  CHECK(contains(not_launched(training(R"({"model": "llama3-8b"}, {"model": "llama2-7b"})")),
                 "several workloads"));
  CHECK(contains(not_launched(training(R"({"model": "llama3-8b", "precision": "int8"})")), "int8"));
  CHECK(contains(not_launched(training(R"({"model": "llama3-8b", "parallelism": {"tensor": 3}})")),
                 "no multiple of 3"));
  CHECK(contains(not_launched(training(R"({"model": "llama3-8b", "precision": "bf16"})"), "vllm"),
                 "vllm serves, and this scenario trains"));
  const std::string zero =
      launched(training(R"({"model": "llama3-8b", "precision": "bf16", "parallelism": {"tensor": 2,
      "pipeline": 4, "micro_batches": 32, "schedule": "zero_bubble"}})"));
  CHECK(contains(zero, "# Not started so: the schedule zero_bubble"));
}

std::string serving(const std::string& more, const std::string& cluster = R"("nodes": 2)") {
  return R"({"name": "own", "serving": {"model": "llama3-8b", "rate": "20/s", "prompt": 1000, "output": 300,
    "first_token": "1 s", "token": "100 ms", "precision": "bf16")" +
         more + R"(}, "cluster": {"node": "dgx_h100", )" + cluster + "}}";
}

TEST_CASE("command lines of servers") {
  const std::string plain = launched(serving(R"(, "tensor": 8)"));
  CHECK(contains(plain, "vllm serve \"$MODEL\" --tensor-parallel-size 8 --dtype bfloat16 --max-num-seqs "));
  CHECK(contains(plain, "MODEL:-meta-llama/"));
  CHECK(contains(plain, "LONGEST:-2048"));
  const std::string copies =
      launched(serving(R"(, "tensor": 2, "framework": {"name": "sglang"}, "max_batch": 32)"));
  CHECK(contains(copies, "for COPY in $(seq 0 3); do"));
  CHECK(contains(copies,
                 "sglang.launch_server --model-path \"$MODEL\" --tp-size 2 --dtype bfloat16 "
                 "--max-running-requests 32"));
  const std::string narrow = launched(serving(R"(, "tensor": 8, "framework": {"name": "TensorRT-LLM"})"), {});
  CHECK(contains(narrow, "trtllm-serve \"$MODEL\" --backend pytorch --tp_size 8 --max_batch_size "));
  CHECK(contains(launched(serving(R"(, "tensor": 8)"), "tensorrt-llm"), "trtllm-serve"));
  CHECK(contains(not_launched(serving(""), "slurm"), "slurm trains, and this scenario serves"));
  const std::string chosen = launched(serving("", R"("fabric": {})"));
  CHECK(contains(chosen, "# `rackcast size` chose the nodes and the GPUs of a copy"));
  const std::string image = not_launched(R"({"name": "own", "serving": {"model": "resnet50", "rate": "100/s",
    "latency": "50 ms"}, "cluster": {"node": "dgx_h100"}})");
  CHECK(contains(image, "no server of language models"));
  const std::string late =
      not_launched(R"({"name": "own", "serving": {"model": "llama3-70b", "rate": "20/s", "prompt":
    1000, "output": 300, "first_token": "1 ms", "precision": "bf16"}, "cluster": {"node": "dgx_h100"}})");
  CHECK(contains(late, "no node serves this load"));
}

}  // namespace
}  // namespace rackcast
