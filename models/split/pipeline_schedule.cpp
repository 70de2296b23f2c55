#include "models/split/pipeline_schedule.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

class StageOrder {
 public:
  StageOrder(const PipelineShape& shape, int stage)
      : shape_{shape}, stage_{stage}, all_{shape.micro_batches * shape.parts} {}

  std::vector<PipelinePass> passes() {
    const std::int64_t ahead = passes_ahead();
    const bool cut = shape_.schedule == PipelineSchedule::zero_bubble;
    const std::int64_t held = cut ? stage_ : 0;
    for (std::int64_t i = 0; i < ahead; ++i) add(i, PassKind::forward);
    for (std::int64_t i = 0; i < all_; ++i) {
      if (i + ahead < all_) add(i + ahead, PassKind::forward);
      add(i, cut ? PassKind::input_gradient : PassKind::backward);
      if (cut && i >= held) add(i - held, PassKind::weight_gradient);
    }
    for (std::int64_t i = std::max<std::int64_t>(0, all_ - held); cut && i < all_; ++i)
      add(i, PassKind::weight_gradient);
    return std::move(out_);
  }

 private:
  /// Forward passes before the first backward one, less the one right before it.
  [[nodiscard]] std::int64_t passes_ahead() const {
    if (shape_.schedule == PipelineSchedule::gpipe) return all_;
    const std::int64_t behind = shape_.stages - stage_ - 1;
    if (shape_.parts == 1) return std::min(behind, all_);
    // With one round alone the interleaved schedule goes forward through all of it first.
    if (shape_.micro_batches == shape_.stages) return all_;
    return std::min(2 * behind + (shape_.parts - 1) * std::int64_t{shape_.stages}, all_);
  }

  /// The pass that is number `i` of its kind.
  void add(std::int64_t i, PassKind kind) {
    PipelinePass& pass = out_.emplace_back();
    pass.kind = kind;
    pass.micro_batch = i;
    const bool forward = kind == PassKind::forward;
    if (shape_.parts > 1) {
      const std::int64_t round = i / (std::int64_t{shape_.stages} * shape_.parts),
                         within = i % (std::int64_t{shape_.stages} * shape_.parts);
      const auto part = static_cast<int>(within / shape_.stages);
      pass.part = forward ? part : shape_.parts - 1 - part;
      pass.micro_batch = round * shape_.stages + within % shape_.stages;
    }
    const bool first = stage_ == 0 && pass.part == 0,
               final = stage_ == shape_.stages - 1 && pass.part == shape_.parts - 1;
    if (kind != PassKind::weight_gradient) {
      pass.receives = forward ? !first : !final;
      pass.sends = forward ? !final : !first;
    }
    pass.first = forward && pass.micro_batch == 0;
    pass.last = pass.micro_batch + 1 == shape_.micro_batches &&
                (kind == PassKind::backward || kind == PassKind::weight_gradient);
  }

  const PipelineShape& shape_;
  int stage_;
  std::int64_t all_;
  std::vector<PipelinePass> out_;
};

}  // namespace

std::string_view to_string(PipelineSchedule schedule) {
  switch (schedule) {
    case PipelineSchedule::gpipe:
      return "gpipe";
    case PipelineSchedule::zero_bubble:
      return "zero_bubble";
    case PipelineSchedule::one_f_one_b:
      break;
  }
  return "1f1b";
}

std::int64_t whole_micro_batches(const PipelineShape& shape, double asked) {
  const auto whole = static_cast<std::int64_t>(std::ceil(asked * (1 - 1e-12)));
  const std::int64_t unit = shape.parts > 1 ? shape.stages : 1;
  return std::max<std::int64_t>(1, (whole + unit - 1) / unit) * unit;
}

std::vector<PipelinePass> stage_order(const PipelineShape& shape, int stage) {
  if (shape.micro_batches < 1 || shape.stages < 1 || shape.parts < 1 || stage < 0 || stage >= shape.stages ||
      (shape.parts > 1 &&
       (shape.micro_batches % shape.stages != 0 || shape.schedule != PipelineSchedule::one_f_one_b)))
    throw Error{"a pipeline has no such schedule", {}, {}, ErrorKind::internal};
  return StageOrder{shape, stage}.passes();
}

double pipeline_pass_count(const PipelineShape& shape) {
  const double kinds = shape.schedule == PipelineSchedule::zero_bubble ? 3 : 2;
  return kinds * shape.stages * shape.parts * static_cast<double>(shape.micro_batches);
}

}  // namespace rackcast
