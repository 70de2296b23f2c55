#include "scenarios/questions/questions.hpp"

#include <fmt/format.h>

#include "scenarios/answer/explain.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/campaign/campaign.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/serving/service_result.hpp"
#include "scenarios/uncertainty/service_uncertainty.hpp"
#include "scenarios/uncertainty/uncertainty.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// Whether there is an answer, if only the best of what was known when a limit ended the run.
bool is_answered(const Result& result) {
  if (result.answer.feasible) return true;
  return result.partial &&
         (result.plan ? result.plan->chosen.has_value() : !result.prediction.time_to_train.unit.empty());
}

Answered answered(ServiceResult result, const Asked& asked) {
  result.command = asked.command;
  return {to_json_text(result), result.answer.feasible || result.partial};
}

Answered answered(Result result, const Asked& asked) {
  result.command = asked.command;
  return {to_json_text(result), is_answered(result)};
}

}  // namespace

Answered ask_size(const Asked& asked, const Catalog& catalog, const RunControl& control) {
  if (serves(asked.text))
    return answered(size_service(read_serving_scenario(asked.text, asked.file), catalog, control), asked);
  return answered(size(read_scenario(asked.text, asked.file), catalog, control), asked);
}

Answered ask_simulate(const Asked& asked, const Catalog& catalog, const RunControl& control, Tracer* tracer) {
  if (serves(asked.text))
    return answered(simulate_service(read_serving_scenario(asked.text, asked.file), catalog), asked);
  return answered(simulate(read_scenario(asked.text, asked.file), catalog, tracer, control), asked);
}

Answered ask_explain(const Asked& asked, const Catalog& catalog, std::string_view workload, int top) {
  const Scenario scenario = resolve_clusters(read_scenario(asked.text, asked.file), catalog);
  return {explain_step(scenario, catalog, workload, top)};
}

Answered ask_uncertainty(const Asked& asked, const Catalog& catalog, const RunControl& control,
                         std::size_t samples) {
  const auto progress = [&](std::size_t done, std::size_t about) {
    if (control.on_design) control.on_design(done, about);
    if (control.cancelled && control.cancelled())
      throw Error{fmt::format("interrupted after {} samples", done), {}, {}, ErrorKind::infeasible};
  };
  if (serves(asked.text)) {
    const Scenario scenario = resolve_clusters(read_serving_scenario(asked.text, asked.file), catalog);
    return {
        service_uncertainty_document(scenario, service_uncertainty(scenario, catalog, samples, progress))};
  }
  const Scenario scenario = resolve_clusters(read_scenario(asked.text, asked.file), catalog);
  return {uncertainty_document(scenario, uncertainty(scenario, catalog, samples, progress))};
}

Answered ask_campaign(const Asked& asked, const Catalog& catalog, const RunControl& control,
                      const std::function<void(Duration now, Duration all)>& on_time) {
  const Scenario scenario = resolve_clusters(read_scenario(asked.text, asked.file), catalog);
  const CampaignReport done = run_campaign(scenario, catalog, control, [&](Duration now) {
    if (on_time) on_time(now, scenario.campaign->duration);
  });
  return {campaign_document(scenario, done, asked.command)};
}

std::string check_scenario(const Asked& asked, const Catalog& catalog) {
  if (serves(asked.text)) {
    const Scenario scenario = read_serving_scenario(asked.text, asked.file);
    check_service_names(scenario, catalog);
    return fmt::format("{}: no errors ({}; serves {})", asked.file, scenario.name, scenario.serving->model);
  }
  const Scenario scenario = read_scenario(asked.text, asked.file);
  check_names(scenario, catalog);
  return fmt::format("{}: no errors ({}; {})", asked.file, scenario.name,
                     count_of(static_cast<double>(scenario.workloads.size()), "workload"));
}

}  // namespace rackcast
