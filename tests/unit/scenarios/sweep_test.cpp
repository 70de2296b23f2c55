// Sweeps: what is varied, that no point is lost or done twice, and that it does not matter how it ran.
#include "scenarios/sweep/sweep.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <string>

#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"
#include "tests/unit/sim/temporary_folder.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

using Texts = std::vector<std::string>;

SweepSpec fleet(int threads) {
  SweepSpec spec;
  spec.scenario = std::string{RACKCAST_SOURCE_DIR} + "/scenarios/fleet_very_conservative.json";
  spec.axes = {read_axis("workloads.0.batch_per_gpu=32,64,100000"), read_axis("cluster.nodes=1..16*2"),
               read_axis("workloads.0.epochs=1..30#10")};
  spec.threads = threads;
  return spec;
}

std::string csv_of(const SweepSpec& spec, const std::string& file) {
  SweepStore store{file, sweep_question(spec)};
  run_sweep(spec, Catalog::builtin(), store);
  return sweep_csv(store);
}

}  // namespace

TEST_CASE("axes are ranges, factors, logarithmic ranges and lists") {
  CHECK(read_axis("a.b=1..4").values == Texts{"1", "2", "3", "4"});
  CHECK(read_axis("a=2..11:4").values == Texts{"2", "6", "10"});
  CHECK(read_axis("a=1..1024*8").values == Texts{"1", "8", "64", "512"});
  CHECK(read_axis("a=1..100#3").values == Texts{"1", "10", "100"});
  CHECK(read_axis("a=14 days,28 days").values == Texts{"14 days", "28 days"});
  CHECK(read_axis("a=1..4 days").values == Texts{"1 days", "2 days", "3 days", "4 days"});
  CHECK(read_axis("a=100000..400000/s*2").values == Texts{"100000/s", "200000/s", "400000/s"});
  CHECK(read_axis("a=5..20 ms#3").values == Texts{"5 ms", "10 ms", "20 ms"});
  const std::vector<SweepAxis> two{read_axis("a=1..2"), read_axis("b=x,y,z")};
  CHECK(point_count(two) == 6);
  CHECK(point_values(two, 4) == Texts{"2", "y"});  // the last axis is the fastest
}

TEST_CASE("hostile axes and shards are errors of usage") {
  for (const char* text :
       {"",         "a",         "=1..2",      "a=",       "a=2..1",    "a=1..x",    "a=..",
        "a=1..5:0", "a=1..5:-1", "a=0..5*2",   "a=1..5*1", "a=1..5#1",  "a=-1..5#4", "a=1..1e300",
        "a=1,,2",   "a=1,2,1",   "a=1..5#2.5", "a=1..5 ?", "a=1 ms..5", "a=1..ms",   "a=5..1 ms"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_axis(text), Error);
  }
  SweepSpec spec;
  for (const char* text : {"", "1", "0/4", "5/4", "1/0", "a/b", "1/2/3", "-1/4", "1/999999999"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_shard(text, spec), Error);
  }
  CHECK_THROWS_AS(point_count({read_axis("a=1..1000000"), read_axis("b=1..1000000")}), Error);
}

TEST_CASE("a path that is varied twice is an error of usage") {
  const TemporaryFolder folder;
  SweepSpec spec = fleet(1);
  spec.axes = {read_axis("cluster.nodes=1..2"), read_axis("cluster.nodes=3..4")};
  SweepStore store{folder / "a.db", sweep_question(spec)};
  CHECK_THROWS_AS(run_sweep(spec, Catalog::builtin(), store), Error);
  CHECK(store.rows().empty());
}

TEST_CASE("two processes at one file do not disturb each other") {
  const TemporaryFolder folder;
  const SweepSpec spec = fleet(1);
  const std::string question = sweep_question(spec), once = csv_of(spec, folder / "once.db");
  SweepStore first{folder / "both.db", question}, second{folder / "both.db", question};
  SweepSpec mine = spec;
  // The second begins when the first has seen that nothing is done, and ends before it.
  bool begun = false;
  mine.progress = [&](std::uint64_t, std::uint64_t) {
    if (!begun) run_sweep(spec, Catalog::builtin(), second);
    begun = true;
  };
  run_sweep(mine, Catalog::builtin(), first);
  CHECK(sweep_csv(first) == once);
}

