#include "scenarios/format/convergence_spec.hpp"

#include "scenarios/format/scenario.hpp"
#include "scenarios/names/exchange_choice.hpp"

namespace rackcast {

ConvergenceSpec read_convergence(const Json& json) {
  ObjectReader in{json};
  ConvergenceSpec out;
  out.where = json.where();
  out.law.critical_batch = in.number("critical_batch", 1, 1e12);
  out.law.reference_batch = in.number("reference_batch", 1, 1e12);
  if (in.has("staleness_penalty")) out.law.staleness_penalty = in.number("staleness_penalty", 0, 10);
  out.source = in.string_or("source", "");
  in.finish();
  return out;
}

double staleness_of(const WorkloadSpec& workload, double batch) {
  if (batch <= workload.batch_per_gpu) return 0;
  return staleness_steps(exchange_named(workload.exchange));
}

double epochs_at(const WorkloadSpec& workload, double batch) {
  if (!workload.convergence) return workload.epochs;
  const ConvergenceLaw& law = workload.convergence->law;
  return workload.epochs * batch_factor(law, batch) * staleness_factor(law, staleness_of(workload, batch));
}

}  // namespace rackcast
