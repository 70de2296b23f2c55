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

std::string description_of(const BoxHost& h) {
  return fmt::format("{} with {} threads", h.cpu_model, h.threads);
}

std::string description_of(const std::vector<BoxGpu>& gpus) {
  std::vector<std::string> out;
  for (const BoxGpu& g : gpus)
    out.push_back(fmt::format("{}, driver {}, runtime {}", g.name, g.driver, g.runtime));
  return fmt::format("{}", fmt::join(out, "; "));
}

/// Throws Error if `then`, of the earlier run, is not what this run has.
void check_same(const RunRequest& request, std::string_view what, const std::string& then,
                const std::string& now) {
  if (then == now) return;
  throw Error{
      fmt::format("cannot resume: the document's {} is \"{}\", but this run's is \"{}\"", what, then, now),
      Where{request.before_file},
      "use the same options on the same machine, or leave out --resume and write another document"};
}

/// What is known before anything is written or measured.
void check_same_run(const RunRequest& request, const Box& now) {
  if (!request.before) return;
  const Box& then = *request.before;
  check_same(request, "program", then.program, now.program);
  check_same(request, "effort", then.effort, now.effort);
  check_same(request, "seed", std::to_string(then.seed), std::to_string(now.seed));
  check_same(request, "host", description_of(then.host), description_of(now.host));
}

/// A path that one of the runs did not come to is no difference.
void take_over_paths(const RunRequest& request, Box& box) {
  for (const BoxPath& then : request.before->paths) {
    const auto now = std::ranges::find(box.paths, then.label, &BoxPath::label);
    if (now == box.paths.end()) {
      box.paths.push_back(then);
      continue;
    }
    check_same(request, "file system of " + then.label, then.filesystem, now->filesystem);
  }
}

/// Moves what the earlier run measured into `box`, and takes it from the experiments.
void take_over(const RunRequest& request, Box& box, std::vector<Experiment>& experiments) {
  check_same(request, "list of GPUs", description_of(request.before->gpus), description_of(box.gpus));
  take_over_paths(request, box);
  box.date = request.before->date;
  std::ranges::copy_if(request.before->measurements, std::back_inserter(box.measurements), is_kept);
  std::erase_if(experiments, [&](const Experiment& e) { return box.find(e.about.id) != nullptr; });
}

/// Between two writes of the growing document.
constexpr double seconds_between_keeps = 5;

/// Calls `keep` now and then with `box` and the outcome so far.
std::function<void(const MeasureOutcome&)> periodic_keep(const Box& box, const MeasureHooks& hooks,
                                                         const KeepBox& keep) {
  if (!keep) return {};
  return [&box, &keep, now = hooks.now, last = hooks.now()](const MeasureOutcome& outcome) mutable {
    if (now() - last < seconds_between_keeps) return;
    Box so_far = box;
    std::ranges::copy(outcome.measurements, std::back_inserter(so_far.measurements));
    std::ranges::copy(outcome.not_measured, std::back_inserter(so_far.not_measured));
    keep(so_far);
    last = now();
  };
}

}  // namespace

bool is_kept(const Measurement& earlier) {
  return earlier.stop != SampleEnd::interrupted;
}

std::vector<std::string> measurement_kinds() {
  return {"cpu_gemm",   "memory_bandwidth", "jpeg_decode",   "storage_read",  "small_files",
          "metadata",   "gpu_gemm",         "gpu_conv",      "gpu_vector",    "gpu_attention",
          "gpu_memory", "gpu_launch",       "gpu_host_copy", "gpu_peer_copy", "gpu_collective"};
}

Box calibrate_run(const RunRequest& request, const std::shared_ptr<GpuDriver>& driver,
                  const std::string& reason, const MeasureHooks& hooks, const KeepBox& keep) {
  check_kinds(request.only);
  const EffortLimits limits = limits_of(request.effort);
  Box box;
  box.program = request.program;
  box.date = request.date;
  box.effort = effort_names[static_cast<std::size_t>(request.effort)];
  box.seed = request.seed;
  box.host = read_host_info();
  check_same_run(request, box);
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
  if (request.before) take_over(request, box, experiments);
  MeasureHooks kept = hooks;
  kept.so_far = periodic_keep(box, hooks, keep);
  MeasureOutcome outcome = measure(std::move(experiments), {rest, limits.stop, request.seed}, kept);
  std::ranges::move(outcome.measurements, std::back_inserter(box.measurements));
  std::ranges::move(outcome.not_measured, std::back_inserter(box.not_measured));
  box.complete = outcome.complete && !hooks.interrupted();
  return box;
}

}  // namespace rackcast
