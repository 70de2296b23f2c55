// Files of other tools, used as a person would use them.
#include <doctest/doctest.h>

#include <string>

#include "sim/base/atomic_file.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

TEST_CASE("a configuration of Hugging Face becomes a network that is shown, simulated and served") {
  const TemporaryFolder folder;
  const std::string mine = folder / "mine.json";
  const Outcome out = run("import tests/data/imports/hf_qwen3-0.6b.json -o " + mine);
  CHECK(out.code == 0);
  CHECK(has(out, "hf-config: a network of type qwen3 with 596 million parameters"));
  CHECK(run("catalog show " + mine).code == 0);
  write_file_atomically(folder / "s.json", R"({"name": "own", "data": {"samples": 100000},
    "workloads": [{"model": "mine.json", "epochs": 1, "batch_per_gpu": 1}],
    "cluster": {"node": "dgx_h100", "nodes": 1}})");
  CHECK(run("simulate " + folder / "s.json" + " --json").code == 0);
  CHECK(run("generation " + mine + " --node dgx_h100 --prompt 512 --output 128").code == 0);
  // A file of another kind holds no network.
  CHECK(run("import tests/data/imports/fio_3_json.txt -o " + folder / "mine.json").code == 0);
  const Outcome wrong = run("simulate " + folder / "s.json");
  CHECK(wrong.code == 3);
  CHECK(has(wrong, "an import of this kind holds no network"));
}

TEST_CASE("files that start a training become scenarios that are asked at once") {
  const TemporaryFolder folder;
  const std::string part = folder / "part.json";
  const Outcome out = run("import tests/data/launch/megatron_llama3_8b_fp8.sh -o " + part);
  CHECK(out.code == 0);
  CHECK(has(out, "megatron-args: a training of llama3-8b"));
  CHECK(has(out, "add --set cluster.node=NAME"));
  CHECK(run("check " + part + " --set cluster.node=dgx_h100").code == 0);
  CHECK(run("simulate " + part + " --set cluster.node=dgx_h200 --set data.samples=12800 --json").code == 0);
  const Outcome open = run("check " + part);
  CHECK(open.code == 3);
  CHECK(has(open, "a cluster has either a \"node\""));
  CHECK(run("import tests/data/launch/deepspeed_zero2_bf16.json -o " + part).code == 0);
  CHECK(run("check " + part +
            " --set workloads.0.model=llama3-8b --set cluster.node=dgx_h100 --set cluster.nodes=2 --set "
            "data.samples=100000")
            .code == 0);
  write_file_atomically(folder / "bad.sh", "--num-layers 24\n--pipeline-model-parallel-size 5\n");
  const Outcome bad = run("import megatron-args " + folder / "bad.sh" + " -o " + folder / "none.json");
  CHECK(bad.code == 3);
  CHECK(has(bad, "bad.sh:2:32"));
  CHECK_FALSE(std::filesystem::exists(folder / "none.json"));
}

TEST_CASE("an ONNX model becomes a network that is trained and sized") {
  const TemporaryFolder folder;
  const std::string mine = folder / "mine.json";
  const Outcome out = run("import tests/data/onnx/light_resnet50.onnx -o " + mine);
  CHECK(out.code == 0);
  CHECK(has(out, "25.6 million parameters"));
  CHECK(run("catalog show " + mine).code == 0);
  write_file_atomically(folder / "s.json", R"({"name": "own", "data": {"samples": 100000},
    "workloads": [{"model": "mine.json", "epochs": 1, "batch_per_gpu": 32}],
    "cluster": {"node": "dgx1v_32gb", "nodes": 1}})");
  CHECK(run("simulate " + folder / "s.json" + " --json").code == 0);
  const Outcome text = run("import onnx tests/data/imports/hf_qwen3-0.6b.json");
  CHECK(text.code == 3);
  CHECK(has(text, "this is no ONNX model"));
}

