/// The file that nccl-tests writes with -J, versions 1 to 3 of its form: "args", "nccl_version", "config"
/// with "devices", "results" with "out_of_place" and "in_place". "args" and "env" hold paths and secrets: of
/// these only the name of the test is looked at. Each process lists its first GPU alone and drives nthreads x
/// ngpus. Form: src/util.cu of nccl-tests 2.17 to 2.19.
#include <fmt/format.h>

#include "calibrate/import/nccl_tests_run.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

constexpr double most = 1e15;

double checked(const Json& json, double high) {
  const double value = json.number();
  if (!(value >= 0 && value <= high))
    json.fail(fmt::format("{} must lie between 0 and {:g}", json.name(), high));
  return value;
}

int count(const Json& json, int high) {
  const std::int64_t value = json.integer();
  if (value < 1 || value > high) json.fail(fmt::format("{} must lie between 1 and {}", json.name(), high));
  return static_cast<int>(value);
}

/// "/opt/nccl-tests/build/all_reduce_perf" -> "all_reduce_perf"; programs built with MPI may end in "_mpi".
std::string test_name(const Json& document) {
  const Json* args = document.find("args");
  if (!args || args->array().empty()) return {};
  const std::string& program = args->array().front().string();
  return program.substr(program.find_last_of('/') + 1);
}

/// Missing where the test ran in one place only ("null").
const Json* times_of(const Json& result) {
  for (const char* place : {"out_of_place", "in_place"})
    if (const Json* found = result.find(place); found && !found->is_null()) return found;
  return nullptr;
}

NcclTestsRow read_result(const Json& result) {
  NcclTestsRow row;
  row.bytes = checked(result.require("size"), most);
  if (const Json* operation = result.find("redop")) row.operation = operation->string();
  if (const Json* root = result.find("root")) row.root = std::string{trimmed(root->string())};
  const Json* times = times_of(result);
  if (!times) result.fail("the result has no times", "the test seems to have been stopped");
  if (times->find("cpu_time"))
    times->fail("these are times of the CPU, not of the operation", "run the test without -C");
  row.time_us = checked(times->require("time"), 1e12);
  row.bus_gb_per_s = checked(times->require("bus_bw"), 1e9);
  if (const Json* wrong = times->find("nwrong"); wrong && !wrong->is_null())
    row.wrong = checked(*wrong, most) >= 1;
  return row;
}

void read_devices(const Json& config, NcclTestsRun& run) {
  const Json& devices = config.require("devices");
  const int each = count(config.require("nthreads"), 1024) * count(config.require("ngpus"), 1024);
  for (const Json& device : devices.array()) {
    if (run.ranks > most_nccl_tests_ranks - each) device.fail("more than 65536 ranks");
    run.ranks += each;
    run.hosts.insert(device.require("hostname").string());
    run.gpus.insert(device.require("device_info").string());
  }
}

}  // namespace

NcclTestsRun read_nccl_tests_json(const ImportSource& source, ImportOutput& out) {
  const Json document = parse_json(std::string{source.text()}, source.name());
  NcclTestsRun run;
  run.test = test_name(document);
  if (const Json* version = document.find("nccl_version"))
    out.version = fmt::format("NCCL {}", count(*version, 1'000'000'000));
  read_devices(document.require("config"), run);
  const Json& results = document.require("results");
  for (const Json& result : results.array()) {
    if (run.rows.size() == most_nccl_tests_rows) result.fail("more than 10000 results");
    run.rows.push_back(read_result(result));
  }
  if (run.rows.empty()) results.fail("there are no results", "the test ended before its first size");
  if (const Json* bounds = document.find("out_of_bounds")) {
    const Json& okay = bounds->require("okay");
    run.failed = okay.kind() == JsonKind::boolean ? !okay.boolean() : okay.string() == "false";
  }
  return run;
}

}  // namespace rackcast
