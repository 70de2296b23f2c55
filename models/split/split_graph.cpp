#include "models/split/split_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

constexpr std::uint32_t gathers_in_flight = 2;

/// A pass, or two that are one.
struct Turn {
  PipelinePass pass;
  std::optional<PipelinePass> with = {};

  [[nodiscard]] bool like(const Turn& o) const {
    return pass.like(o.pass) && with.has_value() == o.with.has_value() && (!with || with->like(*o.with));
  }
};

std::vector<Turn> turns_of(const PipelineShape& shape, std::size_t stage) {
  std::vector<Turn> out;
  bool joins = false;
  for (const PipelinePass& pass : stage_order(shape, static_cast<int>(stage))) {
    if (joins) {
      out.back().with = pass;
    } else {
      out.push_back({pass});
    }
    joins = pass.with_next;
  }
  return out;
}

/// Calls turn(t) for each turn, and loop(laps) and end() around runs of turns that repeat.
template <class Do, class Loop, class End>
void each_folded(const std::vector<Turn>& order, const std::vector<std::size_t>& periods, Do&& turn,
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
    for (std::size_t i = at; i < at + period; ++i) turn(order[i]);
    if (laps > 1) end();
    at += period * laps;
  }
}

/// Puts the graph of one step together.
class SplitGraphBuilder {
 public:
  explicit SplitGraphBuilder(const SplitWork& work) : work_{work}, rows_(work.stages.size()) {
    for (std::size_t s = 0; s < work.stages.size(); ++s) own_.push_back(of_gpu(s));
  }

  SplitGraph build() {
    const std::size_t stages = work_.stages.size();
    for (std::size_t s = 0; s < stages; ++s) add_row(s);
    out_.staggered = work_.pipeline.schedule == PipelineSchedule::zero_bubble_2p;
    if (stages > 1 && !out_.staggered) meeting_ = add_meeting();
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
    StepChannel mirror_before, mirror_behind;              ///< the same of mirrored passes
    StepChannel ready;                                     ///< of the exchange: gradients, places for layers
    StepChannel places;
    ResourceId multiprocessors, inside, between;
  };

  StepGraph& graph() { return out_.graph; }

  [[nodiscard]] bool both_ways() const { return work_.pipeline.schedule == PipelineSchedule::dualpipe; }

  /// What the GPU of stage `s` does once in a step: with DualPipe for both of its stages.
  [[nodiscard]] StageWork of_gpu(std::size_t s) const {
    StageWork out = work_.stages[s];
    if (!both_ways()) return out;
    const StageWork& mirror = work_.stages[work_.stages.size() - 1 - s];
    out.gradients.time += mirror.gradients.time;
    out.weights.time += mirror.weights.time;
    out.weights_first.time += mirror.weights_first.time;
    out.optimizer += mirror.optimizer;
    return out;
  }

  /// Sharded weights or gradients, exchanged beside the kernels.
  static bool shards(const StageWork& w) { return w.scatter.time > Duration{0}; }
  static bool gathers(const StageWork& w) { return w.gather.time > Duration{0}; }

  void add_row(std::size_t s) {
    const StageWork& w = own_[s];
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
    if (both_ways()) {
      row.mirror_before = graph().add_channel(row.kernels);
      row.mirror_behind = graph().add_channel(row.kernels);
    }
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
    each_turn(stream, s, [&](const Turn& turn) {
      if (turn.with) {
        add_passes_in_one(stream, s, turn.pass, *turn.with);
      } else {
        add_pass(stream, s, turn.pass);
      }
    });
  }

  /// Puts add(turn) on the stream for each turn of the GPU of stage `s`, in their order.
  template <class Add>
  void each_turn(Stream& stream, std::size_t s, Add&& add) {
    const auto round = static_cast<std::size_t>(work_.pipeline.parts) * work_.stages.size();
    each_folded(
        turns_of(work_.pipeline, s), {1, 2, 3, round, 2 * round}, add,
        [&](std::size_t laps) { stream.repeat(laps); }, [&] { stream.end(); });
  }

  void add_pass(Stream& stream, std::size_t s, const PipelinePass& pass) {
    wait_for_input(stream, s, pass);
    if (pass.receives) add_message(stream, rows_[s], 1);
    const StageWork& w = work_.stages[work_.stage_of(pass, s)];
    add_kernels(stream, rows_[s], w, pass);
    if (pass.kind != PassKind::weight_gradient) add_exchanges_of_pass(stream, rows_[s], w, pass, 1);
    send(stream, s, pass);
  }

