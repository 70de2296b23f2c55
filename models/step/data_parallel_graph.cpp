#include "models/step/data_parallel_graph.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "models/collectives/cluster.hpp"
#include "models/step/binding_resources.hpp"
#include "models/step/straggler.hpp"

namespace rackcast {
namespace {

using Stream = StepGraph::Stream;

constexpr std::size_t least_twins = 8;  // fewer are as quickly solved one by one

const StepWait untold{{}, nullptr};  // neither drawn nor counted

/// GPUs that one stream of kernels stands for.
struct Gpus {
  double pace = 1;  ///< rate over the normal one
  int count = 1;
};

/// That of the first GPU comes first, the others in the order of the nodes.
std::vector<Gpus> gpus_of(const Cluster& cluster, const std::vector<NodePace>& paces) {
  std::vector<Gpus> out;
  for (const DeviceId gpu : cluster.ranks) {
    const double pace = paces[static_cast<std::size_t>(cluster.topology.device(gpu).node)].compute;
    const auto known = std::ranges::find(out, pace, &Gpus::pace);
    if (known == out.end())
      out.push_back({pace, 1});
    else
      ++known->count;
  }
  return out;
}

std::vector<Gpus> each_alone(const std::vector<Gpus>& alike) {
  std::vector<Gpus> out;
  for (const Gpus& gpus : alike) out.insert(out.end(), static_cast<std::size_t>(gpus.count), {gpus.pace, 1});
  return out;
}

class DataParallelBuilder {
 public:
  DataParallelBuilder(const Cluster& cluster, const TrainingSpec& spec, const DataParallelPlan& plan,
                      const StepTimes& kernels, const TrainingLaps& laps)
      : cluster_{cluster}, spec_{spec}, plan_{plan}, times_{kernels}, laps_{laps} {}

  DataParallelGraph build() {
    add_resources();
    for (std::size_t c = 0; c < plan_.crews.size(); ++c) add_crew(c);
    if (saves() && spec_.save.asynchronous) add_writer();
    for (Crew& crew : crews_) {
      add_loader(crew);
      add_exchanges(crew);
      if (has_vectors()) add_vectors(crew);
      for (std::size_t k = 1; k < crew.kernels.size(); ++k) add_other(crew, crew.kernels[k]);
      if (crew.number > 0) add_steps_for_ever(crew);
    }
    add_run();
    return std::move(out_);
  }

 private:
  /// A stream of kernels and what is its own.
  struct Kernels {
    std::uint32_t stream = 0;
    Gpus gpus = {};
    ResourceId multiprocessors = {};
    StepChannel go = {};
  };
  struct Exchanger {
    std::uint32_t stream = 0;
    int bucket = 0;
    const std::vector<FlowStage>* stages = nullptr;
    StepChannel ready = {}, turn = {};
  };
  struct Crew {
    std::size_t number = 0;
    const CrewPlan* plan = nullptr;
    std::vector<Kernels> kernels = {};
    std::vector<Exchanger> exchanges = {};
    std::uint32_t loader = 0;
    StepChannel batches = {}, arrived = {}, reduced = {};  ///< of the first stream of kernels
    StepChannel places = {}, begun = {};                   ///< of the loader
    StepChannel vectors_asked = {}, vectors_there = {};
    [[nodiscard]] std::uint64_t others() const { return kernels.size() - 1; }
  };

  StepGraph& graph() { return out_.graph; }
  [[nodiscard]] bool saves() const { return laps_.regular > 0 || laps_.last_save; }
  [[nodiscard]] bool has_vectors() const {
    return spec_.vectors_inside + spec_.vectors_between > Duration{0};
  }
  [[nodiscard]] bool sends_late() const { return sends_after_update(spec_.exchange); }

  // ---- streams, channels, resources

  void add_resources() {
    uses_.resize(static_cast<std::size_t>(plan_.patterns));
    const ResourceScales scales{spec_.network_scale, spec_.input_scale};
    std::vector<bool> kept(plan_.resources.size(), true);
    if (spec_.fold && !laps_.drawn) kept = binding_resources(plan_.resources, scales);
    std::map<std::pair<int, double>, std::vector<ResourceId>> counterparts;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const PlanResource& r = plan_.resources[i];
      if (!kept[i]) continue;
      const ResourceId id = add_resource(r, scales.of(r));
      if (r.counterparts != 0) counterparts[{r.counterparts, r.capacity}].push_back(id);
    }
    if (!spec_.fold) return;
    for (auto& [of, twins] : counterparts)
      if (twins.size() >= least_twins) graph().add_twins(std::move(twins));
  }

