#include "scenarios/validation/predict/server_of_case.hpp"

#include <algorithm>

#include "scenarios/validation/cases/exchange_of_case.hpp"
#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/cases/split_of_case.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "scenarios/validation/settings/publications.hpp"
#include "sim/base/error.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

/// Precision of the products. Checkpoints come in 16 bits where nothing is stated.
Precision served_precision(const ValidationCase& c) {
  return c.workload.precision ? precision_of(c) : Precision::bf16;
}

}  // namespace

GenerationPasses ServerOfCase::passes(std::optional<int> requests) const {
  return generation_passes(*cluster, shape, *gpu, profile, comm, spec, requests);
}

ServerOfCase server_of_case(PredictionContext& context, const ValidationCase& c, const Json& split,
                            double prompt, double output) {
  if (!c.system.gpu) throw Unpredictable{"GPU not stated", "gpu"};
  const auto shape = known_transformer(context, c);
  if (!shape) throw Unpredictable{"tokens of a network other than a plain transformer: no model yet"};
  ServerOfCase out;
  out.shape = *shape;
  out.spec.tensor = ways_of(split, "tp");
  out.spec.pipeline = ways_of(split, "pp");
  if (shape->experts > 0) {
    // Copies of a dense network answer on their own. Experts over more GPUs than attention is cut over: each
    // of these groups has attention of its own.
    out.spec.expert = ways_of(split, "ep");
    out.spec.replicas = std::max(ways_of(split, "dp"), out.spec.expert / out.spec.tensor);
  }
  out.spec.speculation = speculation_of(drafts_of(c, out.spec.replicas));
  out.spec.prompt = prompt;
  out.spec.output = output;
  out.spec.precision = served_precision(c);
  out.spec.server = context.server(c);
  out.spec.memory = gpu_spec(context.catalog(), *c.system.gpu).available_memory();
  out.profile = context.profile(c);
  out.cluster = &context.cluster(c);
  out.comm = exchange_of_case(c, out.profile, out.cluster->used_nodes()).comm;
  out.gpu = &context.gpu(*c.system.gpu, out.profile);
  require_precision(*out.gpu, out.spec.precision, PrecisionUse::generation);
  return out;
}

}  // namespace rackcast
