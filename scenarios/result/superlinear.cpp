#include "scenarios/result/superlinear.hpp"

#include <algorithm>
#include <array>

#include "scenarios/evaluate/single_gpu.hpp"
#include "scenarios/result/result.hpp"

namespace rackcast {

namespace {

/// Reports print percentages with three digits: 100.05 % is not 100 %.
constexpr double noticeable = 0.0005;

struct Part {
  const char* code;
  Duration together, alone;
};

}  // namespace

std::optional<doc::Reason> superlinear_note(Evaluator& evaluator, const Question& question,
                                            const std::vector<ScalingRow>& rows) {
  if (rows.empty()) return std::nullopt;
  const ScalingRow& best = *std::ranges::max_element(
      rows, {}, [](const ScalingRow& row) { return row.prediction.scaling_efficiency.value; });
  const double efficiency = best.prediction.scaling_efficiency.value;
  if (efficiency < 1 + noticeable) return std::nullopt;
  Question q = question;
  q.cluster.nodes = best.nodes;
  const TrainingRun& whole = evaluator.run(q);
  const TrainingRun& alone = evaluator.run(on_one_gpu(q));
  const double more = work_of_gpu(q, whole, alone);
  const StepParts &a = whole.parts, &b = alone.parts;
  const std::array parts{Part{"optimizer", a.optimizer, more * b.optimizer},
                         Part{"input", a.input_wait, more * b.input_wait},
                         Part{"kernels", a.forward + a.backward, more * (b.forward + b.backward)}};
  const Part& shorter =
      *std::ranges::max_element(parts, {}, [](const Part& part) { return part.alone - part.together; });
  return doc::Reason{"superlinear",
                     {{"workload", evaluator.workload(question.workload).title},
                      {"part", shorter.code},
                      {"gpus", best.gpus},
                      {"efficiency", efficiency},
                      {"part_s", shorter.together.base()},
                      {"alone_s", shorter.alone.base()}}};
}

}  // namespace rackcast
