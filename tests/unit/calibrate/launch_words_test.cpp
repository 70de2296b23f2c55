// Words of shell scripts, sections of YAML and overrides of Hydra, read as options of a training.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "calibrate/import/import.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {
namespace {

ImportResult import_options(const std::string& text, const std::string& kind = "megatron-args") {
  static const Catalog catalog = Catalog::builtin();
  return import_text(catalog, {.kind = kind, .path = "train.sh", .program = "t"}, text);
}

nlohmann::json scenario_of_options(const std::string& text, const std::string& kind = "megatron-args") {
  return nlohmann::json::parse(import_options(text, kind).text).at("scenario");
}

nlohmann::json split_of_options(const std::string& text) {
  return scenario_of_options(text).at("workloads").at(0).at("parallelism");
}

std::string warnings_of_options(const std::string& text, const std::string& kind = "megatron-args") {
  std::string out;
  for (const std::string& warning : import_options(text, kind).warnings) out += warning + "\n";
  return out;
}

std::string complaint_of_options(const std::string& text) {
  return error_text([&] { (void)import_options(text); });
}

std::string tiny_network(const std::string& more = {}) {
  return "--num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 "
         "--max-position-embeddings 2048 --vocab-size 32000 --micro-batch-size 2 " +
         more;
}

TEST_CASE("quotations with a dollar sign end where their quotes do") {
  const auto split = split_of_options(
      "IFS=$'\\n\\t'\nA=$'it\\'s \\x38'\nTP=$\"4\"\nPP=$'\\x32'\n" +
      tiny_network("--tensor-model-parallel-size $TP --tensorboard-dir $'a\\\\' "
                   "--pipeline-model-parallel-size $PP --context-parallel-size $'\\62' --save 'x'"));
  CHECK(split["tensor"] == 4);
  CHECK(split["pipeline"] == 2);
  CHECK(split["context"] == 2);
  CHECK(contains(complaint_of_options("IFS=$'\\n\\'\n" + tiny_network()), "train.sh:1:5: "));
  CHECK(contains(complaint_of_options(tiny_network("--micro-batch-size $'\\u00e9\\q\\xzz\\0'")),
                 "--micro-batch-size is \"?\\q\\xzz\""));
}

TEST_CASE("a backslash between single quotes is a letter like any other") {
  const auto split =
      split_of_options("A='\\'\n" + tiny_network("--tensor-model-parallel-size 4 --save 'a\\'"));
  CHECK(split["tensor"] == 4);
  CHECK(contains(complaint_of_options(tiny_network("--micro-batch-size 'a\\b'")),
                 "--micro-batch-size is \"a\\b\""));
}

TEST_CASE("YAML: names of sections inside of others do not hide what stands above them") {
  const std::string nemo = R"(
trainer:
  devices: 8
  num_nodes: 2
  max_steps: 100
model:
  mcore_gpt: True
  micro_batch_size: 1
  tensor_model_parallel_size: 2
  global_batch_size: 8
  encoder_seq_length: 4096
  max_position_embeddings: ${model.encoder_seq_length}
  num_layers: ${.depth}
  depth: ${model.other_depth}
  other_depth: 12
  hidden_size: 1024
  num_attention_heads: 16
  optim:
    name: distributed_fused_adam
    sched:
      name: CosineAnnealing
      max_steps: 7
  data:
    seq_length: ${model.encoder_seq_length}
name: experiment
)";
  const auto scenario = scenario_of_options(nemo);
  const auto& workload = scenario["workloads"][0];
  CHECK(workload["parallelism"]["zero_stage"] == 1);
  CHECK(scenario["data"]["samples"] == 800);  // 100 steps of 8
  CHECK(workload["sample"]["tokens"] == 4096);
  CHECK(workload["model"]["transformer"]["layers"] == 12);
  CHECK(workload["model"]["transformer"]["learned_positions"] == 4096);
  // The name of another section is none of the optimizer.
  std::string other = nemo;
  other.replace(other.find("    name: distributed_fused_adam"), 32, "    title: distributed_fused_adam");
  CHECK(split_of_options(other)["zero_stage"] == 0);
  std::string circle = nemo;
  circle.replace(circle.find("other_depth: 12"), 15, "other_depth: ${.num_layers}");
  CHECK(contains(complaint_of_options(circle), "and the file does not say what that is"));
  std::string environment = nemo;
  environment.replace(environment.find("other_depth: 12"), 15, "other_depth: ${oc.env:DEPTH}");
  CHECK(contains(complaint_of_options(environment),
                 "--num-layers is \"${.depth}\", and the file does not say"));
}