  ResourceId add_resource(const PlanResource& r, double scale) {
    const ResourceId id = graph().add_resource(r.name, r.capacity);
    for (const auto& [pattern, units] : r.uses)
      uses_[static_cast<std::size_t>(pattern)].push_back({id, units / scale});
    return id;
  }

  void add_crew(std::size_t number) {
    Crew& crew = crews_.emplace_back();
    crew.number = number;
    crew.plan = &plan_.crews[number];
    std::vector<Gpus> alike{{crew.plan->pace.compute, crew.plan->ranks}};
    if (plan_.crews.size() == 1) alike = gpus_of(cluster_, node_paces(cluster_, spec_.stragglers));
    for (const Gpus& gpus : spec_.fold ? alike : each_alone(alike)) {
      const bool drawn = number == 0 && crew.kernels.empty();
      Kernels& k = crew.kernels.emplace_back();
      k.gpus = gpus;
      k.stream = graph().add_stream(drawn ? "Node 0, GPU 0" : "", "compute stream");
      k.multiprocessors = graph().add_resource("multiprocessors", gpus.pace, collective_slowdown());
      k.go = graph().add_channel(k.stream);
      multiprocessors_.push_back(k.multiprocessors);
    }
    const std::uint32_t first = crew.kernels.front().stream;
    crew.batches = graph().add_channel(first);
    crew.arrived = graph().add_channel(first);
    crew.reduced = graph().add_channel(first);
    crew.loader = graph().add_stream(number == 0 ? "Node 0, host" : "", "data loader");
    crew.places =
        graph().add_channel(crew.loader, static_cast<std::uint32_t>(std::max(1, spec_.input.prefetch)));
    crew.begun = graph().add_channel(crew.loader);
    out_.crews.push_back({first});
    for (const Exchange& exchange : crew.plan->exchanges)
      if (!exchange.stages.empty()) add_exchanger(crew, exchange);
    if (number == 0) out_.saver = first;
  }

  void add_exchanger(Crew& crew, const Exchange& exchange) {
    const bool drawn = crew.number == 0 && plan_.streams == 1;
    Exchanger& e = crew.exchanges.emplace_back();
    e.stream = graph().add_stream(drawn ? "Node 0, GPU 0" : "", "communication stream");
    e.bucket = exchange.bucket;
    e.stages = &exchange.stages;
    e.ready = graph().add_channel(e.stream);
    e.turn = graph().add_channel(e.stream, crew.exchanges.size() == 1 ? 1 : 0);
    out_.crews.back().exchanges.push_back(e.stream);
  }

  // ---- input and exchanges

  [[nodiscard]] StepFlow flow(const char* name, StepPartOf part, int pattern, double work) const {
    const auto p = static_cast<std::size_t>(pattern);
    return {name, part, {.work = work, .weight = plan_.weights[p]}, uses_[p]};
  }

  /// Fetches one batch of the crew after the other: storage, fabric, host cores and PCIe at once.
  void add_loader(const Crew& crew) {
    Stream stream = graph().stream(crew.loader).daemon();
    if (laps_.from == StartFrom::saved_state) stream.wait(crew.begun, untold);
    const double samples = spec_.batch_per_gpu * spec_.accumulation * crew.plan->ranks;
    stream.repeat(forever).run(flow("batch", nullptr, crew.plan->input, samples));
    stream.wait(crew.places, untold).signal(crew.batches).end();
  }

