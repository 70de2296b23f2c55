#include "calibrate/gpu/gpu_experiments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// What all experiments of a run share: once a device is lost, nothing more is asked of the driver.
struct Session {
  std::shared_ptr<GpuDriver> driver;
  std::string lost;  ///< why, empty while all is well
};

void require(Session& session, const GpuOutcome& outcome) {
  if (outcome.error.empty()) return;
  if (outcome.fatal) session.lost = outcome.error;
  throw Error{outcome.error};
}

class GpuTrial : public Trial {
 public:
  GpuTrial(std::shared_ptr<Session> session, int device, const GpuTask& task) : session_(std::move(session)) {
    if (!session_->lost.empty()) throw Error{"the GPU was lost before: " + session_->lost};
    require(*session_, session_->driver->prepare(device, task, work_));
    double first = 0;
    require(*session_, work_->run(1, first));  // loads kernels, lets libraries choose
    double second = 0;
    require(*session_, work_->run(1, second));
    repeats_ = std::min(repeats_for(second), 10000);
  }

  /// Seconds of one of the calls that were timed together.
  double sample() override {
    double seconds = 0;
    require(*session_, work_->run(repeats_, seconds));
    return seconds / repeats_;
  }

  [[nodiscard]] bool verifies() const override { return work_->verifies(); }

  std::string verify() override {
    std::string wrong;
    require(*session_, work_->verify(wrong));
    return wrong;
  }

 private:
  std::shared_ptr<Session> session_;
  std::unique_ptr<GpuWork> work_;
  int repeats_ = 1;
};

Conditions conditions_of(GpuDriver& driver, int device) {
  const GpuReading r = driver.read(device);
  Conditions c;
  if (r.clock_mhz >= 0) c.clock_mhz = r.clock_mhz;
  if (r.power_w >= 0) c.power_w = r.power_w;
  if (r.temperature_c >= 0) c.temperature_c = r.temperature_c;
  c.throttle = r.throttle;
  return c;
}

Experiment experiment_of(const std::shared_ptr<Session>& session, int device, const NamedTask& named,
                         std::uint64_t seed) {
  Experiment e;
  const bool several = named.task.kind == GpuTaskKind::collective;
  e.about.kind = named.kind;
  e.about.device = named.task.kind == GpuTaskKind::peer_copy
                       ? fmt::format("gpu{}-gpu{}", device, named.task.peer)
                   : named.task.numbers.contains("nodes") ? "nodes"
                   : several                              ? "gpus"
                                                          : fmt::format("gpu{}", device);
  const bool own_name = device == 0 || several || named.task.kind == GpuTaskKind::peer_copy;
  e.about.id = own_name ? named.id : fmt::format("{}/gpu{}", named.id, device);
  for (const auto& [key, value] : named.task.numbers) e.about.numbers[key] = static_cast<double>(value);
  e.about.labels["precision"] = named.task.precision;
  if (!named.task.pattern.empty()) e.about.labels["pattern"] = named.task.pattern;
  if (named.task.kind == GpuTaskKind::host_copy)
    e.about.labels["memory"] = named.task.pinned ? "pinned" : "pageable";
  e.about.amount = named.amount;
  e.about.amount_unit = named.amount_unit;
  GpuTask task = named.task;
  task.seed = seed;
  e.prepare = [session, device, task] {
    return std::make_unique<GpuTrial>(session, device, task);
  };
  e.conditions = [session, device] {
    return session->lost.empty() ? conditions_of(*session->driver, device) : Conditions{};
  };
  return e;
}

BoxGpu box_gpu(const GpuFacts& f) {
  return {f.name,
          f.compute_capability,
          f.driver,
          f.runtime,
          f.libraries,
          f.sm_count,
          Bytes{f.memory_bytes},
          Bytes{f.l2_bytes},
          Bandwidth{f.memory_bytes_per_s},
          f.clock_mhz};
}

struct Part {
  std::string_view name;
  GpuTaskKind kind;
  std::string_view library;  ///< that it needs
};
constexpr Part parts[] = {{"GPU matrix products", GpuTaskKind::gemm, "cuBLAS"},
                          {"GPU convolutions", GpuTaskKind::convolution, "cuDNN"},
                          {"GPU vector kernels", GpuTaskKind::vector, ""},
                          {"GPU attention", GpuTaskKind::attention, "cuBLAS"},
                          {"GPU memory", GpuTaskKind::memory, ""},
                          {"GPU kernel launch", GpuTaskKind::launch, ""},
                          {"copies between host and GPU", GpuTaskKind::host_copy, ""},
                          {"copies between GPUs", GpuTaskKind::peer_copy, ""},
                          {"NCCL collectives", GpuTaskKind::collective, "NCCL"}};

