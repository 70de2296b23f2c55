#include "models/split/split_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

constexpr std::uint32_t gathers_in_flight = 2;

/// Calls pass(p) for each pass, and loop(laps) and end() around runs of passes that repeat.
template <class Pass, class Loop, class End>
void each_folded(const std::vector<PipelinePass>& order, const std::vector<std::size_t>& periods, Pass&& pass,
                 Loop&& loop, End&& end) {
  for (std::size_t at = 0; at < order.size();) {
    std::size_t period = 1, laps = 1;
    for (const std::size_t p : periods) {
      std::size_t same = 0;
      while (at + same + p < order.size() && order[at + same].like(order[at + same + p])) ++same;
      if (const std::size_t found = same / p + 1; found > 1 && found * p > laps * period)
        period = p, laps = found;
    }
    if (laps > 1) loop(laps);
    for (std::size_t i = at; i < at + period; ++i) pass(order[i]);
    if (laps > 1) end();
    at += period * laps;
  }
}

/// Puts the graph of one step together.
class SplitGraphBuilder {
 public:
  explicit SplitGraphBuilder(const SplitWork& work) : work_{work}, rows_(work.stages.size()) {}

  SplitGraph build() {
    const std::size_t stages = work_.stages.size();
    for (std::size_t s = 0; s < stages; ++s) add_row(s);
    if (stages > 1) meeting_ = add_meeting();
    for (std::size_t s = 0; s < stages; ++s) {
      if (rows_[s].exchange) add_exchanges(s);
      add_passes(s);
      add_update(s);
    }
    return std::move(out_);
  }

 private:
  using Stream = StepGraph::Stream;

  struct Row {
    std::uint32_t kernels = 0;
    std::optional<std::uint32_t> exchange;
    StepChannel from_before, from_behind, exchanged, met;  ///< of the kernels
    StepChannel ready;                                     ///< of the exchange: gradients, places for layers
    StepChannel places;
    ResourceId multiprocessors, inside, between;
  };

  StepGraph& graph() { return out_.graph; }

  /// Sharded weights or gradients, exchanged beside the kernels.
  static bool shards(const StageWork& w) { return w.scatter.time > Duration{0}; }
  static bool gathers(const StageWork& w) { return w.gather.time > Duration{0}; }

  void add_row(std::size_t s) {
    const StageWork& w = work_.stages[s];
    Row& row = rows_[s];
    const auto count = work_.stages.size();
    const std::string group =
        fmt::format("Stage {:0{}} of {}", s + 1, fmt::format("{}", count).size(), count);
    row.kernels = graph().add_stream(group, s < work_.places.size() ? work_.places[s] : "kernels");
    out_.kernels.push_back(row.kernels);
    row.from_before = graph().add_channel(row.kernels);
    row.from_behind = graph().add_channel(row.kernels);
    row.exchanged = graph().add_channel(row.kernels);
    row.met = graph().add_channel(row.kernels);
    row.multiprocessors = graph().add_resource(group + ", multiprocessors", 1, work_.slowdown);
    row.inside = graph().add_resource(group + ", links in the node");
    row.between = graph().add_resource(group + ", links between nodes");
    const bool overlap = w.gradients_overlap && w.gradients.time > Duration{0};
    out_.exchanges.emplace_back();
    if (!overlap && !shards(w)) return;
    row.exchange = graph().add_stream(group, "exchange beside the kernels");
    out_.exchanges.back() = row.exchange;
    row.ready = graph().add_channel(*row.exchange);
    row.places = graph().add_channel(*row.exchange, gathers_in_flight);
  }

  /// Somebody who waits for all stages and then lets all go on.
  std::uint32_t add_meeting() {
    const std::uint32_t meeting = graph().add_stream("All stages", "before the update");
    arrived_ = graph().add_channel(meeting);
    Stream stream = graph().stream(meeting);
    stream.wait(arrived_, {{}, &StepParts::pipeline_wait}, work_.stages.size());  // not drawn
    for (const Row& row : rows_) stream.signal(row.met);
    return meeting;
  }

  // ---- tasks

