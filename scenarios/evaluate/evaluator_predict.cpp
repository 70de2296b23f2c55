#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "models/gpu/precision_support.hpp"
#include "models/gpu/rates_of.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/evaluate/evaluator_impl.hpp"
#include "scenarios/evaluate/single_gpu.hpp"
#include "scenarios/evidence/joint_spread.hpp"

namespace rackcast {

namespace {

/// One workload of a prediction, as modelled.
struct PredictedPart {
  Question q, single;   ///< as asked, and on one GPU
  FactorMatrix spread;  ///< of the factors: independent directions of one standard deviation (FactorBelief)
  double failures = 0;  ///< spread of the rate of failures
  double more = 1;      ///< work of a GPU of the cluster in a step over that of the single one
};

/// What of a step takes no time, to see the other part alone.
enum class Without { nothing, input, gpus };

/// Factor on the rates of that part: the other one alone sets the pace.
constexpr double no_time = 1000;

struct Figures {
  double time = 0, step = 0, efficiency = 0;
};

/// Of each figure, as ln: by direction.
struct MovesOf {
  Moves time{}, step{}, efficiency{};
};

double end_of(double moved, double middle) {
  return middle > 0 ? std::log(moved / middle) : 0;
}

/// Seconds of a question where the rates of the model are multiplied.
using ScaledTime = std::function<double(const Question&, const Scales&)>;

/// One prediction with its factors moved.
class Variations {
 public:
  Variations(ScaledTime step, ScaledTime training, std::vector<PredictedPart> parts, bool efficiency)
      : step_{std::move(step)},
        training_{std::move(training)},
        parts_{std::move(parts)},
        wants_efficiency_{efficiency} {}

  [[nodiscard]] Figures middle(Without without = Without::nothing) {
    return figures({}, 0, without, wants_efficiency_ && without == Without::nothing);
  }

  /// All figures around `middle`, moved along every direction that has a spread.
  [[nodiscard]] MovesOf moves(const Figures& middle, Without without = Without::nothing) {
    MovesOf out;
    const bool efficiency = wants_efficiency_ && without == Without::nothing;
    for (std::size_t direction = 0; direction < direction_count; ++direction) {
      if (!spreads(direction) || (without != Without::nothing && direction == failures)) continue;
      const Figures below = figures(direction, -half_of_90_percent, without, efficiency);
      const Figures above = figures(direction, half_of_90_percent, without, efficiency);
      out.time[direction] = {end_of(below.time, middle.time), end_of(above.time, middle.time)};
      out.step[direction] = {end_of(below.step, middle.step), end_of(above.step, middle.step)};
      if (efficiency)
        out.efficiency[direction] = {end_of(below.efficiency, middle.efficiency),
                                     end_of(above.efficiency, middle.efficiency)};
    }
    return out;
  }

  /// Both what brings samples and what the GPUs do move the figure.
  [[nodiscard]] bool side_by_side(const Moves& moves) const {
    constexpr double noticed = 1e-4;
    bool by_input = false, by_gpus = false;
    for (std::size_t d = 0; d < factor_count; ++d) {
      if (std::max(std::abs(moves[d].below), std::abs(moves[d].above)) < noticed) continue;
      for (const PredictedPart& part : parts_) {
        const bool storage = part.q.storage.array != "none";
        by_input = by_input || (storage && part.spread[index_of(Factor::input)][d] != 0);
        for (const Factor factor : {Factor::kernels, Factor::exchange, Factor::pace})
          by_gpus = by_gpus || part.spread[index_of(factor)][d] != 0;
      }
    }
    return by_input && by_gpus;
  }

 private:
  static constexpr std::size_t failures = factor_count;  ///< the direction

  [[nodiscard]] bool spreads(std::size_t direction) const {
    return std::ranges::any_of(parts_, [&](const PredictedPart& part) {
      return direction == failures ? part.failures > 0 : part.spread[direction][direction] > 0;
    });
  }

  /// Of the cluster, and of a single GPU, of which the pace of nodes together is no part.
  static std::pair<Scales, Scales> scales(const PredictedPart& part, std::size_t direction, double deviations,
                                          Without without) {
    Scales all, one;
    if (direction == failures) {
      all.failures = one.failures = std::exp(deviations * part.failures);
    } else {
      const auto moved = [&](Factor factor) {
        return deviations * part.spread[index_of(factor)][direction];
      };
      const double kernels = moved(Factor::kernels);
      all.compute = std::exp(kernels + moved(Factor::pace));
      all.network = std::exp(moved(Factor::exchange));
      all.input = std::exp(moved(Factor::input));
      one = all;
      one.compute = std::exp(kernels);
    }
    if (without == Without::input) all.input *= no_time;
    if (without == Without::gpus) {
      all.compute *= no_time;
      all.network *= no_time;
    }
    return {all, one};
  }

  [[nodiscard]] Figures figures(std::size_t direction, double deviations, Without without, bool efficiency) {
    Figures out;
    double perfect = 0;
    for (const PredictedPart& part : parts_) {
      const auto [all, one] = scales(part, direction, deviations, without);
      out.step = step_(part.q, all);
      const double time = training_(part.q, all);
      out.time += time;
      if (efficiency) perfect += time * (part.more * step_(part.single, one) / out.step);
    }
    if (efficiency) out.efficiency = perfect / out.time;
    return out;
  }

