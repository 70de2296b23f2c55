#include "models/split/pipeline_schedule.hpp"

#include <algorithm>
#include <cstddef>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// What one stage does, in its order.
class StageOrder {
 public:
  StageOrder(int stages, int stage, std::int64_t micro_batches, int parts)
      : stages_{stages}, stage_{stage}, parts_{parts}, all_{micro_batches * parts} {
    const std::int64_t behind = stages - stage - 1;
    const std::int64_t ahead = parts == 1 ? behind : 2 * behind + (parts - 1) * std::int64_t{stages};
    // With one round alone the interleaved schedule goes forward through all of it first.
    const bool one_round = parts > 1 && micro_batches == stages;
    ahead_ = one_round ? all_ : std::min(ahead, all_);
  }

  std::vector<PipelinePass> passes() const {
    std::vector<PipelinePass> out;
    for (std::int64_t i = 0; i < ahead_; ++i) out.push_back(pass(i, false));
    for (std::int64_t i = ahead_; i < all_; ++i) {
      out.push_back(pass(i, false));
      out.push_back(pass(i - ahead_, true));
    }
    for (std::int64_t i = all_ - ahead_; i < all_; ++i) out.push_back(pass(i, true));
    return out;
  }

 private:
  /// The pass that is number `i` of its direction.
  [[nodiscard]] PipelinePass pass(std::int64_t i, bool backward) const {
    PipelinePass out;
    out.stage = stage_;
    out.backward = backward;
    if (parts_ == 1) {
      out.micro_batch = i;
    } else {
      const std::int64_t round = i / (stages_ * parts_), within = i % (stages_ * parts_);
      const auto part = static_cast<int>(within / stages_);
      out.part = backward ? parts_ - 1 - part : part;
      out.micro_batch = round * stages_ + within % stages_;
    }
    const bool at_the_ends =
        backward ? stage_ == stages_ - 1 && out.part == parts_ - 1 : stage_ == 0 && out.part == 0;
    out.receives = !at_the_ends;
    return out;
  }

  std::int64_t stages_;
  int stage_, parts_;
  std::int64_t all_, ahead_ = 0;
};

/// Runs through the orders of all stages.
class PipelineRun {
 public:
  explicit PipelineRun(const PipelinePasses& passes)
      : passes_{passes}, stages_{static_cast<int>(passes.forward.size())}, parts_{passes.interleave} {
    for (int s = 0; s < stages_; ++s)
      orders_.push_back(StageOrder{stages_, s, passes.micro_batches, parts_}.passes());
    const auto slots = static_cast<std::size_t>(2 * passes.micro_batches * stages_ * parts_);
    ends_.resize(slots);
    done_.resize(slots);
  }

  std::vector<PipelinePass> run() {
    std::vector<std::size_t> next(orders_.size());
    std::vector<Duration> free(orders_.size(), Duration{0});
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t s = 0; s < orders_.size(); ++s)
        for (; next[s] < orders_[s].size() && ready(orders_[s][next[s]]); ++next[s], moved = true)
          place(orders_[s][next[s]], free[s]);
    }
    std::vector<PipelinePass> out;
    for (std::size_t s = 0; s < orders_.size(); ++s) {
      if (next[s] != orders_[s].size())
        throw Error{"a pipeline's schedule waits for itself", {}, {}, ErrorKind::internal};
      out.insert(out.end(), orders_[s].begin(), orders_[s].end());
    }
    return out;
  }

 private:
  /// Of the parts of all stages in the order of the layers.
  [[nodiscard]] std::size_t slot(std::int64_t layer, std::int64_t micro_batch, bool backward) const {
    const std::int64_t of_one = std::int64_t{stages_} * parts_;
    return static_cast<std::size_t>(2 * (micro_batch * of_one + layer) + (backward ? 1 : 0));
  }
  [[nodiscard]] std::int64_t layer_of_pass(const PipelinePass& p) const {
    return std::int64_t{p.part} * stages_ + p.stage;
  }
  /// What the pass needs: of the part before, or of the part behind, or of the same part going forward.
  [[nodiscard]] std::optional<std::size_t> needs(const PipelinePass& p) const {
    const std::int64_t layer = layer_of_pass(p);
    if (p.receives) return slot(p.backward ? layer + 1 : layer - 1, p.micro_batch, p.backward);
    if (p.backward) return slot(layer, p.micro_batch, false);
    return std::nullopt;
  }
  [[nodiscard]] bool ready(const PipelinePass& p) const {
    const auto before = needs(p);
    return !before || done_[*before];
  }
  void place(PipelinePass& p, Duration& free) {
    const auto stage = static_cast<std::size_t>(p.stage);
    const auto before = needs(p);
    p.start = before ? std::max(free, ends_[*before]) : free;
    const Duration work = (p.backward ? passes_.backward : passes_.forward)[stage] / parts_;
    free = p.end = p.start + work + (p.receives ? passes_.message : Duration{0});
    const std::size_t own = slot(layer_of_pass(p), p.micro_batch, p.backward);
    ends_[own] = p.end;
    done_[own] = true;
  }

  const PipelinePasses& passes_;
  int stages_, parts_;
  std::vector<std::vector<PipelinePass>> orders_;
  std::vector<Duration> ends_;
  std::vector<bool> done_;
};

}  // namespace

double pipeline_pass_count(const PipelinePasses& passes) {
  return 2.0 * static_cast<double>(passes.forward.size()) * static_cast<double>(passes.micro_batches) *
         passes.interleave;
}

std::optional<std::vector<PipelinePass>> pipeline_schedule(const PipelinePasses& passes) {
  const auto stages = static_cast<std::int64_t>(passes.forward.size());
  if (passes.interleave > 1 && passes.micro_batches % stages != 0) return std::nullopt;
  return PipelineRun{passes}.run();
}

}  // namespace rackcast