  [[nodiscard]] Duration part_of_pass(Duration whole) const {
    return whole * (work_.of_a_pass / work_.pipeline.parts);
  }
  [[nodiscard]] StepTask kernels(const Row& row, const char* name, StepPartOf part, Duration time) const {
    StepTask task{name, part, time};
    if (row.exchange) task.takes = {{row.multiprocessors, 1}};
    return task;
  }
  [[nodiscard]] StepTask exchange(const Row& row, const char* name, StepPartOf part, Duration time,
                                  const LinkShares& links) const {
    StepTask task{name, part, time};
    if (row.exchange) task.takes = {{row.inside, links.inside}, {row.between, links.between}};
    return task;
  }
  /// The same beside the kernels, from which it takes multiprocessors.
  [[nodiscard]] StepTask beside(const Row& row, const char* name, const TimedExchange& of,
                                double share) const {
    StepTask task = exchange(row, name, &StepParts::exchange_busy, of.time * share, of.links);
    task.holds = {row.multiprocessors};
    return task;
  }

  // ---- passes

  void add_passes(std::size_t s) {
    const Row& row = rows_[s];
    Stream stream = graph().stream(row.kernels);
    stream.run({split_task::input, &StepParts::input_wait, work_.input_wait});
    each_pass(stream, s, [&](const PipelinePass& p) { add_pass(stream, s, p); });
  }

  /// Puts add(pass) on the stream for each pass of stage `s`, in their order.
  template <class Add>
  void each_pass(Stream& stream, std::size_t s, Add&& add) {
    const auto round = static_cast<std::size_t>(work_.pipeline.parts) * work_.stages.size();
    each_folded(
        stage_order(work_.pipeline, static_cast<int>(s)), {1, 2, 3, round, 2 * round}, add,
        [&](std::size_t laps) { stream.repeat(laps); }, [&] { stream.end(); });
  }

  void add_pass(Stream& stream, std::size_t s, const PipelinePass& pass) {
    const StageWork& w = work_.stages[s];
    const Row& row = rows_[s];
    const bool forward = pass.kind == PassKind::forward;
    if (pass.receives) {
      stream.wait(forward ? row.from_before : row.from_behind,
                  {split_task::bubble, &StepParts::pipeline_wait});
      stream.run(exchange(row, split_task::message, &StepParts::activation_exchange,
                          work_.message.time * work_.of_a_pass, work_.message.links));
    }
    add_kernels(stream, row, w, pass);
    if (pass.kind != PassKind::weight_gradient) {
      const TimedExchange& sums = forward ? w.forward_exchange : w.backward_exchange;
      const TimedExchange& experts = forward ? w.forward_experts : w.backward_experts;
      stream.run(exchange(row, split_task::activations, &StepParts::activation_exchange,
                          part_of_pass(sums.time), sums.links));
      stream.run(exchange(row, split_task::experts, &StepParts::expert_exchange, part_of_pass(experts.time),
                          experts.links));
      if (!forward) stream.run({split_task::shards, &StepParts::exchange_wait, part_of_pass(w.lists)});
    }
    // Layers go around from the last stage to the next part on the first.
    const std::size_t count = rows_.size();
    if (pass.sends)
      stream.signal(forward ? rows_[(s + 1) % count].from_before
                            : rows_[(s + count - 1) % count].from_behind);
  }

  void add_kernels(Stream& stream, const Row& row, const StageWork& w, const PipelinePass& pass) {
    const bool forward = pass.kind == PassKind::forward;
    const char* name = forward ? split_task::forward : split_task::backward;
    const StepPartOf part = forward ? &StepParts::forward : &StepParts::backward;
    double share = 1;
    if (pass.kind == PassKind::weight_gradient) share = w.weights_share;
    if (pass.kind == PassKind::input_gradient) share = 1 - w.weights_share;
    const Duration all = share * part_of_pass(forward ? w.forward : w.backward);
    if (shards(w)) {
      add_sharded_layers(stream, row, w, kernels(row, name, part, all / pieces_of_part(w)), pass.kind);
    } else if (row.exchange && (pass.last || (pass.first && w.weights_first.time > Duration{0}))) {
      const int pieces = pieces_of_part(w);
      stream.repeat(static_cast<std::uint64_t>(pieces));
      if (forward) stream.wait(row.exchanged, {split_task::waiting, &StepParts::exchange_wait});
      stream.run(kernels(row, name, part, all / pieces));
      if (!forward) stream.signal(row.ready);
      stream.end();
    } else {
      stream.run(kernels(row, name, part, all));
    }
  }

