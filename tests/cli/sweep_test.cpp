// A sweep that is killed goes on where it was, and its rows are those of an undisturbed one.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "sim/base/input_file.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/needed_tool.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

namespace {

int shell(const std::string& command) {
  return std::system(
      ("cd '" + std::string{RACKCAST_SOURCE_DIR} + "' && " + command + " >/dev/null 2>&1").c_str());
}

}  // namespace

TEST_CASE("killed at any moment, a sweep loses nothing that it has committed") {
  const TemporaryFolder folder;
  const std::string sweep = std::string{"'"} + RACKCAST_PROGRAM +
                            "' sweep scenarios/saturn_v.json --vary cluster.nodes=1..40 --vary "
                            "workloads.0.batch_per_gpu=8..64:8 --threads 2 ";
  const std::string quiet = sweep + "--db " + folder / "a.db" + " --csv " + folder / "a.csv";
  const std::string disturbed = sweep + "--db " + folder / "b.db" + " --csv " + folder / "b.csv";
  REQUIRE(shell(quiet) == 0);
  for (const char* after : {"0.05", "0.1", "0.2", "0.3", "0.4"}) {
    shell("timeout -s KILL " + std::string{after} + " " + disturbed);
  }
  REQUIRE(shell(disturbed) == 0);
  CHECK(read_file(folder / "a.csv") == read_file(folder / "b.csv"));
  CHECK(shell(sweep + "--db " + folder / "a.csv") != 0);  // no database
}

TEST_CASE("one, two and four processes of one launcher give the rows of one process") {
  const TemporaryFolder folder;
  const std::string sweep = std::string{"'"} + RACKCAST_PROGRAM +
                            "' sweep scenarios/saturn_v.json --vary cluster.nodes=1..20 --threads 1 ";
  const auto into = [&](const char* name) {
    return "--db " + folder / (name + std::string{".db"}) + " --csv " + folder / (name + std::string{".csv"});
  };
  REQUIRE(shell(sweep + into("one")) == 0);
  // What mpirun tells its processes.
  std::string four =
      "for rank in 1 2 3 0; do OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_SIZE=4 "
      "OMPI_COMM_WORLD_RANK=$rank timeout 60 " +
      sweep + into("four") + " & done; wait";
  REQUIRE(shell("sh -c \"" + four + "\"") == 0);
  CHECK(read_file(folder / "one.csv") == read_file(folder / "four.csv"));
  // The launcher itself.
  if (!needed(shell("command -v mpirun") == 0, "mpirun", "openmpi-bin")) return;
  for (const char* ranks : {"1", "2", "4"}) {
    CAPTURE(ranks);
    const std::string mpi =
        "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 mpirun "
        "--oversubscribe -n " +
        std::string{ranks} + " ";
    REQUIRE(shell(mpi + sweep + into(ranks)) == 0);
    CHECK(read_file(folder / "one.csv") == read_file(folder / (ranks + std::string{".csv"})));
  }
}

TEST_CASE("wrong sweeps and campaigns are exit codes 2 and 3") {
  const std::string program = std::string{"'"} + RACKCAST_PROGRAM + "' ";
  const auto code = [&](const std::string& arguments) {
    const int status = shell("timeout 30 " + program + arguments);
    return status / 256;
  };
  CHECK(code("sweep scenarios/saturn_v.json") == 2);
  CHECK(code("sweep scenarios/saturn_v.json --vary cluster.nodes=5..1") == 2);
  CHECK(code("sweep scenarios/saturn_v.json --vary cluster.nodes=1..2 --shard 3/2") == 2);
  CHECK(code("merge /tmp/no/such.db /tmp/none.db") == 3);
  CHECK(code("campaign scenarios/saturn_v.json") == 3);  // has no campaign
  CHECK(code("campaign scenarios/dgx_pod_team_dgx1.json --set campaign.duration=forever") == 3);
}

TEST_CASE(
    "issue 23, item 37: a campaign that takes too long ends with --limit, says how far it came and writes "
    "nothing") {
  const TemporaryFolder folder;
  // 675,000 jobs; the queue grows all the time.
  const Outcome out =
      run("campaign scenarios/dgx_pod_team_dgx1.json --set campaign.streams.0.experiments_per_day=1500 " +
              std::string{"--limit '1 s' -o "} + folder / "a.json",
          60);
  CHECK(out.code == 4);
  CHECK(has(out, "the limit was reached after"));
  CHECK_FALSE(std::filesystem::exists(folder / "a.json"));
  CHECK(run("campaign scenarios/dgx_pod_team_dgx1.json --limit never", 20).code == 2);
}

TEST_CASE("a step that is longer than the clock is the input's doing") {
  const Outcome out = run("size scenarios/storage_bound_site.json --set data.bytes_per_sample='113 GB'", 60);
  CHECK(out.code == 3);
  CHECK(has(out, "past the end of the clock"));
}
