// What Megatron-LM would refuse when it starts is refused here, or written as Megatron-LM takes it.
#include <doctest/doctest.h>

#include <string>

#include "tests/unit/scenarios/launch/launched.hpp"

namespace rackcast {
namespace {

/// 32 layers on nodes with eight GPUs each.
std::string split_llama(const std::string& split, int nodes = 4, int global_batch = 64) {
  return training(R"({"model": "llama3-8b", "precision": "bf16", "global_batch": )" +
                      std::to_string(global_batch) + ",\n\"parallelism\": {" + split + "}}",
                  {}, nodes);
}

TEST_CASE("launch for Megatron-LM: one hardware queue, but not beside FSDP") {
  for (const std::string zero : {"0", "1"}) {
    const std::string text = launched(split_llama(R"("tensor": 2, "zero_stage": )" + zero));
    CHECK(contains(text, "\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\n"));
  }
  for (const std::string zero : {"2", "3"}) {
    const std::string text = launched(split_llama(R"("tensor": 2, "zero_stage": )" + zero));
    CHECK(contains(text, "--use-megatron-fsdp"));
    CHECK_FALSE(contains(text, "CUDA_DEVICE_MAX_CONNECTIONS=1"));
    CHECK(contains(text, "\nunset CUDA_DEVICE_MAX_CONNECTIONS"));
  }
}

TEST_CASE("launch for Megatron-LM: the last stage has a layer") {
  // 24 GPUs: 11 stages of 3 would be full, but only 8 of 4 are a divisor of the GPUs.
  const std::string empty = not_launched(split_llama(R"("pipeline": 12)", 3));
  CHECK(contains(empty, "32 layers in 12 stages of up to 3 leave no layer to the last stage"));
  CHECK(contains(empty, "s.json:2:16: error"));
  CHECK(contains(empty, "\"pipeline\": 8"));
  CHECK_FALSE(contains(empty, "8 or"));
  // 96 GPUs: 16 stages of 2 as well.
  CHECK(contains(not_launched(split_llama(R"("pipeline": 12)", 12)), "\"pipeline\": 8 or 16"));
  const std::string shorter = launched(split_llama(R"("pipeline": 3)", 3));  // 11, 11 and 10
  CHECK(contains(shorter, "--pipeline-model-parallel-size 3\n"));
  CHECK(contains(shorter, "--decoder-last-pipeline-num-layers 10\n"));
}

TEST_CASE("launch for Megatron-LM: parts of a stage are equally long") {
  const std::string third = not_launched(split_llama(R"("pipeline": 4, "interleave": 3)"));
  CHECK(contains(third, "stages of 8 layers are not cut into 3 parts of equal length"));
  CHECK(contains(third, "s.json:2:16: error"));
  CHECK(contains(third, "\"interleave\": 2 or 4"));
  const std::string last = not_launched(split_llama(R"("pipeline": 3, "interleave": 2)", 3));
  CHECK(contains(last, "stages of 11 and 10 layers are not cut into 2 parts"));
  CHECK(contains(last, "\"interleave\": 1"));
  CHECK(contains(launched(split_llama(R"("pipeline": 4, "interleave": 4)")),
                 "--num-layers-per-virtual-pipeline-stage 2\n"));
}

TEST_CASE("launch for Megatron-LM: interleaved parts take a multiple of the stages in micro-batches") {
  // 8 replicas of 4 stages: 48 sequences are 6 micro-batches each, and 16 are 2.
  const std::string rest = not_launched(split_llama(R"("pipeline": 4, "interleave": 2)", 4, 48));
  CHECK(contains(rest, "6 micro-batches of a replica are no multiple of the 4 stages"));
  CHECK(contains(rest, "s.json:2:16: error"));
  CHECK(contains(rest, "4 or 8 micro-batches, a global batch of 32 or 64, or no \"interleave\""));
  const std::string few = not_launched(split_llama(R"("pipeline": 4, "interleave": 2)", 4, 16));
  CHECK(contains(few, "2 micro-batches of a replica"));
  CHECK(contains(few, "4 micro-batches, a global batch of 32, or"));
  CHECK(contains(launched(split_llama(R"("pipeline": 4)", 4, 48)), "--global-batch-size 48"));
}

TEST_CASE("launch for Megatron-LM: experts beside tensor parallelism have sequence parallelism") {
  const auto mixtral = [](const std::string& split) {
    return launched(
        training(R"({"model": "mixtral-8x7b", "precision": "bf16", "global_batch": 64, "parallelism": {)" +
                 split + "}}"));
  };
  const std::string without = mixtral(R"("tensor": 2, "sequence_parallel": false)");
  CHECK(contains(without, "--sequence-parallel\n"));
  CHECK(contains(without, "# Not started so: the split without sequence parallelism"));
  const std::string with = mixtral(R"("tensor": 2, "sequence_parallel": true)");
  CHECK(contains(with, "--sequence-parallel\n"));
  CHECK_FALSE(contains(with, "Not started so"));
  CHECK_FALSE(contains(mixtral(R"("tensor": 1)"), "--sequence-parallel"));
  CHECK_FALSE(
      contains(launched(split_llama(R"("tensor": 2, "sequence_parallel": false)")), "--sequence-parallel"));
}

TEST_CASE("launch for Slurm: options that are set, every host, and all cores") {
  const std::string job = launched(split_llama(R"("tensor": 2)"));
  CHECK(contains(job, "if [ -n \"${MOUNTS:-}\" ]; then IN_CONTAINER+=(--container-mounts=\"$MOUNTS\"); fi"));
  CHECK_FALSE(contains(job, "head -n 1"));  // it closes the pipe before scontrol has written a long list
  CHECK(contains(job, "srun --kill-on-bad-exit=1 --cpu-bind=none "));
}

TEST_CASE("launch for Megatron-LM: the distributed optimizer is for Adam") {
  const auto with = [](const std::string& split) {
    return training(
        R"({"model": "llama3-8b", "precision": "bf16", "global_batch": 64, "optimizer": "momentum",
"parallelism": {"tensor": 2, )" +
        split + "}}");
  };
  const std::string states =
      launched(with(R"("zero_stage": 1, "shard_group": 4, "overlap_gradients": true)"));
  CHECK(contains(states, "--optimizer sgd"));
  CHECK(contains(states, "--overlap-grad-reduce"));
  CHECK_FALSE(contains(states, "--use-distributed-optimizer"));
  CHECK_FALSE(contains(states, "--num-distributed-optimizer-instances"));
  CHECK_FALSE(contains(states, "--overlap-param-gather"));
  CHECK(contains(states, "# Not started so: states of the optimizer sharded over replicas"));
  CHECK_FALSE(contains(launched(with(R"("zero_stage": 0)")), "Not started so"));
  const std::string weights = not_launched(with(R"("zero_stage": 3)"));
  CHECK(contains(weights, "shards gradients and weights with Adam only"));
  CHECK(contains(weights, "s.json:2:16: error"));
}

TEST_CASE("launch says who chose the nodes") {
  const std::string open = launched(R"({"name": "own", "data": {"samples": 1000}, "workloads": [{"model":
    "llama3.2-1b", "precision": "bf16", "batch_per_gpu": 1}], "cluster": {"node": "dgx_h100"}})");
  CHECK(contains(open, "# The scenario states neither a number of nodes nor a goal"));
  CHECK(contains(open, "#SBATCH --nodes=1\n"));
  CHECK_FALSE(contains(open, "as the scenario states them"));
  CHECK(contains(launched(split_llama(R"("tensor": 2)")),
                 "# Nodes and split are as the scenario states them."));
}

}  // namespace
}  // namespace rackcast
