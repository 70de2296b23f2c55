// What starts a run, used as a person would use it: written, checked by bash, read back and simulated.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

TEST_CASE("a training becomes a Slurm job that is read back") {
  const TemporaryFolder folder;
  const std::string job = folder / "train.sbatch", part = folder / "part.json";
  write_file_atomically(folder / "s.json",
                        R"({"name": "own", "data": {"samples": 100000}, "workloads": [{"model":
    "llama3-8b", "epochs": 1, "precision": "bf16", "global_batch": 64, "parallelism": {"tensor": 4, "pipeline": 2}}],
    "cluster": {"node": "dgx_h100", "nodes": 2}})");
  CHECK(run("export launch " + folder / "s.json" + " -o " + job).code == 0);
  CHECK(run("import " + job + " -o " + part).code == 0);
  CHECK(run("simulate " + part + " --set cluster.node=dgx_h100 --json").code == 0);
  const Outcome list = run("export launch " + folder / "s.json" + " --for megatron");
  CHECK(list.code == 0);
  CHECK(has(list, "--tensor-model-parallel-size 4"));
  CHECK_FALSE(has(list, "#SBATCH"));
  CHECK(run("export launch " + folder / "s.json" + " --for slurm --set workloads.0.precision=int8 -o " +
            folder / "no")
            .code == 3);
  CHECK_FALSE(std::filesystem::exists(folder / "no"));
  CHECK(run("export launch " + folder / "s.json" + " --for vllm").code == 3);
  CHECK(run("export launch " + folder / "s.json" + " --for slurmx").code == 2);
  CHECK(run("export launch " + folder / "missing.json").code == 3);
}

TEST_CASE("what is written is bash, and stops where something is to be filled in") {
  const TemporaryFolder folder;
  const std::string job = folder / "train.sbatch", server = folder / "serve.sh";
  CHECK(run("export launch scenarios/llm_serving.json -o " + server).code == 0);
  write_file_atomically(folder / "s.json",
                        R"({"name": "own $(touch /tmp/x) `id`", "data": {"samples": 100000},
    "workloads": [{"model": "mixtral-8x7b", "precision": "bf16"}], "cluster": {"node": "dgx_h100"}})");
  CHECK(run("export launch " + folder / "s.json" + " -o " + job).code == 0);
  for (const std::string& file : {job, server}) CHECK(std::system(("bash -n " + file).c_str()) == 0);
  CHECK(std::system(("env -i PATH=\"$PATH\" bash " + job + " 2> " + folder / "said").c_str()) != 0);
  CHECK(read_file(folder / "said").find("DATA: prefix of the data") != std::string::npos);
}