  /// A forward pass of one direction with a backward pass of the other. Of their exchanges only what is
  /// longer than the kernels of both shows, an equal share of each. They take multiprocessors meanwhile.
  void add_passes_in_one(Stream& stream, std::size_t s, const PipelinePass& forward,
                         const PipelinePass& backward) {
    Duration kernels{0}, exchanges{0};
    const auto add_up = [&](const PipelinePass& pass) {
      const StageWork& w = work_.stages[work_.stage_of(pass, s)];
      const bool ahead = pass.kind == PassKind::forward;
      kernels += part_of_pass(ahead ? w.forward : w.backward);
      exchanges += part_of_pass(ahead ? w.forward_exchange.time + w.forward_experts.time
                                      : w.backward_exchange.time + w.backward_experts.time);
      if (pass.receives) exchanges += work_.message.time * work_.of_a_pass;
    };
    add_up(forward);
    add_up(backward);
    const bool covered = (1 - work_.slowdown) * exchanges <= kernels;
    const double slowed = !(kernels > Duration{0}) ? 1
                          : covered                ? 1 + work_.slowdown * (exchanges / kernels)
                                                   : 1 / (1 - work_.slowdown);
    const double shown = covered ? 0 : (exchanges - slowed * kernels) / exchanges;
    for (const PipelinePass* pass : {&forward, &backward}) {
      wait_for_input(stream, s, *pass);
      if (pass->receives) add_message(stream, rows_[s], shown);
    }
    for (const PipelinePass* pass : {&forward, &backward}) {
      const StageWork& w = work_.stages[work_.stage_of(*pass, s)];
      add_kernels(stream, rows_[s], w, *pass, slowed);
      add_exchanges_of_pass(stream, rows_[s], w, *pass, shown);
    }
    send(stream, s, forward);
    send(stream, s, backward);
  }

  void wait_for_input(Stream& stream, std::size_t s, const PipelinePass& pass) const {
    if (!pass.receives) return;
    const Row& row = rows_[s];
    const bool forward = pass.kind == PassKind::forward;
    const StepChannel from = pass.mirrored ? (forward ? row.mirror_before : row.mirror_behind)
                                           : (forward ? row.from_before : row.from_behind);
    const bool fills = out_.staggered && pass.first;
    stream.wait(from, {fills ? split_task::filling : split_task::bubble, &StepParts::pipeline_wait});
  }
  void add_message(Stream& stream, const Row& row, double share) const {
    stream.run(exchange(row, split_task::message, &StepParts::activation_exchange,
                        share * work_.message.time * work_.of_a_pass, work_.message.links));
  }
  void add_exchanges_of_pass(Stream& stream, const Row& row, const StageWork& w, const PipelinePass& pass,
                             double share) const {
    const bool forward = pass.kind == PassKind::forward;
    const TimedExchange& sums = forward ? w.forward_exchange : w.backward_exchange;
    const TimedExchange& experts = forward ? w.forward_experts : w.backward_experts;
    stream.run(exchange(row, split_task::activations, &StepParts::activation_exchange,
                        share * part_of_pass(sums.time), sums.links));
    stream.run(exchange(row, split_task::experts, &StepParts::expert_exchange,
                        share * part_of_pass(experts.time), experts.links));
    if (!forward) stream.run({split_task::shards, &StepParts::exchange_wait, part_of_pass(w.lists)});
  }
  /// To the next GPU on the way, or back. Layers go around from the last stage to the next part on the first.
  void send(Stream& stream, std::size_t s, const PipelinePass& pass) const {
    if (!pass.sends) return;
    const std::size_t count = rows_.size();
    const bool forward = pass.kind == PassKind::forward;
    const Row& to = rows_[(s + (forward != pass.mirrored ? 1 : count - 1)) % count];
    stream.signal(pass.mirrored ? (forward ? to.mirror_before : to.mirror_behind)
                                : (forward ? to.from_before : to.from_behind));
  }

  /// They take `slowed` times as long as alone.
  void add_kernels(Stream& stream, const Row& row, const StageWork& w, const PipelinePass& pass,
                   double slowed = 1) {
    const bool forward = pass.kind == PassKind::forward;
    const char* name = forward ? split_task::forward : split_task::backward;
    const StepPartOf part = forward ? &StepParts::forward : &StepParts::backward;
    double share = 1;
    if (pass.kind == PassKind::weight_gradient) share = w.weights_share;
    if (pass.kind == PassKind::input_gradient) share = 1 - w.weights_share;
    const Duration all = slowed * share * part_of_pass(forward ? w.forward : w.backward);
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
    const StageWork& w = own_[s];
    Stream stream = graph().stream(*row.exchange);
    const StepWait idle{{}, &StepParts::straggler_wait};  // not drawn
    if (!shards(w)) {
      const int of_mirror = both_ways() ? pieces_of_part(work_.stages[work_.stages.size() - 1 - s]) : 0;
      const int pieces = pieces_of_part(w) * work_.pipeline.parts + of_mirror;
      if (w.weights_first.time > Duration{0}) {
        stream.repeat(static_cast<std::uint64_t>(pieces));
        stream.run(beside(row, "gather weights", w.weights_first, 1.0 / pieces));
        stream.signal(row.exchanged).end();
      }
      stream.repeat(static_cast<std::uint64_t>(pieces)).wait(row.ready, idle);
      stream.run(beside(row, split_task::gradients, w.gradients, 1.0 / pieces)).end().signal(row.exchanged);
      return;
    }
    each_turn(stream, s, [&](const Turn& turn) { add_shards(stream, row, w, turn.pass.kind); });
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
    const StageWork& w = own_[s];
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
  std::vector<StageWork> own_;  ///< of each GPU, for what is done once in a step
  SplitGraph out_;
  std::vector<Row> rows_;
  std::optional<std::uint32_t> meeting_;
  StepChannel arrived_;
};

}  // namespace

Duration SplitWork::micro_batch(std::size_t s) const {
  const Duration own = stages[s].micro_batch();
  if (pipeline.schedule != PipelineSchedule::dualpipe) return own;
  return (own + stages[stages.size() - 1 - s].micro_batch()) / 2.0;
}

SplitGraph split_graph(const SplitWork& work) {
  return SplitGraphBuilder{work}.build();
}

}  // namespace rackcast
