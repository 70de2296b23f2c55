/// The record of a network that is split over GPUs.
#include <fmt/format.h>

#include "models/recorded/rank_record.hpp"
#include "models/recorded/step_record.hpp"

namespace rackcast {

namespace {

/// Writes one stage.
class StageRecord {
 public:
  StageRecord(const SplitWork& work, const Mesh& mesh, std::size_t stage, double at_once, RecordedRank& rank)
      : work_{work},
        w_{work.stages[stage]},
        mesh_{mesh},
        stage_{stage},
        at_once_{at_once},
        layers_{std::max(1, w_.layers / work.pipeline.parts)},
        record_{rank} {}

  void write() {
    if (w_.weights_first.time > Duration{0})
      waits_.push_back(replicas("all-gather of weights", w_.weights_first, 1));
    for (const PipelinePass& pass : stage_order(work_.pipeline, static_cast<int>(stage_))) add_pass(pass);
    const bool whole = !sharded() && !w_.gradients_overlap;
    if (whole && w_.gradients.time > Duration{0})
      of_gradients_.push_back(replicas("exchange of gradients", w_.gradients, 1));
    // The norm of all gradients and a check for overflow, as all stages meet (split_graph.hpp).
    if (work_.stages.size() > 1)
      of_gradients_.push_back(
          record_.exchange("norm of the gradients", RecordedKind::collective, Collective::all_reduce,
                           Bytes{4}, "", of_gradients_.empty() ? record_.behind_kernels() : of_gradients_));
    record_.kernel("optimizer: update", RecordedPhase::optimizer, w_.optimizer, std::move(of_gradients_));
    if (w_.weights.time > Duration{0}) (void)replicas("all-gather of weights", w_.weights, 1);
  }

 private:
  [[nodiscard]] bool sharded() const { return w_.scatter.time > Duration{0}; }
  [[nodiscard]] double of_pass() const { return work_.of_a_pass / work_.pipeline.parts; }
  /// Of the first rank of a neighbour, around the ends.
  [[nodiscard]] int neighbour(bool behind) const {
    const std::size_t count = work_.stages.size();
    return static_cast<int>((stage_ + (behind ? 1 : count - 1)) % count) * mesh_.stage_gpus();
  }

  /// Among the ranks with the same weights.
  std::size_t replicas(const char* name, const TimedExchange& x, double share) {
    return replicas(name, x, share, record_.behind_kernels());
  }
  std::size_t replicas(const char* name, const TimedExchange& x, double share,
                       std::vector<std::size_t> after) {
    return record_.exchange(name, RecordedKind::collective, x.operation, x.payload * share / at_once_,
                            fmt::format("replicas of stage {}", stage_), std::move(after));
  }

  void add_pass(const PipelinePass& pass) {
    const bool forward = pass.kind == PassKind::forward;
    // Each of the GPUs that share a layer sends its part.
    const Bytes message = work_.activations * work_.of_a_pass / mesh_.tensor;
    if (pass.receives) {
      const std::size_t got = record_.exchange("activations from another stage", RecordedKind::receive,
                                               Collective::send_recv, message, "", {});
      record_.task(got).peer = neighbour(!forward);
      waits_.push_back(got);
    }
    double share = 1;
    if (pass.kind == PassKind::weight_gradient) share = w_.weights_share;
    if (pass.kind == PassKind::input_gradient) share = 1 - w_.weights_share;
    add_layers(pass, share * of_pass() * (forward ? w_.forward : w_.backward) / layers_);
    if (!pass.sends) return;
    const std::size_t sent =
        record_.exchange("activations to another stage", RecordedKind::send, Collective::send_recv, message,
                         "", waits_.empty() ? record_.behind_kernels() : waits_);
    record_.task(sent).peer = neighbour(forward);
  }