TEST_CASE("one thread, four threads, shards and interruptions give the same bytes") {
  const TemporaryFolder folder;
  const std::string once = csv_of(fleet(1), folder / "one.db");
  CHECK(csv_of(fleet(4), folder / "four.db") == once);

  // Three shards, joined.
  SweepSpec spec = fleet(2);
  const std::string question = sweep_question(spec);
  SweepStore joined{folder / "joined.db", question};
  for (int i = 1; i <= 3; ++i) {
    read_shard(std::to_string(i) + "/3", spec);
    const std::string part = folder / ("part" + std::to_string(i));
    csv_of(spec, part);
    joined.merge(part);
  }
  CHECK(sweep_csv(joined) == once);

  // Interrupted after each seven points, until nothing is left.
  SweepSpec stopping = fleet(1);
  int asked = 0;
  stopping.cancelled = [&asked] {
    return ++asked % 7 == 0;
  };
  std::uint64_t computed = 0;
  SweepSummary last;
  int runs = 0;
  do {
    SweepStore store{folder / "stop.db", question};
    last = run_sweep(stopping, Catalog::builtin(), store);
    computed += last.computed;
    ++runs;
  } while (last.cancelled && runs < 1000);
  CHECK(runs > 10);
  CHECK(computed == last.points);  // nothing twice
  CHECK(sweep_csv(SweepStore{folder / "stop.db", question}) == once);
}

TEST_CASE("a point that cannot be is a row with its reason") {
  const TemporaryFolder folder;
  const std::string csv = csv_of(fleet(1), folder / "a.db");
  // No times; the memory that it would take, and the limit that it breaks.
  CHECK(csv.find("\n100000,1,1,0,1,0,,,,,,") != std::string::npos);
  CHECK(csv.find(",,,,GPU memory\n") != std::string::npos);
}

TEST_CASE("a file of another sweep, or no sweep at all, is refused and left alone") {
  const TemporaryFolder folder;
  SweepSpec spec = fleet(1);
  spec.axes = {read_axis("cluster.nodes=1..2")};
  csv_of(spec, folder / "a.db");
  spec.axes = {read_axis("cluster.nodes=1..3")};
  CHECK_THROWS_AS(csv_of(spec, folder / "a.db"), Error);
  write_file_atomically(folder / "text.db", std::string(5000, 'x'));
  CHECK_THROWS_AS(csv_of(spec, folder / "text.db"), Error);
  sqlite3* other = nullptr;
  REQUIRE(sqlite3_open((folder / "other.db").c_str(), &other) == SQLITE_OK);
  REQUIRE(sqlite3_exec(other, "CREATE TABLE points(i)", nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(other);
  CHECK_THROWS_AS(csv_of(spec, folder / "other.db"), Error);
  CHECK_THROWS_AS(SweepStore::question_of(folder / "missing.db"), Error);
  CHECK_THROWS_AS(csv_of(spec, folder / "no/such/folder.db"), Error);
  SweepStore store{folder / "b.db", sweep_question(spec)};
  CHECK_THROWS_AS(store.merge(folder / "a.db"), Error);
}

TEST_CASE("a value that the scenario refuses ends the sweep with its message") {
  const TemporaryFolder folder;
  SweepSpec spec = fleet(2);
  spec.axes = {read_axis("cluster.nodes=0..1")};
  CHECK_THROWS_AS(csv_of(spec, folder / "a.db"), Error);
  spec.axes = {read_axis("cluster.nodse=1..2")};
  CHECK_THROWS_AS(csv_of(spec, folder / "b.db"), Error);
}

TEST_CASE("the Slurm script computes shards of the same command") {
  const std::string script = slurm_script("rackcast sweep s.json --vary a=1..9", "out.db", 12);
  CHECK(script.find("--array=1-12") != std::string::npos);
  CHECK(script.find("rackcast sweep s.json --vary a=1..9 --db out.db.part-\"$SLURM_ARRAY_TASK_ID\" --shard "
                    "\"$SLURM_ARRAY_TASK_ID\"/12") != std::string::npos);
}
