#include "models/split/pipeline_schedule.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <utility>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

class StageOrder {
 public:
  StageOrder(const PipelineShape& shape, int stage)
      : shape_{shape}, stage_{stage}, all_{shape.micro_batches * shape.parts} {}

  std::vector<PipelinePass> passes() {
    const std::int64_t ahead = passes_ahead();
    const bool twice = shape_.schedule == PipelineSchedule::zero_bubble_2p;
    const bool cut = twice || shape_.schedule == PipelineSchedule::zero_bubble;
    const std::int64_t held = cut ? (twice ? 2 : 1) * stage_ : 0;
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
    if (shape_.schedule == PipelineSchedule::zero_bubble_2p) return std::min(2 * behind, all_);
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

/// The eight parts of dualpipe.py's step(), whose numbers the comments below give. On the GPUs of the second
/// half the directions change places.
class BothWays {
 public:
  BothWays(const PipelineShape& shape, int stage)
      : shape_{shape},
        stage_{stage},
        within_{std::min(stage, shape.stages - 1 - stage)},
        each_{shape.micro_batches / 2} {}

  std::vector<PipelinePass> passes() {
    const int half = shape_.stages / 2, inner = within_ + 1, outer = half - inner;
    const bool middle = outer == 0;
    repeat(2 * outer, [&] { forward(0); });  // 1
    repeat(inner, [&] {                      // 2
      forward(0);
      forward(1);
    });
    repeat(outer, [&] {  // 3
      backward(1, true);
      weights();
      forward(1);
    });
    bool together = !middle;                     // the first two of a GPU in the middle are not
    repeat(each_ - shape_.stages + inner, [&] {  // 4
      both(0, 1, std::exchange(together, true));
      both(1, 0, true);
    });
    repeat(outer, [&] {  // 5
      backward(1, false);
      both(1, 0, true);
    });
    for (int i = 0; i < inner; ++i) {  // 6
      backward(1, i > inner / 2 || (i == inner / 2 && within_ % 2 == 1));
      backward(0, i >= inner / 2);
    }
    repeat(outer, [&] {  // 7
      weights();
      backward(0, true);
    });
    while (!held_.empty()) weights();  // 8
    return std::move(out_);
  }

 private:
  template <class Do>
  static void repeat(std::int64_t times, Do&& once) {
    for (std::int64_t i = 0; i < times; ++i) once();
  }

  void add(PassKind kind, bool mirrored, std::int64_t number) {
    PipelinePass& pass = out_.emplace_back();
    pass.kind = kind;
    pass.mirrored = mirrored;
    pass.micro_batch = number + (mirrored ? each_ : 0);
    const bool first = stage_ == (mirrored ? shape_.stages - 1 : 0),
               final = stage_ == (mirrored ? 0 : shape_.stages - 1), goes_forward = kind == PassKind::forward;
    if (kind != PassKind::weight_gradient) {
      pass.receives = goes_forward ? !first : !final;
      pass.sends = goes_forward ? !final : !first;
    }
    pass.first = goes_forward && number == 0;
    pass.last = number + 1 == each_ && (kind == PassKind::backward || kind == PassKind::weight_gradient);
  }
  [[nodiscard]] bool is_mirrored(int phase) const { return (phase == 1) != (stage_ >= shape_.stages / 2); }
  void forward(int phase) {
    const bool mirrored = is_mirrored(phase);
    add(PassKind::forward, mirrored, forwards_[mirrored]++);
  }
  void backward(int phase, bool holds_weights) {
    const bool mirrored = is_mirrored(phase);
    const std::int64_t number = backwards_[mirrored]++;
    add(holds_weights ? PassKind::input_gradient : PassKind::backward, mirrored, number);
    if (holds_weights) held_.push({mirrored, number});
  }
  void both(int forward_phase, int backward_phase, bool together) {
    forward(forward_phase);
    out_.back().with_next = together;
    backward(backward_phase, false);
  }
  void weights() {
    const auto [mirrored, number] = held_.front();
    held_.pop();
    add(PassKind::weight_gradient, mirrored, number);
  }

  const PipelineShape& shape_;
  int stage_, within_;  ///< within_: from the nearer end
  std::int64_t each_;   ///< micro-batches of a direction
  std::array<std::int64_t, 2> forwards_{}, backwards_{};
  std::queue<std::pair<bool, std::int64_t>> held_;  ///< gradients of weights
  std::vector<PipelinePass> out_;
};

/// Whether the schedule allows the numbers.
bool is_whole(const PipelineShape& shape) {
  if (shape.micro_batches < 1 || shape.stages < 1 || shape.parts < 1) return false;
  if (shape.schedule == PipelineSchedule::dualpipe)
    return shape.parts == 1 && shape.stages % 2 == 0 && shape.micro_batches % 2 == 0 &&
           shape.micro_batches >= 2 * shape.stages;
  return shape.parts == 1 ||
         (shape.micro_batches % shape.stages == 0 && shape.schedule == PipelineSchedule::one_f_one_b);
}

}  // namespace

std::string_view to_string(PipelineSchedule schedule) {
  switch (schedule) {
    case PipelineSchedule::gpipe:
      return "gpipe";
    case PipelineSchedule::zero_bubble:
      return "zero_bubble";
    case PipelineSchedule::zero_bubble_2p:
      return "zero_bubble_2p";
    case PipelineSchedule::dualpipe:
      return "dualpipe";
    case PipelineSchedule::one_f_one_b:
      break;
  }
  return "1f1b";
}

std::int64_t whole_micro_batches(const PipelineShape& shape, double asked) {
  const auto whole = static_cast<std::int64_t>(std::ceil(asked * (1 - 1e-12)));
  const bool both_ways = shape.schedule == PipelineSchedule::dualpipe;
  const std::int64_t unit = shape.parts > 1 ? shape.stages
                            : both_ways     ? 2
                                            : 1,
                     least = both_ways ? 2 * std::int64_t{shape.stages} : 1;
  return std::max<std::int64_t>({1, (whole + unit - 1) / unit, least / unit}) * unit;
}

bool takes_micro_batches(PipelineSchedule schedule, int stages, double micro_batches) {
  return schedule != PipelineSchedule::dualpipe ||
         static_cast<double>(whole_micro_batches({stages, 1, 1, schedule}, micro_batches)) == micro_batches;
}

std::vector<PipelinePass> stage_order(const PipelineShape& shape, int stage) {
  if (!is_whole(shape) || stage < 0 || stage >= shape.stages)
    throw Error{"a pipeline has no such schedule", {}, {}, ErrorKind::internal};
  if (shape.schedule == PipelineSchedule::dualpipe) return BothWays{shape, stage}.passes();
  return StageOrder{shape, stage}.passes();
}

double pipeline_pass_count(const PipelineShape& shape) {
  const bool whole =
      shape.schedule == PipelineSchedule::one_f_one_b || shape.schedule == PipelineSchedule::gpipe;
  const double kinds = whole ? 2 : 3;
  return kinds * shape.stages * shape.parts * static_cast<double>(shape.micro_batches);
}

}  // namespace rackcast