std::vector<NamedTask> tasks_of(GpuTaskKind kind, const std::vector<GpuFacts>& facts, Effort effort) {
  const GpuFacts& first = facts.front();
  const bool half = std::ranges::count(first.precisions, "fp16") > 0;
  switch (kind) {
    case GpuTaskKind::gemm:
      return gemm_tasks(first.precisions, first.sm_count, effort);
    case GpuTaskKind::convolution:
      return convolution_tasks(half, effort);
    case GpuTaskKind::vector:
      return vector_tasks(effort);
    case GpuTaskKind::attention:
      return attention_tasks(half, effort);
    case GpuTaskKind::memory:
      return memory_tasks(effort);
    case GpuTaskKind::launch:
      return launch_tasks();
    case GpuTaskKind::host_copy:
      return host_copy_tasks(effort);
    case GpuTaskKind::collective:
      return collective_tasks(static_cast<int>(facts.size()), effort);
    case GpuTaskKind::peer_copy:
      break;  // for each pair, see below
  }
  return {};
}

/// Is another GPU of the box as good as the first? Matrix rate, memory, and its own way to the host.
std::vector<NamedTask> short_check(const GpuFacts& facts) {
  std::vector<NamedTask> out;
  for (const NamedTask& t : gemm_tasks(facts.precisions, facts.sm_count, Effort::quick))
    if (t.task.numbers.at("m") == 4096 && t.task.numbers.at("n") == 4096 && t.task.numbers.at("k") == 4096)
      out.push_back(t);
  for (const NamedTask& t : memory_tasks(Effort::quick))
    if (t.task.pattern == "copy") out.push_back(t);
  for (const NamedTask& t : host_copy_tasks(Effort::quick))
    if (t.task.pinned) out.push_back(t);
  return out;
}

}  // namespace

GpuSuite gpu_suite(const std::shared_ptr<GpuDriver>& driver, const std::string& reason, Effort effort,
                   std::uint64_t seed, const std::vector<int>& gpus_of_nodes) {
  GpuSuite suite;
  std::vector<GpuFacts> facts;
  std::string why = reason;
  if (driver) {
    const GpuOutcome outcome = driver->devices(facts);
    why = outcome.error.empty() ? "no device" : "no device: " + outcome.error;
  }
  const auto session = std::make_shared<Session>(Session{driver, {}});
  for (const GpuFacts& f : facts) suite.gpus.push_back(box_gpu(f));
  const int count = static_cast<int>(facts.size());
  const auto add = [&](int device, const std::vector<NamedTask>& tasks) {
    for (const NamedTask& task : tasks)
      suite.experiments.push_back(experiment_of(session, device, task, seed));
  };
  for (const Part& part : parts) {
    const bool pairs = part.kind == GpuTaskKind::peer_copy || part.kind == GpuTaskKind::collective;
    if (facts.empty()) {
      suite.not_measured.push_back({std::string{part.name}, why});
    } else if (!driver->has(part.kind)) {
      suite.not_measured.push_back({std::string{part.name}, fmt::format("built without {}", part.library)});
    } else if (pairs && count < 2) {
      suite.not_measured.push_back({std::string{part.name}, "one GPU only"});
    } else {
      add(0, tasks_of(part.kind, facts, effort));
    }
  }
  if (facts.empty() || !driver->has(GpuTaskKind::collective) || gpus_of_nodes.size() < 2) {
    suite.not_measured.push_back(
        {"NCCL collectives across nodes", facts.empty() ? why
                                          : !driver->has(GpuTaskKind::collective)
                                              ? "built without NCCL"
                                              : "one node only; mpirun and --leader measure several"});
  } else {
    add(0, node_collective_tasks(gpus_of_nodes, effort));
  }
  if (count < 2) return suite;
  for (int device = 0; device < count; ++device) {
    if (device > 0) add(device, short_check(facts[static_cast<std::size_t>(device)]));
    add(device, peer_tasks(device, count, effort));
  }
  return suite;
}

}  // namespace rackcast