  void add_layers(const PipelinePass& pass, Duration each) {
    const bool forward = pass.kind == PassKind::forward;
    const bool overlaps = w_.gradients_overlap && w_.gradients.time > Duration{0} && pass.last && !forward;
    const bool gathers = w_.gather.time > Duration{0} && pass.kind != PassKind::weight_gradient;
    const bool scatters = sharded() && !forward && pass.kind != PassKind::input_gradient;
    const bool sums = mesh_.tensor > 1 && pass.kind != PassKind::weight_gradient;
    const double of_layer = of_pass() * w_.layers / layers_;
    const std::string name = fmt::format("{}: part {} of micro-batch {}",
                                         word_of(forward ? RecordedPhase::forward : RecordedPhase::backward),
                                         pass.part + 1, pass.micro_batch + 1);
    if (sums && forward && stage_ == 0 && pass.part == 0) add_sum();  // the embedding's rows
    if (gathers) waits_.push_back(gather(of_layer));
    for (int layer = 0; layer < layers_; ++layer) {
      // The next layer's weights are gathered ahead of this layer's gradients.
      std::vector<std::size_t> next;
      if (gathers && layer + 1 < layers_) next.push_back(gather(of_layer));
      add_layer(name, forward, each, sums);
      if (scatters) of_gradients_.push_back(replicas("reduce-scatter of gradients", w_.scatter, of_layer));
      if (overlaps)
        of_gradients_.push_back(
            replicas("exchange of gradients", w_.gradients, 1.0 / (layers_ * work_.pipeline.parts)));
      waits_.insert(waits_.end(), next.begin(), next.end());
    }
    const bool vocabulary = stage_ + 1 == work_.stages.size() && pass.part + 1 == work_.pipeline.parts;
    if (sums && !forward && vocabulary) add_sum();
  }

  /// Attention and the rest of a layer, with a sum behind each where the layer is shared.
  void add_layer(const std::string& name, bool forward, Duration time, bool sums) {
    const RecordedPhase phase = forward ? RecordedPhase::forward : RecordedPhase::backward;
    const int pieces = sums ? 2 : 1;
    for (int piece = 0; piece < pieces; ++piece) {
      const std::size_t done = record_.kernel(name, phase, time / pieces, std::exchange(waits_, {}));
      if (piece + 1 == pieces) layers_done_.push_back(done);
      if (sums) add_sum();
    }
  }

  /// Activations that the tensor-parallel ranks sum: what follows waits for them.
  void add_sum() {
    waits_.push_back(record_.exchange("sum of activations", RecordedKind::collective, Collective::all_reduce,
                                      work_.of_a_pass * work_.activations,
                                      fmt::format("tensor of stage {}", stage_), record_.behind_kernels()));
  }

  /// Two gathers are in flight: the next begins when the layer before the one under way is through.
  std::size_t gather(double share) {
    std::vector<std::size_t> after;
    if (!layers_done_.empty()) after.push_back(layers_done_.back());
    return replicas("all-gather of weights", w_.gather, share, std::move(after));
  }

  const SplitWork& work_;
  const StageWork& w_;
  const Mesh& mesh_;
  std::size_t stage_;
  double at_once_;  ///< groups whose payload the modelled exchange holds
  int layers_;      ///< of a part
  RankRecord record_;
  std::vector<std::size_t> waits_;         ///< of the next kernel
  std::vector<std::size_t> of_gradients_;  ///< that the update waits for
  std::vector<std::size_t> layers_done_;   ///< their last kernels
};

void refuse_split(const Mesh& mesh) {
  if (mesh.schedule == PipelineSchedule::dualpipe || mesh.schedule == PipelineSchedule::zero_bubble_2p)
    no_record(fmt::format("the schedule {}", to_string(mesh.schedule)));
  if (mesh.context > 1) no_record("context parallelism");
  if (mesh.expert > 1) no_record("expert parallelism");
  if (mesh.zero_stage > 0 && mesh.shard_sets() > 1) no_record("a shard group");
  if (mesh.zero_stage == 3 && mesh.gathers_tensors) no_record("gathering weights tensor by tensor");
}

}  // namespace

RecordedStep record_of_split(const SplitWork& work, const Mesh& mesh, int local) {
  refuse_split(mesh);
  RecordedStep out;
  out.world = mesh.stage_gpus() * mesh.pipeline;
  // Between nodes a modelled exchange is that of all tensor-parallel GPUs (SumApart in split_training.cpp).
  const double at_once = mesh.stage_gpus() <= local ? 1.0 : mesh.tensor;
  out.ranks.resize(work.stages.size());
  for (std::size_t s = 0; s < work.stages.size(); ++s) {
    RecordedRank& rank = out.ranks[s];
    rank.rank = static_cast<int>(s) * mesh.stage_gpus();
    rank.stands_for = mesh.stage_gpus();
    StageRecord{work, mesh, s, at_once, rank}.write();
    const auto add_group = [&](const char* name, int ranks, int apart) {
      std::vector<int>& group = out.groups[fmt::format("{} of stage {}", name, s)];
      for (int i = 0; i < ranks; ++i) group.push_back(rank.rank + i * apart);
    };
    add_group("tensor", mesh.tensor, 1);
    add_group("replicas", mesh.copies(), mesh.tensor);
  }
  return out;
}

}  // namespace rackcast
