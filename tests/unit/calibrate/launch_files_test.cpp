// Scenarios from the files that start a training: Megatron-LM's arguments and DeepSpeed's configuration.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/import/import.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "tests/unit/sim/temporary_folder.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {
namespace {

using Document = nlohmann::json;

ImportResult import_launch(const std::string& text, const std::string& kind = "megatron-args") {
  static const Catalog catalog = Catalog::builtin();
  return import_text(catalog, {.kind = kind, .path = "train.sh", .program = "t"}, text);
}

std::string launch_file(const std::string& name) {
  return read_file(std::string{RACKCAST_SOURCE_DIR} + "/tests/data/launch/" + name);
}

Document scenario_in(const ImportResult& result) {
  return Document::parse(result.text).at("scenario");
}

Document workload_of_text(const std::string& text, const std::string& kind = "megatron-args") {
  return scenario_in(import_launch(text, kind)).at("workloads").at(0);
}

std::string all_warnings(const std::string& text, const std::string& kind = "megatron-args") {
  std::string out;
  for (const std::string& warning : import_launch(text, kind).warnings) out += warning + "\n";
  return out;
}

std::string launch_complaint(const std::string& text, const std::string& kind = "megatron-args") {
  return error_text([&] { (void)import_launch(text, kind); });
}

/// A small network with what Megatron-LM asks for.
std::string small(const std::string& more = {}) {
  return "--num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 "
         "--max-position-embeddings 2048 --vocab-size 32000 --micro-batch-size 2 " +
         more;
}

TEST_CASE("a script of Llama 3 becomes the network of the zoo, with batch and precision") {
  const Document scenario = scenario_in(import_launch(launch_file("megatron_llama3_8b_fp8.sh")));
  const Document& workload = scenario["workloads"][0];
  CHECK(workload["model"] == "llama3-8b");
  CHECK(workload["precision"] == "fp8");
  CHECK(workload["global_batch"] == 128);
  CHECK(workload["sample"]["tokens"] == 8192);
  CHECK(workload["parallelism"]["zero_stage"] == 1);
  CHECK(workload["parallelism"]["overlap_gradients"] == true);
  CHECK(workload["parallelism"]["sequence_parallel"] == false);  // one GPU to a layer has nothing to share
  CHECK(scenario["cluster"] == Document{{"nodes", 1}, {"gpus_per_node", 8}});
  CHECK(scenario["data"]["samples"] == 1953125000);
  CHECK(scenario["data"]["bytes_per_sample"] == "32768 B");  // 8192 tokens of 4 bytes
}

TEST_CASE("a pipeline in parts, recomputation and tokens of a learned table") {
  const ImportResult result = import_launch(launch_file("megatron_gpt3_175b.sh"));
  const Document scenario = scenario_in(result);
  const Document& workload = scenario["workloads"][0];
  CHECK(workload["model"] == "gpt3-175b");
  CHECK(workload["precision"] == "mixed");
  const Document& split = workload["parallelism"];
  CHECK(split["tensor"] == 8);
  CHECK(split["pipeline"] == 16);
  CHECK(split["interleave"] == 6);  // 96 layers / 16 stages / 1 layer
  CHECK(split["recompute"] == "selective");
  CHECK(split["sequence_parallel"] == true);
  CHECK(split["zero_stage"] == 0);
  CHECK(scenario["data"]["samples"] == 500000LL * 1536);
  CHECK(scenario["data"]["bytes_per_sample"] == "4096 B");  // 2048 tokens of 2 bytes
  CHECK(contains(all_warnings(launch_file("megatron_gpt3_175b.sh")), "--rampup-batch-size is left out"));
}

TEST_CASE("networks with experts") {
  const Document mixtral = workload_of_text(launch_file("megatron_mixtral_8x7b.sh"));
  CHECK(mixtral["model"] == "mixtral-8x7b");
  CHECK(mixtral["parallelism"]["expert"] == 8);
  CHECK(mixtral["parallelism"]["pipeline"] == 4);
  const std::string script = launch_file("megatron_deepseek_v3.sh");
  const Document scenario = scenario_in(import_launch(script));
  const Document& deepseek = scenario["workloads"][0];
  CHECK(deepseek["model"] == "deepseek-v3");
  CHECK(deepseek["global_batch"] == 2048);                                      // $(($MBS * 2048))
  CHECK(scenario["cluster"] == Document{{"nodes", 32}, {"gpus_per_node", 8}});  // of #SBATCH
  const std::string warnings = all_warnings(script);
  CHECK(contains(warnings, "--mtp-num-layers is left out"));
  CHECK(contains(warnings, "--decoder-last-pipeline-num-layers is left out"));
  CHECK(contains(warnings, "--recompute-modules is left out"));
  CHECK(contains(warnings, "not known here, and left out: --enable-experimental\n"));
}

TEST_CASE("which layers have experts") {
  const auto shape = [](const std::string& pattern) {
    return workload_of_text(small("--num-experts 8 --moe-layer-freq " + pattern))["model"]["transformer"];
  };
  CHECK(shape("2")["expert_every"] == 2);
  CHECK(shape("2")["dense_layers"] == 1);
  CHECK(contains(launch_complaint(small("--num-experts 8 --moe-layer-freq 5")), "no whole groups of 5"));
  CHECK_FALSE(shape("1").contains("expert_every"));
  CHECK(shape("[0]*3+[1]*21")["dense_layers"] == 3);
  CHECK(shape("'([0]*4+[1, 0]*10)'")["expert_every"] == 2);
  CHECK(shape("'([0]*4+[1, 0]*10)'")["dense_layers"] == 4);
  for (const char* none : {"[1,1,0]*8", "[0]*24", "[1]*23", "[1]*1e9", "[1]*99999999999", "[2]*24", "[",
                           "[1]**24", "[]*24", "[]*999999999999999", "[1]+", "0", "-1", "[1]*24-[0]*0"}) {
    CAPTURE(none);
    CHECK(contains(launch_complaint(small("--num-experts 8 --moe-layer-freq '" + std::string{none} + "'")),
                   "a pattern that has no description"));
  }
}

TEST_CASE("lists, blocks of YAML and NeMo's keys say the same as a script") {
  const Document list = workload_of_text(launch_file("megatron_plain_list.txt"));
  CHECK(list["model"] == "llama3-70b");
  CHECK(list["parallelism"]["interleave"] == 5);
  CHECK(list["parallelism"]["context"] == 2);
  CHECK(list["parallelism"]["recompute"] == "full");
  const Document yaml = workload_of_text(launch_file("megatron_model_config.yaml"));
  CHECK(yaml["model"]["transformer"]["layers"] == 12);
  CHECK(yaml["model"]["transformer"]["vocab"] == 50257);
  CHECK(yaml["parallelism"]["interleave"] == 3);
  CHECK(yaml["precision"] == "bf16");
  const Document scenario = scenario_in(import_launch(launch_file("nemo_llama2_70b.yaml")));
  const Document& nemo = scenario["workloads"][0];
  CHECK(nemo["model"] == "llama2-70b");
  CHECK(nemo["precision"] == "bf16");
  CHECK(nemo["parallelism"]["interleave"] == 20);
  CHECK(nemo["parallelism"]["zero_stage"] == 1);
  CHECK(scenario["cluster"] == Document{{"nodes", 16}, {"gpus_per_node", 8}});
}

TEST_CASE("a document of an import is read as a scenario, and extended") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "part.json", import_launch(launch_file("megatron_llama3_8b_fp8.sh")).text);
  const Scenario direct = load_scenario(folder / "part.json", {"cluster.node=dgx_h100"});
  CHECK(direct.workloads.front().model == "llama3-8b");
  CHECK(direct.cluster.nodes == 1);
  write_file_atomically(folder / "mine.json",
                        R"({"extends": "part.json", "cluster": {"node": "dgx_h100", "nodes": 4}})");
  const Scenario extended = load_scenario(folder / "mine.json");
  CHECK(extended.cluster.nodes == 4);
  CHECK(extended.workloads.front().parallelism->zero_stage == 1);
  write_file_atomically(folder / "fio.json",
                        R"({"format": "rackcast-import", "version": 1, "kind": "fio", "storage": {}})");
  const std::string other = error_text([&] { (void)load_scenario(folder / "fio.json"); });
  CHECK(contains(other, "this import holds no scenario"));
}