  ScaledTime step_, training_;
  std::vector<PredictedPart> parts_;
  bool wants_efficiency_;
};

Estimate estimate(double value, const SpreadQuantiles& spread, const char* unit) {
  return {value, value * std::exp(std::min(0.0, spread.low)), value * std::exp(std::max(0.0, spread.high)),
          unit, value * std::exp(spread.median)};
}

/// Of what falls where the figure rises.
Estimate inverse(double value, const SpreadQuantiles& spread, const char* unit) {
  return estimate(value, {-spread.high, -spread.median, -spread.low}, unit);
}

}  // namespace

Prediction Evaluator::predict(const Question& asked, bool wants_efficiency) {
  std::vector<PredictedPart> parts;
  for (const Question& as_asked : one_by_one(asked)) {
    std::optional<Question> kept;
    PredictedPart& part = parts.emplace_back();
    part.q = impl_->sized(as_asked, kept);
    part.spread = impl_->belief(part.q).root();
    if (part.q.failures) part.failures = failures(part.q)->node.log_sigma;
    if (!wants_efficiency) continue;
    part.single = on_one_gpu(part.q);
    part.more = work_of_gpu(part.q, run(part.q), run(part.single));
  }
  const bool one_workload = parts.size() == 1;
  Variations variations{
      [this](const Question& q, const Scales& scales) { return impl_->steady(q, scales).parts.total.base(); },
      [this](const Question& q, const Scales& scales) { return impl_->seconds(q, scales); }, std::move(parts),
      wants_efficiency};
  const Figures middle = variations.middle();
  const MovesOf moves = variations.moves(middle);
  SpreadQuantiles of_time, of_step;
  if (variations.side_by_side(moves.time)) {
    const Figures gpus = variations.middle(Without::input), input = variations.middle(Without::gpus);
    const MovesOf of_gpus = variations.moves(gpus, Without::input);
    const MovesOf of_input = variations.moves(input, Without::gpus);
    Moves beside{};
    beside[factor_count] = moves.time[factor_count];  // failures
    of_time = joint_spread(
        beside, SideBySide{gpus.time / middle.time, input.time / middle.time, of_gpus.time, of_input.time});
    of_step = joint_spread(
        {}, SideBySide{gpus.step / middle.step, input.step / middle.step, of_gpus.step, of_input.step});
  } else {
    of_time = joint_spread(moves.time);
    of_step = joint_spread(moves.step);
  }

  Prediction p;
  p.time_to_train = estimate(middle.time, of_time, "s");
  // An efficiency above one is possible in the middle (a cache that only many nodes fill), not by spread.
  if (wants_efficiency) {
    p.scaling_efficiency = estimate(middle.efficiency, joint_spread(moves.efficiency), "1");
    p.scaling_efficiency.high = std::min(std::max(1.0, middle.efficiency), p.scaling_efficiency.high);
  }
  if (!one_workload) return p;
  p.samples_per_s = inverse(run(asked).samples_per_step / middle.step, of_step, "1/s");
  p.step_time = estimate(middle.step, of_step, "s");
  return p;
}

std::vector<PartSwing> Evaluator::swings(const Question& asked) {
  std::vector<Question> parts;
  for (const Question& part : one_by_one(asked)) {
    std::optional<Question> kept;
    parts.push_back(impl_->sized(part, kept));
  }
  std::vector<PartSwing> out;
  const auto add = [&](const char* name, auto sigma_of, double Scales::*factor) {
    double widest = 0;
    for (const Question& q : parts) widest = std::max(widest, sigma_of(q));
    if (widest <= 0) return;
    PartSwing swing{name, std::exp(half_of_90_percent * widest), {}, {}};
    for (const Question& q : parts) {
      const double of_part = std::exp(half_of_90_percent * sigma_of(q));
      Scales scales;
      scales.*factor = 1 / of_part;
      swing.low += Duration{impl_->seconds(q, scales)};
      scales.*factor = of_part;
      swing.high += Duration{impl_->seconds(q, scales)};
    }
    out.push_back(std::move(swing));
  };
  add(
      "speed of kernels", [this](const Question& q) { return spread(q).compute; }, &Scales::compute);
  add(
      "speed of collectives", [this](const Question& q) { return spread(q).network; }, &Scales::network);
  add(
      "pace of nodes together", [this](const Question& q) { return spread(q).scaling; }, &Scales::compute);
  add(
      "speed of the input path", [this](const Question& q) { return spread(q).input; }, &Scales::input);
  add(
      "rate of failures",
      [this](const Question& q) { return q.failures ? failures(q)->node.log_sigma : 0.0; },
      &Scales::failures);
  return out;
}

std::optional<Error> Evaluator::Impl::refused(const ClusterSpec& cluster, const WorkloadSpec& w) {
  const GpuSpec& spec = node(cluster).gpu;
  auto it = trains_in.find(spec.id);
  if (it == trains_in.end())
    it = trains_in.emplace(spec.id, supported_precisions(gpu_rates(spec), PrecisionUse::training)).first;
  if (std::ranges::find(it->second, w.precision) != it->second.end()) return std::nullopt;
  const auto why =
      rackcast::precision_refusal(gpu_rates(spec), spec.name, w.precision, PrecisionUse::training);
  return Error{why.message, w.precision_where, why.hint};
}

}  // namespace rackcast