TEST_CASE("embedding and loss that count like layers of a pipeline in parts") {
  const std::string options =
      "--num-layers 126 --hidden-size 16384 --num-attention-heads 128 --seq-length 8192 --vocab-size 128256 "
      "--micro-batch-size 1 --pipeline-model-parallel-size 16 --num-layers-per-virtual-pipeline-stage 1 ";
  const std::string both = "--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split ";
  CHECK(split_of_options(options + both)["interleave"] == 8);  // (126 + 2) / 16 / 1
  CHECK(contains(warnings_of_options(options + both), "126 layers do not fill 16 stages of 8 equal parts"));
  CHECK(contains(complaint_of_options(options), "126 layers in 16 stages make no whole number of parts"));
  CHECK(contains(complaint_of_options(options + "--account-for-loss-in-pipeline-split"),
                 "127 layers, embedding or loss among them, in 16 stages"));
}

TEST_CASE("nodes and GPUs of a job") {
  const auto cluster = [](const std::string& text) {
    return scenario_of_options(text + "\ntorchrun pretrain_gpt.py " + tiny_network())["cluster"];
  };
  using Json = nlohmann::json;
  CHECK(cluster("#SBATCH --nodes=4\n#SBATCH --gres=gpu:8,nvme:1\n--nnodes $SLURM_NNODES") ==
        Json{{"nodes", 4}, {"gpus_per_node", 8}});
  CHECK(cluster("#SBATCH --nodes=4 --gpus-per-node=h100:8\nsrun --nodes=1 --ntasks=1 -w $HEAD hostname") ==
        Json{{"nodes", 4}, {"gpus_per_node", 8}});
  CHECK(cluster("#SBATCH -N 2\n#SBATCH --gres=nvme:1,gpu:a:4(S:0-1)\n#SBATCH --ntasks-per-node=1") ==
        Json{{"nodes", 2}, {"gpus_per_node", 4}});
  CHECK(cluster("srun --nodes=3 --gpus-per-node=2") == Json{{"nodes", 3}, {"gpus_per_node", 2}});
  CHECK(cluster("#SBATCH --gres=nvme:1").empty());
  CHECK(contains(complaint_of_options("#SBATCH --gres=gpu:0\n" + tiny_network()), "train.sh:1:9: "));
  CHECK(contains(complaint_of_options("#SBATCH --nodes=0\n" + tiny_network()), "#SBATCH --nodes is \"0\""));
  CHECK(contains(complaint_of_options("#SBATCH --nodes=3 --gpus-per-node=8\n" +
                                      tiny_network("--tensor-model-parallel-size 16")),
                 "24 GPUs are no multiple of the 16"));
}

TEST_CASE("a default number of nodes that contradicts the split is left open") {
  const std::string script = "GPUS=8\nNNODES=${NNODES:-1}\nWORLD=$((NNODES * 1))\n" +
                             tiny_network("--tensor-model-parallel-size 16 --nproc-per-node $GPUS ");
  for (const char* nodes : {"--nnodes $NNODES", "--nnodes ${N:-1}", "--nnodes $WORLD"}) {
    CAPTURE(nodes);
    CHECK(scenario_of_options(script + nodes)["cluster"] == nlohmann::json{{"gpus_per_node", 8}});
    CHECK(contains(warnings_of_options(script + nodes),
                   "the number of nodes is the default of a variable, and left out: 8 GPUs are no multiple"));
  }
  CHECK(scenario_of_options(script + "--nnodes ${N:-2}")["cluster"]["nodes"] == 2);
  CHECK(contains(complaint_of_options(script + "--nnodes 1"), "8 GPUs are no multiple of the 16"));
}

