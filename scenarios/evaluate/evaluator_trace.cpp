/// A step once more, for its timeline.
#include "models/split/split_tables.hpp"
#include "scenarios/evaluate/evaluator_impl.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

std::string Evaluator::trace(const Question& asked, Tracer& tracer) {
  std::optional<Question> kept;
  const Question& q = impl_->sized(asked, kept);
  const auto [phase, then] = impl_->longest(q);
  TrainingSpec training = impl_->spec(then, phase.hits);
  training.compute_scale = impl_->speed_under_cap(then);
  if (then.workload.graph) {
    (void)impl_->replayed(then, impl_->cluster(then), training, &tracer);
    return {};
  }
  if (then.workload.parallelism) {
    std::string why_not;
    (void)impl_->split_over_gpus(then, impl_->cluster(then), training, &tracer, &why_not);
    return why_not;
  }
  training.steps = static_cast<std::uint64_t>(steps(q));
  training.limits = impl_->remaining();
  try {
    train(impl_->cluster(then), training, &tracer);
  } catch (const LimitReached&) {  // a timeline is no reason to call the answer partial
  }
  return {};
}

}  // namespace rackcast
