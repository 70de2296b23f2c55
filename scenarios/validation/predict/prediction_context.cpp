#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "models/frameworks/framework_parameters.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/workload.hpp"
#include "scenarios/validation/cases/cluster_of_case.hpp"
#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/error.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

bool is_known(const Catalog& catalog, const std::optional<std::string>& gpu) {
  const std::vector<std::string> known = catalog.ids("gpus");
  return gpu && std::ranges::find(known, *gpu) != known.end();
}

}  // namespace

PredictionContext::PredictionContext(const Catalog& catalog, const FittedConstants& constants)
    : catalog_{catalog}, evaluator_{catalog}, unseen_servers_{constants.unseen_servers} {
  for (const FrameworkProfile& profile : constants.profiles) replace_profile(profile);
  if (constants.links) replace_links(*constants.links);
  if (!constants.kernels) return;
  fitted_ = *constants.kernels;
  evaluator_.replace_kernels(fitted_);
}

const GpuCostModel& PredictionContext::gpu(const std::string& id, const FrameworkProfile& software) {
  std::unique_ptr<GpuCostModel>& slot = gpus_[{id, software.lowering()}];
  if (!slot) {
    try {
      const GpuRates rates = gpu_rates(gpu_spec(catalog_, id));
      slot = std::make_unique<GpuCostModel>(GpuCostModel::create(rates, software.lowering(), fitted_));
    } catch (const Error& e) {
      throw Unpredictable{"GPU \"" + id + "\": " + e.message()};
    }
  }
  return *slot;
}

void require_precision(const GpuCostModel& gpu, Precision precision, PrecisionUse use) {
  if (use != PrecisionUse::training && precision == Precision::mixed) precision = Precision::fp16;
  if (supports(gpu.gpu(), precision, use)) return;
  const PrecisionRefusal why = precision_refusal(gpu.gpu(), gpu.gpu().name, precision, use);
  throw Unpredictable{fmt::format("{} ({})", why.message, why.hint)};
}

const Cluster& PredictionContext::cluster(const ValidationCase& c) {
  Question q;
  q.cluster = cluster_of_case(catalog_, c);
  q.gpus = q.cluster.gpus_per_job;
  q.storage.array = "none";
  q.workload.model = "resnet50";  // whatever runs there
  return evaluator_.cluster(q);
}

void PredictionContext::know(std::span<const ValidationCase> cases) {
  for (const ValidationCase& c : cases) known_.emplace(c.id, &c);
}

const ValidationCase* PredictionContext::known(const std::string& id) const {
  const auto found = known_.find(id);
  return found != known_.end() ? found->second : nullptr;
}

void PredictionContext::replace_links(const Json& links) {
  auto changed = std::make_shared<CommData>(*comm_);
  changed->links = read_links(links);
  comm_ = std::move(changed);
  evaluator_.replace_collectives(comm_);
}

void PredictionContext::replace_profile(const FrameworkProfile& profile) {
  replaced_.insert_or_assign(profile.id, profile);
  evaluator_.replace_profile(profile);
}

FrameworkProfile PredictionContext::profile(const ValidationCase& c) const {
  FrameworkProfile profile = profile_of(catalog_, c);
  const auto replaced = replaced_.find(profile.id);
  if (replaced != replaced_.end()) take_numbers(profile, replaced->second);
  return profile;
}

std::string PredictionContext::generation(const ValidationCase& c) const {
  return is_known(catalog_, c.system.gpu) ? gpu_spec(catalog_, *c.system.gpu).line.name : "";
}

std::string server_name_of(const ValidationCase& c) {
  const bool bench = c.workload.framework == "tensorrt-llm" &&
                     text_in(c.workload.extra, "load").value_or("") == "offline, saturated";
  return bench ? "trtllm_bench" : c.workload.framework;
}

ServerHabits PredictionContext::server(const ValidationCase& c) const {
  // Who measured before 2026 and states no version had one of the older kind.
  const std::string_view version =
      c.workload.framework_version.empty() ? "0.0" : std::string_view{c.workload.framework_version};
  const std::string asked = server_name_of(c);
  std::optional<GpuSpec> gpu;
  if (is_known(catalog_, c.system.gpu)) gpu = gpu_spec(catalog_, *c.system.gpu);
  ServerHabits habits = server_habits(asked, version, gpu ? &*gpu : nullptr);
  if (unseen_servers_.contains(asked)) {
    const ServerTimes times = unseen_server_times(asked);
    habits.arriving = times.arriving;
    habits.between_passes = times.between_passes;
    habits.per_request = times.per_request;
    habits.passes_waited = times.passes_waited;
  }
  return habits;
}

const Workload& PredictionContext::workload(const ValidationCase& c) {
  std::unique_ptr<Workload>& slot = workloads_[workload_key(c)];
  if (!slot) slot = std::make_unique<Workload>(workload_of_case(c));
  return *slot;
}

}  // namespace rackcast