TEST_CASE("variables, defaults, quotations and products") {
  const Document split = workload_of_text(small(R"(
# --tensor-model-parallel-size 16
TP=4; export PP="2"
GPUS=$(( $TP * PP * 3 ))
EXTRA="--bf16 --tensor-model-parallel-size ${TP} \
  --pipeline-model-parallel-size=$PP"
torchrun --nproc_per_node ${GPUS:-1} --nnodes ${NODES:-"2"} pretrain_gpt.py $EXTRA '--sequence-parallel' \
  --global-batch-size $((GPUS/2))  # two replicas more
)"));
  CHECK(split["parallelism"]["tensor"] == 4);
  CHECK(split["parallelism"]["pipeline"] == 2);
  CHECK(split["parallelism"]["sequence_parallel"] == true);
  CHECK(split["global_batch"] == 12);
  CHECK(split["precision"] == "bf16");
}

TEST_CASE("variables that the file does not assign") {
  const std::string tp = launch_complaint(small("\n--tensor-model-parallel-size $TP"));
  CHECK(contains(tp, "--tensor-model-parallel-size is \"$TP\", and the file does not say what that is"));
  CHECK(contains(tp, "train.sh:2:30"));
  CHECK(contains(launch_complaint("A=$B\nB=$A\n" + small("--pipeline-model-parallel-size $A")),
                 "does not say"));
  CHECK(contains(launch_complaint("A=$A\n" + small("--pipeline-model-parallel-size $A")), "does not say"));
  // Those of paths, and of the number of nodes, need not be known.
  const std::string warnings = all_warnings(small("--save $1 --nnodes $SLURM_NNODES --nproc_per_node gpu"));
  CHECK(contains(warnings, "the number of nodes is a variable of the job"));
}

TEST_CASE("numbers that do not fit each other are refused at their place") {
  for (const auto& row : std::vector<std::pair<std::string, std::string>>{
           {"--tensor-model-parallel-size 3", "--num-attention-heads 16 is not divisible by the 3"},
           {"--pipeline-model-parallel-size 5", "--num-layers 24 is not divisible by the 5"},
           {"--context-parallel-size 3", "--seq-length 2048 is not divisible by 2 times the 3"},
           {"--expert-model-parallel-size 2", "a network without experts cannot be split by them"},
           {"--num-experts 6 --expert-model-parallel-size 4", "--num-experts 6 is not divisible by the 4"},
           {"--num-experts 2 --moe-router-topk 3", "a token cannot go to 3 of 2 experts"},
           {"--num-layers-per-virtual-pipeline-stage 1",
            "parts of the network are interleaved in a pipeline"},
           {"--pipeline-model-parallel-size 4 --num-layers-per-virtual-pipeline-stage 4",
            "24 layers in 4 stages make no whole number of parts of 4 layers"},
           {"--group-query-attention --num-query-groups 5", "16 heads cannot be cut over 5 groups"},
           {"--nnodes 3 --nproc_per_node 8 --tensor-model-parallel-size 16",
            "24 GPUs are no multiple of the 16 of a copy"},
           {"--nnodes 1 --nproc_per_node 8 --global-batch-size 24",
            "a batch of 24 cannot be dealt out evenly"},
           {"--bf16 --fp16", "either --bf16 or --fp16"},
           {"--recompute-granularity some", "no granularity of recomputation"},
           {"--use-megatron-fsdp --data-parallel-sharding-strategy all", "no way to shard"},
           {"--num-experts 8 --moe-layer-freq [1,0,1]", "a pattern that has no description"},
           {"--attention-dropout 7", "must lie between 0 and 1"},
           {"--window-size wide", "no window of attention"},
           {"--hidden-size 1000", "a hidden size of 1000 cannot be cut over 16 heads"},
           {"--micro-batch-size 0", "must lie between 1 and 1000000"},
           {"--micro-batch-size -4", "must lie between 1 and 1000000"},
           {"--micro-batch-size 4k", "which is no whole number"},
           {"--micro-batch-size 2.5", "which is no whole number"},
           {"--micro-batch-size 99999999999999999999", "must lie between 1 and 1000000"},
           {"--micro-batch-size --bf16", "--micro-batch-size has no value"}}) {
    const std::string &options = row.first, &message = row.second;
    CAPTURE(options);
    const std::string complaint = launch_complaint(small(options));
    CHECK(contains(complaint, message));
    CHECK(contains(complaint, "train.sh:1:"));
    CHECK(contains(complaint, "hint"));
  }
}

TEST_CASE("what the file leaves open stays open") {
  const std::string split = "--tensor-model-parallel-size 8 --micro-batch-size 1 --bf16";
  CHECK_FALSE(workload_of_text(split).contains("model"));
  CHECK(contains(all_warnings(split), "without --num-layers the options do not describe the network"));
  CHECK(contains(all_warnings(split), "--set workloads.0.model=NAME"));
  CHECK(contains(all_warnings(split), "--set data.samples=N"));
  CHECK(contains(all_warnings("torchrun pretrain_bert.py " + small()), "trains another network than a GPT"));
  CHECK(contains(all_warnings(small("--hybrid-layer-pattern M-M*-")), "asks for a network"));
  CHECK(contains(all_warnings(small("--optimizer muon")), "--optimizer \"muon\" is left out"));
  CHECK(contains(all_warnings(small("--num-layers 12")), "--num-layers is given more than once"));
  CHECK(contains(all_warnings(small("--micro-batches 4")), "not known here, and left out: --micro-batches"));
}

TEST_CASE("scripts that nobody should trust") {
  CHECK(contains(launch_complaint("--num-layers \"24"), "this quotation has no end"));
  CHECK(contains(launch_complaint("echo hello"), "there is no option in this file"));
  std::string doubled = "A=xxxxxxxx\n";
  for (int i = 0; i < 20; ++i) doubled += "A=$A$A\n";
  CHECK(contains(launch_complaint(doubled + small()), "has more than 4096 bytes"));
  std::string many;
  for (int i = 0; i < 20'000; ++i) many += "V" + std::to_string(i) + "=1\n";
  CHECK(contains(launch_complaint(many), "more than 10000 variables"));
  std::string options;
  for (int i = 0; i < 30'000; ++i) options += "--o" + std::to_string(i) + "\n";
  CHECK(contains(launch_complaint(options), "more than 20000 options"));
  CHECK(contains(launch_complaint(std::string(3'000'000, 'x')), "more than 1 MiB"));
  // What is printed moves no cursor.
  CHECK(contains(all_warnings(small("--a\x1b[2Jb 1 --a\x1b[2Jb 2")), "--a?[2Jb is given more than once"));
  // None of these takes time that grows with the square of its length.
  for (const char* piece : {"$(", "${", "$((", "`", "\\\n", "[", "--", "A=", "#SBATCH ", "$((1*"}) {
    CAPTURE(piece);
    std::string text = small();
    for (int i = 0; i < 100'000; ++i) text += piece;
    CHECK_NOTHROW((void)error_text([&] {
      (void)import_launch(text);
      return 0;
    }));
  }
}

TEST_CASE("DeepSpeed: three numbers of the batch give the GPUs") {
  const Document scenario = scenario_in(import_launch(launch_file("deepspeed_zero2_bf16.json"), "deepspeed"));
  const Document& workload = scenario["workloads"][0];
  CHECK(scenario["cluster"]["gpus_per_job"] == 16);  // 512 / 4 / 8
  CHECK(workload["global_batch"] == 512);
  CHECK(workload["precision"] == "bf16");
  CHECK(workload["parallelism"] ==
        Document{{"tensor", 1}, {"micro_batch", 4}, {"zero_stage", 2}, {"recompute", "full"}});
  const TemporaryFolder folder;
  write_file_atomically(folder / "ds.json",
                        import_launch(launch_file("deepspeed_zero2_bf16.json"), "deepspeed").text);
  const Scenario read = load_scenario(
      folder / "ds.json",
      {"workloads.0.model=llama3-8b", "cluster.node=dgx_h100", "cluster.nodes=2", "data.samples=1000000"});
  CHECK(read.workloads.front().framework == "deepspeed");
}

TEST_CASE("DeepSpeed: what is automatic or moved away is said") {
  const std::string text = launch_file("deepspeed_zero3_auto.json");
  const Document workload = workload_of_text(text, "deepspeed");
  CHECK(workload["parallelism"]["zero_stage"] == 3);
  CHECK(workload["parallelism"]["gather"] == "tensors");
  CHECK(workload["precision"] == "bf16");
  const std::string warnings = all_warnings(text, "deepspeed");
  CHECK(contains(warnings, "states of the optimizer moved to the memory of the host is left out"));
  CHECK(contains(warnings, "weights moved to NVMe drives is left out"));
  CHECK(contains(warnings, "\"auto\" stands for arguments of Hugging Face's Trainer"));
  CHECK(contains(warnings, "\"train_micro_batch_size_per_gpu\""));
  const std::string plus = all_warnings(
      R"({"zero_optimization": {"stage": 3, "zero_hpz_partition_size": 8, "zero_quantized_weights": true},
          "train_micro_batch_size_per_gpu": 1, "pipeline_parallel": 4})",
      "deepspeed");
  CHECK(contains(plus, "zero_hpz_partition_size"));
  CHECK(contains(plus, "zero_quantized_weights"));
  CHECK(contains(plus, "left out: \"pipeline_parallel\""));
  CHECK(workload_of_text(R"({"zero_optimization": {"stage": 3, "mics_shard_size": 8}})",
                         "deepspeed")["parallelism"]["shard_group"] == 8);
}

TEST_CASE("DeepSpeed: contradictions and values of another kind are refused at their place") {
  for (const auto& row : std::vector<std::pair<std::string, std::string>>{
           {R"({"train_batch_size": 100, "train_micro_batch_size_per_gpu": 8})",
            "a batch of 100 is no multiple"},
           {R"({"train_batch_size": 0})", "must be a whole number from 1"},
           {R"({"train_batch_size": -8})", "must be a whole number from 1"},
           {R"({"train_batch_size": 2.5})", "must be a whole number from 1"},
           {R"({"train_batch_size": "big"})", "number"},
           {R"({"zero_optimization": {"stage": 4}})", "must be a whole number from 0 to 3"},
           {R"({"zero_optimization": 2})", "is an object"},
           {R"({"zero_optimization": {"stage": 3, "offload_param": {"device": "tape"}}})",
            "no device \"tape\""},
           {R"({"bf16": {"enabled": true}, "fp16": {"enabled": true}})", "either \"bf16\" or \"fp16\""},
           {R"({"bf16": {"enabled": 1}})", "true or false"},
           {R"({"train_batch_size": 8, "train_batch_size": 16})", "train_batch_size"},
           {R"({"train_batch_size": 8)", "train.sh:1:"},
           {R"(["train_batch_size"])", "is an object"}}) {
    const std::string &text = row.first, &message = row.second;
    CAPTURE(text);
    const std::string complaint = launch_complaint(text, "deepspeed");
    CHECK(contains(complaint, message));
    CHECK(contains(complaint, "train.sh:1:"));
  }
}

}  // namespace
}  // namespace rackcast
