#include "calibrate/box/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "calibrate/host/host_experiments.hpp"
#include "calibrate/host/host_info.hpp"
#include "calibrate/storage/storage_experiments.hpp"
#include "sim/base/error.hpp"
#include "sim/base/near_matches.hpp"

namespace rackcast {
namespace {

constexpr std::string_view effort_names[] = {"quick", "default", "thorough"};

struct EffortLimits {
  Duration budget;
  StopRule stop;
  Bytes file_size;
  int files;
};

EffortLimits limits_of(Effort effort) {
  switch (effort) {
    case Effort::quick:
      return {Duration{120},
              {.least_samples = 7, .most_samples = 50, .relative_width = 0.03},
              Bytes{256 << 20},
              256};
    case Effort::thorough:
      return {Duration{3600},
              {.least_samples = 15, .most_samples = 1000, .relative_width = 0.01},
              Bytes{4.0 * (1 << 30)},
              4096};
    case Effort::standard:
      break;
  }
  return {
      Duration{600}, {.least_samples = 9, .most_samples = 200, .relative_width = 0.02}, Bytes{1 << 30}, 1024};
}

void append(std::vector<Experiment>& all, std::vector<Experiment> more) {
  std::ranges::move(more, std::back_inserter(all));
}

void check_kinds(const std::vector<std::string>& only) {
  const std::vector<std::string> known = measurement_kinds();
  for (const std::string& kind : only) {
    if (std::ranges::count(known, kind) > 0) continue;
    std::string list;
    for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
    throw Error{
        fmt::format("unknown kind of measurement \"{}\"", kind), {}, "known: " + list, ErrorKind::usage};
  }
}

bool wanted(const RunRequest& request, std::string_view kind) {
  return request.only.empty() || std::ranges::count(request.only, kind) > 0;
}

bool wants_storage(const RunRequest& request) {
  return wanted(request, "storage_read") || wanted(request, "small_files") || wanted(request, "metadata");
}

/// Null if interrupted while the test files were written.
std::shared_ptr<StorageArea> create_area(const StoragePlan& plan, const MeasureHooks& hooks) {
  try {
    return StorageArea::create(plan, hooks.interrupted);
  } catch (const Error&) {
    if (!hooks.interrupted()) throw;
    return nullptr;
  }
}

void add_storage(const RunRequest& request, const EffortLimits& limits, const MeasureHooks& hooks, Box& box,
                 std::vector<Experiment>& experiments) {
  if (request.paths.empty()) box.not_measured.push_back({"storage", "no --path given"});
  for (std::size_t i = 0; i < request.paths.size(); ++i) {
    if (!wants_storage(request)) break;
    const StoragePlan plan{request.paths[i], fmt::format("path{}", i + 1), limits.file_size, limits.files,
                           request.seed};
    if (hooks.progress)
      hooks.progress({0, 0, Duration{0}, limits.budget, "writing test files for " + plan.label});
    const auto area = create_area(plan, hooks);
    if (!area) {
      box.not_measured.push_back({plan.label, "interrupted"});
      continue;
    }
    box.paths.push_back(area->facts());
    if (!area->facts().direct)
      box.warnings.push_back(plan.label +
                             ": the file system refuses O_DIRECT; cold reads drop the page cache instead, "
                             "which a network file system may ignore");
    append(experiments, storage_experiments(area, request.seed));
  }
}

}  // namespace

std::vector<std::string> measurement_kinds() {
  return {"cpu_gemm",   "memory_bandwidth", "jpeg_decode",   "storage_read",  "small_files",
          "metadata",   "gpu_gemm",         "gpu_conv",      "gpu_vector",    "gpu_attention",
          "gpu_memory", "gpu_launch",       "gpu_host_copy", "gpu_peer_copy", "gpu_collective"};
}

Box calibrate_run(const RunRequest& request, const std::shared_ptr<GpuDriver>& driver,
                  const std::string& reason, const MeasureHooks& hooks) {
  check_kinds(request.only);
  const EffortLimits limits = limits_of(request.effort);
  Box box;
  box.program = request.program;
  box.date = request.date;
  box.effort = effort_names[static_cast<std::size_t>(request.effort)];
  box.seed = request.seed;
  box.host = read_host_info();
  const HostPlan plan{std::max(1, box.host.threads),
                      box.host.memory > Bytes{0} ? box.host.memory : Bytes{4e9}, last_level_cache(),
                      request.seed, request.effort == Effort::thorough};
  std::vector<Experiment> experiments;
  append(experiments, cpu_gemm_experiments(plan));
  append(experiments, memory_experiments(plan));
  if (wanted(request, "jpeg_decode")) append(experiments, decode_experiments(plan));
  if (!can_decode()) box.not_measured.push_back({"JPEG decoding", "built without libjpeg-turbo"});
  const double begin = hooks.now();
  add_storage(request, limits, hooks, box, experiments);
  GpuSuite gpu = gpu_suite(driver, reason, request.effort, request.seed, request.gpus_of_nodes);
  box.gpus = gpu.gpus;
  std::ranges::move(gpu.not_measured, std::back_inserter(box.not_measured));
  append(experiments, std::move(gpu.experiments));
  std::erase_if(experiments, [&](const Experiment& e) { return !wanted(request, e.about.kind); });
  const Duration budget = request.budget > Duration{0} ? request.budget : limits.budget;
  const Duration rest{std::max(0.05 * budget.base(), budget.base() - (hooks.now() - begin))};
  MeasureOutcome outcome = measure(std::move(experiments), {rest, limits.stop, request.seed}, hooks);
  box.measurements = std::move(outcome.measurements);
  std::ranges::move(outcome.not_measured, std::back_inserter(box.not_measured));
  box.complete = outcome.complete && !hooks.interrupted();
  return box;
}

}  // namespace rackcast
