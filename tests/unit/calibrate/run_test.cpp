// Measuring this machine's CPU and a temporary folder: control flow and plausibility, no speed.
#include "calibrate/box/run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "calibrate/host/host_info.hpp"
#include "calibrate/host/team.hpp"
#include "calibrate/storage/storage_experiments.hpp"
#include "sim/base/error.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

namespace rackcast {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream{file} << text;
}

TEST_CASE("a team runs a task on each of its threads and hands on exceptions") {
  Team team{3};
  std::array<int, 3> seen{};
  const double seconds = team.run([&](int i) { seen[static_cast<std::size_t>(i)] = i + 1; });
  CHECK(seen == std::array<int, 3>{1, 2, 3});
  CHECK(seconds > 0);
  CHECK_THROWS_AS(team.run([](int i) {
    if (i == 1) throw Error{"broken"};
  }),
                  Error);
  team.run([&](int i) { seen[static_cast<std::size_t>(i)] = 0; });
  CHECK(seen == std::array<int, 3>{});
}

TEST_CASE("the host is described from proc and sys") {
  const TemporaryFolder folder;
  put(folder / "proc/cpuinfo",
      "processor\t: 0\nmodel name\t: CPU X\nphysical id\t: 0\ncore id\t\t: 0\ncpu MHz\t\t: 2000.0\n\n"
      "processor\t: 1\nmodel name\t: CPU X\nphysical id\t: 0\ncore id\t\t: 1\ncpu MHz\t\t: 3000.0\n\n"
      "processor\t: 2\nmodel name\t: CPU X\nphysical id\t: 1\ncore id\t\t: 0\ncpu MHz\t\t: 2500.0\n\n"
      "processor\t: 3\nmodel name\t: CPU X\nphysical id\t: 1\ncore id\t\t: 1\ncpu MHz\t\t: 2500.0\n");
  put(folder / "proc/meminfo", "MemTotal:       1000 kB\nMemFree: 5 kB\n");
  put(folder / "proc/loadavg", "0.20 0.18 0.12 3/80 11206\n");
  put(folder / "sys/devices/system/cpu/cpu0/cache/index3/size", "2048K\n");
  fs::create_directories(folder / "sys/devices/system/node/node0");
  fs::create_directories(folder / "sys/devices/system/node/node1");
  const BoxHost host = read_host_info(folder.path());
  CHECK(host.cpu_model == "CPU X");
  CHECK(host.sockets == 2);
  CHECK(host.cores == 4);  // core 0 and 1 of each socket
  CHECK(host.threads == 4);
  CHECK(host.numa_nodes == 2);
  CHECK(host.memory == Bytes{1024000});
  const Conditions c = cpu_conditions(folder.path());
  CHECK(*c.load == 0.5);        // two others run on four threads
  CHECK(*c.clock_mhz == 2500);  // mean
  CHECK(last_level_cache(folder.path()) == Bytes{2097152});
  CHECK(last_level_cache(folder / "nothing") == Bytes{33554432});
  CHECK_FALSE(cpu_conditions(folder / "nothing").load.has_value());
}