TEST_CASE("DeepSpeed: GPUs that share a sequence, and numbers of the batch that are left out") {
  const std::string batch = R"({"train_batch_size": 64, "gradient_accumulation_steps": 2, )";
  const auto all = scenario_of_options(
      batch + R"("train_micro_batch_size_per_gpu": 4, "sequence_parallel_size": 4})", "deepspeed");
  CHECK(all["cluster"]["gpus_per_job"] == 32);  // 64 / 2 / 4 x 4
  const std::string warnings = warnings_of_options(batch + R"("bf16": {"enabled": true}})", "deepspeed");
  CHECK(contains(warnings, "\"gradient_accumulation_steps\": 2 is left out"));
  CHECK(contains(warnings, "(\"train_micro_batch_size_per_gpu\"), and 1 is taken"));
}

TEST_CASE("older and wider options of precision and recomputation") {
  const auto precision = [](const std::string& more) {
    return scenario_of_options(tiny_network("--bf16 " + more))["workloads"][0]["precision"];
  };
  CHECK(precision("--fp8-hybrid") == "fp8");
  CHECK(precision("--fp8-e4m3") == "fp8");
  CHECK(precision("--fp8-margin 0") == "bf16");
  CHECK(contains(warnings_of_options(tiny_network("--fp32-residual-connection")),
                 "--fp32-residual-connection is left out"));
  CHECK(contains(warnings_of_options(tiny_network("--fp8-unheard-of 1")), "left out: --fp8-unheard-of"));
  CHECK(split_of_options(tiny_network("--checkpoint-activations"))["recompute"] == "full");
  const std::string selective = "--recompute-granularity selective --recompute-modules core_attn";
  CHECK_FALSE(contains(warnings_of_options(tiny_network(selective)), "--recompute-modules is left out"));
  CHECK(contains(warnings_of_options(tiny_network(selective + " mlp")), "--recompute-modules is left out"));
}

TEST_CASE("overrides of Hydra are options") {
  const std::string overrides =
      "python megatron_gpt_pretraining.py --config-name x model.tensor_model_parallel_size=8 "
      "++model.micro_batch_size=2 +trainer.num_nodes=2 trainer.devices=8 "
      "'model.optim.name=distributed_fused_adam' "
      "model.optim.sched.name=CosineAnnealing model.sequence_parallel=True model.fp8=False "
      "exp_manager.explicit_log_dir=/a/b.c=d";
  const auto scenario = scenario_of_options(overrides);
  const auto& split = scenario["workloads"][0]["parallelism"];
  CHECK(split["tensor"] == 8);
  CHECK(split["micro_batch"] == 2);
  CHECK(split["sequence_parallel"] == true);
  CHECK(scenario["workloads"][0]["precision"] == "fp32");
  CHECK(scenario["cluster"] == nlohmann::json{{"nodes", 2}, {"gpus_per_node", 8}});
  CHECK(contains(complaint_of_options(overrides + "\nmodel.pipeline_model_parallel_size=${PP}"),
                 "--pipeline-model-parallel-size is \"${PP}\""));
  CHECK(contains(complaint_of_options("a/b.c=1 .=2 +=3 a..b=4 x.=5"), "there is no option in this file"));
}

TEST_CASE("YAML: layers without biases and with gated parts") {
  const std::string yaml =
      "num_layers: 24\nhidden_size: 1024\nnum_attention_heads: 16\nseq_length: 2048\nvocab_size: 32000\n";
  const auto plain = scenario_of_options(yaml)["workloads"][0]["model"]["transformer"];
  CHECK(plain["biases"] == true);
  CHECK_FALSE(plain.contains("gated_mlp"));
  const auto gated = scenario_of_options(yaml + "add_bias_linear: False\nactivation_func: swiglu\n");
  CHECK_FALSE(gated["workloads"][0]["model"]["transformer"].contains("biases"));
  CHECK(gated["workloads"][0]["model"]["transformer"]["gated_mlp"] == true);
  CHECK(gated["workloads"][0]["model"]["transformer"]["ffn"] == 2688);  // 1024 x 8 / 3 in multiples of 64
}

TEST_CASE("which layers have experts is said in plain words") {
  CHECK(contains(complaint_of_options(tiny_network("--num-experts 8 --moe-layer-freq [2]*24")),
                 "a number N for every Nth layer, or a list with 0 or 1 for each layer"));
}

}  // namespace
}  // namespace rackcast
