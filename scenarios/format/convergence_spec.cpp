#include "scenarios/format/convergence_spec.hpp"

#include <fmt/format.h>

#include "scenarios/format/scenario.hpp"
#include "scenarios/names/exchange_choice.hpp"

namespace rackcast {

namespace {

/// A single GPU knows its own gradients at once.
double staleness_of(const WorkloadSpec& workload, double batch) {
  if (batch <= workload.batch_per_gpu) return 0;
  return staleness_steps(exchange_named(workload.exchange));
}

}  // namespace

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

double epochs_at(const WorkloadSpec& workload, double batch) {
  if (!workload.convergence) return workload.epochs;
  const ConvergenceLaw& law = workload.convergence->law;
  return workload.epochs * batch_factor(law, batch) * staleness_factor(law, staleness_of(workload, batch));
}

std::string law_text(const WorkloadSpec& workload, double batch) {
  const ConvergenceLaw& law = workload.convergence->law;
  std::string text = fmt::format("x (1 + {:.0f}/{:g}) / (1 + {:g}/{:g})", batch, law.critical_batch,
                                 law.reference_batch, law.critical_batch);
  const double steps = staleness_of(workload, batch);
  if (steps > 0 && law.staleness_penalty)
    text += fmt::format(" x (1 + {:g} x {:g} stale)", *law.staleness_penalty, steps);
  return text;
}

}  // namespace rackcast