  /// A bucket leaves when the last GPU of the crew has it. Collectives run kernels of their own beside those
  /// of the network.
  void add_exchanges(const Crew& crew) {
    for (std::size_t e = 0; e < crew.exchanges.size(); ++e) {
      const Exchanger& x = crew.exchanges[e];
      const bool in_turn = plan_.streams == 1 && crew.exchanges.size() > 1;
      Stream stream = graph().stream(x.stream).daemon();
      stream.repeat(forever).wait(x.ready, untold, crew.kernels.size());
      if (in_turn) stream.wait(x.turn, untold);
      for (const FlowStage& stage : *x.stages) {
        StepFlow sent = flow("gradient exchange", &StepParts::exchange_busy, stage.pattern, stage.work);
        if (stage.rate_cap > 0) sent.arguments.rate_cap = stage.rate_cap * spec_.network_scale;
        sent.arguments.latency = stage.latency / spec_.network_scale;
        if (plan_.on_gpus) sent.holds = multiprocessors_;
        stream.run(sent);
      }
      if (in_turn) stream.signal(crew.exchanges[(e + 1) % crew.exchanges.size()].turn);
      stream.signal(crew.reduced).end();
    }
  }

  /// The vectors of split tables, which nothing hides: each GPU sends to all others of its node, then to its
  /// peers on other nodes.
  void add_vectors(Crew& crew) {
    const char* group = crew.number == 0 ? "Node 0, GPU 0" : "";
    const std::uint32_t row = graph().add_stream(group, "all-to-all of table vectors");
    crew.vectors_asked = graph().add_channel(row);
    crew.vectors_there = graph().add_channel(crew.kernels.front().stream);
    Stream stream = graph().stream(row).daemon();
    stream.repeat(forever).wait(crew.vectors_asked, untold);
    stream.run({"inside nodes", nullptr, spec_.vectors_inside});
    stream.run({"between nodes", nullptr, spec_.vectors_between});
    stream.signal(crew.vectors_there).end();
  }

  // ---- one step

  static void run_kernels(Stream& stream, const Kernels& k, const char* name, StepPartOf part,
                          Duration time) {
    stream.run(StepFlow{name, part, {.work = time.base()}, {{k.multiprocessors, 1}}});
  }

  /// Back-propagation, or what comes between the buckets that follow the update.
  void send_buckets(Stream& stream, const Crew& crew, const Kernels& k, StepPartOf part) const {
    auto next = crew.exchanges.begin();
    for (std::size_t b = 0; b < times_.buckets.size(); ++b) {
      run_kernels(stream, k, "backward", part, times_.buckets[b].before);
      for (; next != crew.exchanges.end() && next->bucket == static_cast<int>(b); ++next)
        stream.signal(next->ready);
    }
  }

  void add_update(Stream& stream, const Kernels& k) const {
    stream.run({"optimizer", &StepParts::optimizer, times_.optimizer / k.gpus.pace});
  }

  /// From the batch to the end of back-propagation, or where weights are sent to that of the update.
  void compute(Stream& stream, const Crew& crew, const Kernels& k) const {
    run_kernels(stream, k, "forward", &StepParts::forward, times_.forward);
    stream.run({"forward", &StepParts::forward, plan_.extra_forward});
    if (!sends_late()) send_buckets(stream, crew, k, &StepParts::backward);
    run_kernels(stream, k, "backward", &StepParts::backward, times_.backward_tail);
    stream.run({"backward", &StepParts::backward, plan_.extra_backward});
    if (!sends_late()) return;
    add_update(stream, k);
    send_buckets(stream, crew, k, &StepParts::exchange_wait);
  }

  /// What has come back is made gradients, or weights, again.
  void unpack(Stream& stream, const Kernels& k) const {
    run_kernels(stream, k, "unpacking", &StepParts::exchange_wait, times_.unpacking);
  }

  void add_step(Stream& stream, const Crew& crew) const {
    const Kernels& k = crew.kernels.front();
    const StepWait stragglers{"waiting for stragglers", &StepParts::straggler_wait};
    const auto let_others_go = [&] {
      for (std::size_t other = 1; other < crew.kernels.size(); ++other) stream.signal(crew.kernels[other].go);
    };
    stream.wait(crew.batches, {"waiting for input", &StepParts::input_wait}).signal(crew.places);
    if (crew.others() > 0) stream.wait(crew.arrived, stragglers, crew.others());
    let_others_go();
    compute(stream, crew, k);
    if (crew.others() > 0) stream.wait(crew.arrived, stragglers, crew.others());
    if (!crew.exchanges.empty())
      stream.wait(crew.reduced, {"waiting for all-reduce", &StepParts::exchange_wait}, crew.exchanges.size());
    let_others_go();
    unpack(stream, k);
    if (!sends_late()) add_update(stream, k);
    if (has_vectors())
      stream.signal(crew.vectors_asked)
          .wait(crew.vectors_there, {"exchange of table vectors", &StepParts::table_exchange});
    stream.mark(step_ended);
  }