TEST_CASE("transformers of ONNX and graphs of PyTorch become networks that are trained and sized") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "s.json", R"({"name": "own", "data": {"samples": 100000},
    "workloads": [{"model": "mine.json", "epochs": 1, "batch_per_gpu": 8}],
    "cluster": {"node": "dgx_h100", "nodes": 1}})");
  for (const char* file :
       {"tests/fuzz/seeds/import_onnx/decoder.onnx", "tests/fuzz/seeds/import_onnx/windows.onnx",
        "tests/data/imports/torch_fx_encoder.json"}) {
    CAPTURE(file);
    const std::string mine = folder / "mine.json";
    const Outcome out = run(std::string{"import "} + file + " -o " + mine);
    CHECK(out.code == 0);
    CHECK(has(out, " parameters"));
    CHECK(run("catalog show " + mine).code == 0);
    CHECK(run("simulate " + folder / "s.json" + " --json").code == 0);
  }
  const Outcome unknown = run("import tests/fuzz/seeds/import_onnx/decoder.onnx --size length=8");
  CHECK(unknown.code == 3);
  CHECK(has(unknown, "no open side of this model is called \"length\""));
  for (const char* wrong : {"length", "=8", "length=", "length=0", "length=8x", "length=1 --size length=2"}) {
    CAPTURE(wrong);
    const Outcome refused =
        run(std::string{"import tests/fuzz/seeds/import_onnx/decoder.onnx --size "} + wrong);
    CHECK(refused.code == 2);
    CHECK(has(refused, "gives no number to a name"));
  }
  const Outcome other = run("import tests/data/imports/torch_fx_encoder.json --size length=8");
  CHECK(other.code == 2);
  CHECK(has(other, "leaves no sizes open"));
}

TEST_CASE("files of other tools are imported, and a simulation runs on the machine that they describe") {
  const TemporaryFolder folder;
  const std::string corpus = "tests/data/imports/";
  const Outcome out = run("import " + corpus + "nccl_topo_v1_dgx1v.xml -o " + folder / "node.json");
  CHECK(out.code == 0);
  CHECK(has(out, "nccl-topo-xml: a node with 8 GPUs"));
  write_file_atomically(folder / "s.json", R"({"name": "own", "data": {"samples": 100000},
    "workloads": [{"model": "resnet50", "epochs": 1, "batch_per_gpu": 32}],
    "cluster": {"node": "node.json", "gpu": "v100_sxm2_16gb", "nodes": 2}})");
  const Outcome own = run("simulate " + folder / "s.json" + " --json");
  CHECK(own.code == 0);
  CHECK(has(own, "\"rackcast-result\""));
  CHECK(run("topology show " + folder / "node.json" + " --gpu v100_sxm2_16gb").code == 0);
  CHECK(run("import fio " + corpus + "fio_3_json.txt").code == 0);
  CHECK(run("import nonsense " + corpus + "fio_3_json.txt").code == 2);
  const Outcome folder_given = run("import " + corpus);
  CHECK(folder_given.code == 3);
  CHECK(has(folder_given, "this is a folder"));
  CHECK(run("import " + folder / "missing.txt").code == 3);
  const Outcome wrong = run("import lstopo " + corpus + "fio_3_json.txt -o " + folder / "none.json");
  CHECK(wrong.code == 3);
  CHECK_FALSE(std::filesystem::exists(folder / "none.json"));
}

TEST_CASE("a listing of Slurm becomes the cluster of a scenario") {
  const TemporaryFolder folder;
  const Outcome out = run("import tests/data/imports/scontrol_23.11.txt -o " + folder / "cluster.json");
  CHECK(out.code == 0);
  CHECK(has(out, "slurm-nodes: 11 nodes in 3 groups, 52 GPUs, 40 of them in service"));
  CHECK(has(out, "warning: out of service: 2 of 11 nodes"));
  write_file_atomically(folder / "s.json", R"({"extends": "cluster.json", "name": "own",
    "data": {"samples": 100000}, "workloads": [{"model": "resnet50", "epochs": 1, "batch_per_gpu": 32}],
    "goal": {"deadline": "1 hour"}})");
  CHECK(run("check " + folder / "s.json").code == 0);
  CHECK(has(run("simulate " + folder / "s.json"), "4 × NVIDIA DGX H100"));
  CHECK(run("size " + folder / "s.json").code == 0);
  const Outcome wrong = run("import slurm-nodes tests/data/imports/fio_3.txt -o " + folder / "none.json");
  CHECK(wrong.code == 3);
  CHECK(has(wrong, "no line of titles"));
  CHECK_FALSE(std::filesystem::exists(folder / "none.json"));
}

TEST_CASE("a log of GPU power becomes figures of each GPU and of all") {
  const TemporaryFolder folder;
  const Outcome out = run("import tests/data/imports/nvidia_smi_power_535.csv -o " + folder / "power.json");
  CHECK(out.code == 0);
  CHECK(has(out, "power-log: 39 samples of 2 GPUs"));
  CHECK(has(out, "warning: GPU 0: gaps without samples: 1"));
  // It holds no scenario, and no other command reads it.
  write_file_atomically(folder / "s.json", R"({"extends": "power.json", "name": "own"})");
  const Outcome wrong = run("check " + folder / "s.json");
  CHECK(wrong.code == 3);
  CHECK(has(wrong, "this import holds no scenario"));
  CHECK(run("import power-log tests/data/imports/fio_3.txt -o " + folder / "none.json").code == 3);
  CHECK_FALSE(std::filesystem::exists(folder / "none.json"));
}
