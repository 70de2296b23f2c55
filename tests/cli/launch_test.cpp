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

namespace {

/// A program of the folder that prints its name and arguments, one a line.
void write_stand_in(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  const std::string path = folder / ("bin/" + name);
  std::filesystem::create_directories(folder / "bin");
  write_file_atomically(path, "#!/bin/bash\n" + text);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

/// What bash says of the file when srun, torchrun and scontrol are stand-ins, with `variables` alone.
Outcome run_launched(const TemporaryFolder& folder, const std::string& file, const std::string& variables) {
  return run_program("bash", "cd '" + folder.path() + "'", file, 60,
                     "env -i PATH='" + folder / "bin" + "':\"$PATH\" " + variables + " ");
}

}  // namespace

TEST_CASE("what is written is bash, and stops where something is to be filled in") {
  const TemporaryFolder folder;
  const std::string job = folder / "train.sbatch", server = folder / "serve.sh", mark = folder / "mark";
  CHECK(run("export launch scenarios/llm_serving.json -o " + server).code == 0);
  write_file_atomically(folder / "s.json", R"({"name": "own $(touch )" + mark + R"() `touch )" + mark +
                                               R"(`", "data": {"samples": 100000},
    "workloads": [{"model": "mixtral-8x7b", "precision": "bf16"}], "cluster": {"node": "dgx_h100"}})");
  CHECK(run("export launch " + folder / "s.json" + " -o " + job).code == 0);
  for (const std::string& file : {job, server}) CHECK(std::system(("bash -n " + file).c_str()) == 0);
  write_stand_in(folder, "srun", "printf '%s\\n' srun \"$@\"\n");
  write_stand_in(folder, "torchrun", "exit 9\n");
  // More than a pipe holds, so whoever stops reading at the first line ends it with a signal.
  write_stand_in(folder, "scontrol", "for I in $(seq 20000); do echo \"node$I\"; done\n");
  const Outcome missing = run_launched(folder, job, "");
  CHECK(missing.code != 0);
  CHECK(has(missing, "DATA: prefix of the data"));
  const std::string filled =
      "DATA=d CHECKPOINTS=c LEARNING_RATE=1e-4 MEGATRON=m SLURM_JOB_NODELIST=n SLURM_JOB_ID=7";
  const Outcome plain = run_launched(folder, job, filled);
  CHECK(plain.code == 0);
  CHECK(has(plain, "srun\n"));
  CHECK(has(plain, "\nnode1:29500\n"));
  CHECK_FALSE(has(plain, "--container"));
  const Outcome image = run_launched(folder, job, filled + " CONTAINER=image");
  CHECK(image.code == 0);
  CHECK(has(image, "--container-image=image\n"));
  CHECK_FALSE(has(image, "--container-mounts"));
  CHECK(
      has(run_launched(folder, job, filled + " CONTAINER=image MOUNTS=/a:/b"), "--container-mounts=/a:/b\n"));
  CHECK_FALSE(std::filesystem::exists(mark));
}