  /// Another stream of kernels produces its gradients, and meets the first where that one takes and gives.
  void add_other(const Crew& crew, const Kernels& k) {
    Stream stream = graph().stream(k.stream).daemon();
    stream.repeat(forever).signal(crew.arrived).wait(k.go, untold);
    compute(stream, crew, k);
    stream.signal(crew.arrived).wait(k.go, untold);
    unpack(stream, k);
    if (!sends_late()) add_update(stream, k);
    stream.end();
  }

  void add_steps_for_ever(const Crew& crew) {
    Stream stream = graph().stream(crew.kernels.front().stream).daemon();
    stream.repeat(forever);
    add_step(stream, crew);
    stream.end();
  }

  // ---- the run

  void repeat_steps(Stream& stream, std::uint64_t laps) const {
    stream.repeat(laps);
    add_step(stream, crews_.front());
    stream.end();
  }

  void add_run() {
    Stream stream = graph().stream(crews_.front().kernels.front().stream);
    if (laps_.from == StartFrom::saved_state) {
      stream.run(state("reading the state", plan_.restore_pattern));
      for (const Crew& crew : crews_) stream.signal(crew.begun);
    }
    repeat_steps(stream, laps_.before);
    if (laps_.regular > 0) {
      stream.repeat(laps_.regular);
      add_save(stream);
      repeat_steps(stream, laps_.every);
      stream.end();
    }
    if (!laps_.last_save) return;
    add_save(stream);
    repeat_steps(stream, laps_.after);
  }

  // ---- saves

  /// The state on its way, in one of the plan's patterns.
  [[nodiscard]] StepFlow state(const char* name, int pattern) const {
    const bool apart = plan_.busiest_save < 1;
    if (apart && pattern == plan_.write_pattern) name = "checkpoint, the node's own part";
    if (apart && pattern == plan_.restore_pattern) name = "reading the node's own part of the state";
    StepFlow out = flow(name, nullptr, pattern, work_of(spec_.save.state));
    if (spec_.save.client > Bandwidth{0} && pattern != plan_.copy_pattern)
      out.arguments.rate_cap = spec_.save.client.base() * spec_.input_scale / plan_.busiest_save;
    return out;
  }

  void add_writer() {
    out_.saver = graph().add_stream("Node 0, host", "checkpoint writer");
    asked_ = graph().add_channel(out_.saver);
    written_ = graph().add_channel(crews_.front().kernels.front().stream, 1);
    StepFlow write = state("checkpoint", plan_.write_pattern);
    write.arguments.outlasts_laps = true;
    Stream stream = graph().stream(out_.saver).daemon();
    stream.repeat(endless).wait(asked_, untold).run(write).mark(state_written).signal(written_).end();
  }

  /// Training stands still until the state is written, or copied to the host. Begins no save before the one
  /// before it is written.
  void add_save(Stream& stream) const {
    stream.mark(save_began);
    if (spec_.save.asynchronous) stream.wait(written_, untold);
    stream.run({"checkpoint", nullptr, spec_.save.pause});
    if (spec_.save.asynchronous) {
      stream.run(state("copy to the host", plan_.copy_pattern)).signal(asked_);
    } else {
      stream.run(state("checkpoint", plan_.write_pattern)).mark(state_written);
    }
  }

  const Cluster& cluster_;
  const TrainingSpec& spec_;
  const DataParallelPlan& plan_;
  const StepTimes& times_;
  const TrainingLaps& laps_;
  DataParallelGraph out_;
  std::vector<Crew> crews_;
  std::vector<std::vector<Usage>> uses_;     ///< of each pattern
  std::vector<ResourceId> multiprocessors_;  ///< of all crews
  StepChannel asked_, written_;              ///< of the writer, and of the first stream
};

}  // namespace

DataParallelGraph data_parallel_graph(const Cluster& cluster, const TrainingSpec& spec,
                                      const DataParallelPlan& plan, const StepTimes& kernels,
                                      const TrainingLaps& laps) {
  return DataParallelBuilder{cluster, spec, plan, kernels, laps}.build();
}

}  // namespace rackcast
