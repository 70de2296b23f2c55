/// A step once more, for its timeline.
#include "models/split_tables.hpp"
#include "scenarios/evaluator_impl.hpp"
#include "sim/error.hpp"

namespace rackcast {

void Evaluator::trace(const Question& asked, Tracer& tracer) {
  std::optional<Question> kept;
  const Question& q = impl_->sized(asked, kept);
  const auto [phase, then] = impl_->longest(q);
  TrainingSpec training = impl_->spec(then, phase.hits);
  training.compute_scale = impl_->speed_under_cap(then);
  training.steps = static_cast<std::uint64_t>(steps(q));
  training.limits = impl_->remaining();
  try {
    train(impl_->cluster(then), training, &tracer);
  } catch (const LimitReached&) {  // a timeline is no reason to call the answer partial
  }
}

}  // namespace rackcast