TEST_CASE("storage of a folder is measured and leaves nothing behind") {
  const TemporaryFolder folder;
  {
    const auto area =
        StorageArea::create({folder.path(), "path1", Bytes{16 << 20}, 8, 1}, [] { return false; });
    CHECK(area->facts().file_size == Bytes{16 << 20});
    CHECK(area->small_files() == 8);
    std::vector<Experiment> experiments = storage_experiments(area, 1);
    CHECK(experiments.size() == 15);  // 3 sequential, 1 warm, 8 random, 2 small files, 1 metadata
    const auto out =
        measure(experiments, {.budget = Duration{2}, .stop = {.least_samples = 1, .most_samples = 2}},
                {steady_seconds, [] {
                   return false;
                 }});
    for (const NotMeasured& n : out.not_measured) {
      CAPTURE(n.what);
      CHECK(n.reason == "time ran out");
    }
    CHECK_FALSE(out.measurements.empty());
    for (const Measurement& m : out.measurements) {
      CHECK(m.rate() > 0);
      CHECK(m.device == "path1");
    }
  }
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("storage errors say what to do") {
  const auto never = [] {
    return false;
  };
  CHECK_THROWS_WITH_AS(StorageArea::create({"/no/such/folder", "path1"}, never),
                       doctest::Contains("is not a folder"), Error);
  const TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(StorageArea::create({folder.path(), "path1"}, [] { return true; }),
                       doctest::Contains("interrupted"), Error);
  CHECK(fs::is_empty(folder.path()));
  CHECK_THROWS_WITH_AS(StorageArea::create({folder.path(), "path1", Bytes{1e6}}, never),
                       doctest::Contains("too little free space"), Error);
}

TEST_CASE("a run on a machine without GPUs measures the CPU and lists the rest") {
  RunRequest request;
  request.effort = Effort::quick;
  request.budget = Duration{1.5};
  request.program = "test";
  request.date = "2024-05-01";
  const Box box = calibrate_run(request, nullptr, "built without CUDA", {steady_seconds, [] {
                                                                           return false;
                                                                         }});
  CHECK_FALSE(box.measurements.empty());
  CHECK(box.host.threads >= 1);
  const auto listed = [&](const std::string& what, const std::string& reason) {
    return std::ranges::count(box.not_measured, NotMeasured{what, reason}) == 1;
  };
  CHECK(listed("NCCL collectives", "built without CUDA"));
  CHECK(listed("GPU matrix products", "built without CUDA"));
  CHECK(listed("storage", "no --path given"));
  for (const Measurement& m : box.measurements)
    if (m.verified) CHECK(*m.verified);
  CHECK(read_box(box_text(box), "box").measurements.size() == box.measurements.size());
}

TEST_CASE("a run goes on where an earlier one stopped, and measures nothing twice") {
  RunRequest request;
  request.effort = Effort::quick;
  request.budget = Duration{0.2};
  request.program = "test";
  request.date = "2024-05-01";
  request.only = {"memory_bandwidth"};
  const MeasureHooks steady{steady_seconds, [] {
                              return false;
                            }};
  const Box first = calibrate_run(request, nullptr, "", steady);
  REQUIRE_FALSE(first.measurements.empty());
  request.before = first;
  request.before->measurements.resize(1);
  request.before->measurements.front().samples = {12.5};  // nothing takes that long: it was kept
  request.before_file = "box.json";
  request.date = "2024-05-02";
  const Box second = calibrate_run(request, nullptr, "", steady);
  CHECK(second.date == "2024-05-01");
  CHECK(second.measurements.front() == request.before->measurements.front());
  std::set<std::string> ids;
  for (const Measurement& m : second.measurements) CHECK(ids.insert(m.id).second);
  CHECK(read_box(box_text(second), "box").measurements.size() == second.measurements.size());
  SUBCASE("a measurement that was interrupted is taken again") {
    request.before->measurements.front().stop = SampleEnd::interrupted;
    const Box third = calibrate_run(request, nullptr, "", steady);
    const Measurement* again = third.find(first.measurements.front().id);
    CHECK((!again || again->samples != std::vector<double>{12.5}));
  }
  SUBCASE("what differs is refused") {
    const auto refused = [&](const char* what) {
      CHECK_THROWS_WITH_AS(calibrate_run(request, nullptr, "", steady), doctest::Contains(what), Error);
    };
    request.before->program = "other";
    refused("program is \"other\", but this run's is \"test\"");
    request.before->program = "test";
    request.before->effort = "thorough";
    refused("effort is \"thorough\", but this run's is \"quick\"");
    request.before->effort = "quick";
    request.before->host.threads += 1;
    refused("host is ");
    request.before->host = first.host;
    request.before->gpus.emplace_back().name = "Fake";
    refused("list of GPUs is \"Fake, driver , runtime \", but this run's is \"\"");
    request.before->gpus.clear();
    const TemporaryFolder disk;
    request.before->paths.push_back({.label = "path1", .filesystem = "punched cards"});
    request.paths = {disk.path()};
    request.only.push_back("metadata");
    refused("file system of path1 is \"punched cards\", but this run's is ");
    request.paths.clear();  // not come to, as in a run that was interrupted before
    CHECK(calibrate_run(request, nullptr, "", steady).paths.size() == 1);
    request.only.pop_back();
    request.seed = 2;
    refused("seed is \"1\", but this run's is \"2\"");
  }
}

TEST_CASE("what is measured is kept every few seconds") {
  RunRequest request;
  request.effort = Effort::quick;
  request.budget = Duration{20};
  request.only = {"memory_bandwidth"};
  double clock = 0;  // a look at it is a second of work
  std::vector<Box> kept;
  const auto seconds = [&] {
    return clock += 1;
  };
  const Box whole = calibrate_run(request, nullptr, "",
                                  {seconds,
                                   [] {
                                     return false;
                                   }},
                                  [&](const Box& box) { kept.push_back(box); });
  REQUIRE_FALSE(kept.empty());
  for (const Box& box : kept) {
    CHECK_FALSE(box.complete);
    CHECK(read_box(box_text(box), "box").measurements.size() == box.measurements.size());
  }
  CHECK(kept.front().measurements.size() <= whole.measurements.size());
}

TEST_CASE(
    "test files of a run that was killed are removed by the next one, and those of a run that lives are "
    "not") {
  const TemporaryFolder folder;
  const auto create = [&] {
    return StorageArea::create({folder.path(), "path1", Bytes{16 << 20}, 1, 1}, [] { return false; });
  };
  auto lives = create();
  const fs::path of_it = lives->folder();
  const std::string stem = of_it.string().substr(0, of_it.string().size() - 6);
  put(fs::path{stem + "killed"} / "large", "left");
  put(fs::path{stem + "killed"} / "small/00000", "left");
  put(fs::path{stem + "strang"} / "thesis.tex", "somebody's");
  put(fs::path{stem + "longer name"} / "large", "somebody's");
  fs::create_directory_symlink(of_it, stem + "symlnk");
  {
    const auto next = create();
    CHECK(fs::exists(of_it / "large"));
    CHECK_FALSE(fs::exists(stem + "killed"));
    CHECK(fs::exists(fs::path{stem + "strang"} / "thesis.tex"));
    CHECK(fs::exists(fs::path{stem + "longer name"} / "large"));
    CHECK(fs::exists(fs::path{stem + "symlnk"}));
  }
  lives.reset();
  CHECK_FALSE(fs::exists(of_it));
}

TEST_CASE("an unknown kind is a usage error that lists the known ones") {
  RunRequest request;
  request.only = {"gpu_gem"};
  try {
    calibrate_run(request, nullptr, "", {steady_seconds, [] {
                                           return false;
                                         }});
    FAIL("accepted");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::usage);
    CHECK(e.hint().find("gpu_gemm") != std::string::npos);
  }
}

}  // namespace
}  // namespace rackcast