  void add_sharded_layers(Stream& stream, const Row& row, const StageWork& w, const StepTask& layer,
                          PassKind kind) const {
    const bool gathered = gathers(w) && needs_weights(kind);
    stream.repeat(static_cast<std::uint64_t>(pieces_of_part(w)));
    if (gathered) stream.wait(row.exchanged, {split_task::waiting, &StepParts::exchange_wait});
    stream.run(layer);
    if (gathered) stream.signal(row.places);
    if (makes_gradients(kind)) stream.signal(row.ready);
    stream.end();
  }

  static bool needs_weights(PassKind kind) { return kind != PassKind::weight_gradient; }
  static bool makes_gradients(PassKind kind) {
    return kind == PassKind::backward || kind == PassKind::weight_gradient;
  }

  // ---- exchange beside the kernels

  [[nodiscard]] int pieces_of_part(const StageWork& w) const {
    return std::max(1, w.layers / work_.pipeline.parts);
  }

  void add_exchanges(std::size_t s) {
    const Row& row = rows_[s];
    const StageWork& w = work_.stages[s];
    Stream stream = graph().stream(*row.exchange);
    const StepWait idle{{}, &StepParts::straggler_wait};  // not drawn
    if (!shards(w)) {
      const int pieces = pieces_of_part(w) * work_.pipeline.parts;
      if (w.weights_first.time > Duration{0}) {
        stream.repeat(static_cast<std::uint64_t>(pieces));
        stream.run(beside(row, "gather weights", w.weights_first, 1.0 / pieces));
        stream.signal(row.exchanged).end();
      }
      stream.repeat(static_cast<std::uint64_t>(pieces)).wait(row.ready, idle);
      stream.run(beside(row, split_task::gradients, w.gradients, 1.0 / pieces)).end().signal(row.exchanged);
      return;
    }
    each_pass(stream, s, [&](const PipelinePass& p) { add_shards(stream, row, w, p.kind); });
    stream.signal(row.exchanged);
  }

  /// What a pass exchanges of sharded layers. A backward pass gathers a layer ahead of each scatter.
  void add_shards(Stream& stream, const Row& row, const StageWork& w, PassKind kind) {
    const StepWait idle{{}, &StepParts::straggler_wait};  // not drawn
    const int layers = pieces_of_part(w);
    const double of_layer =
        work_.of_a_pass * (static_cast<double>(w.layers) / (layers * work_.pipeline.parts));
    const StepTask gather = beside(row, "gather weights", w.gather, of_layer),
                   scatter = beside(row, "scatter gradients", w.scatter, of_layer);
    const bool gathered = gathers(w) && needs_weights(kind);
    const auto add_gather = [&] {
      if (gathered) stream.wait(row.places, idle).run(gather).signal(row.exchanged);
    };
    if (!makes_gradients(kind)) {
      if (!gathered) return;
      stream.repeat(static_cast<std::uint64_t>(layers));
      add_gather();
      stream.end();
      return;
    }
    add_gather();
    if (layers > 1) {
      stream.repeat(static_cast<std::uint64_t>(layers - 1));
      add_gather();
      stream.wait(row.ready, idle).run(scatter).end();
    }
    stream.wait(row.ready, idle).run(scatter);
  }

  // ---- the end of the step

  void add_update(std::size_t s) {
    const Row& row = rows_[s];
    const StageWork& w = work_.stages[s];
    Stream stream = graph().stream(row.kernels);
    if (row.exchange) stream.wait(row.exchanged, {split_task::waiting, &StepParts::exchange_wait});
    if (!row.exchange || !w.gradients_overlap)
      stream.run(exchange(row, split_task::gradients, &StepParts::exchange_wait, w.gradients.time,
                          w.gradients.links));
    if (meeting_) stream.signal(arrived_).wait(row.met, {split_task::bubble, &StepParts::pipeline_wait});
    stream.run(kernels(row, split_task::optimizer, &StepParts::optimizer, w.optimizer));
    stream.run(
        exchange(row, split_task::gradients, &StepParts::exchange_wait, w.weights.time, w.weights.links));
  }

  const SplitWork& work_;
  SplitGraph out_;
  std::vector<Row> rows_;
  std::optional<std::uint32_t> meeting_;
  StepChannel arrived_;
};

}  // namespace

SplitGraph split_graph(const SplitWork& work) {
  return SplitGraphBuilder{work}.build();
}

}  // namespace rackcast
