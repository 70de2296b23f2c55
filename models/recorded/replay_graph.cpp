#include "models/recorded/replay_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "models/collectives/cluster.hpp"
#include "models/collectives/timed_exchange.hpp"
#include "models/recorded/replayed_kernels.hpp"
#include "sim/base/error.hpp"
#include "topologies/graph/graph.hpp"

namespace rackcast {

namespace {

constexpr const char *waiting_for_collectives = "waiting for collectives",
                     *waiting_for_stream = "waiting for another stream";
const StepWait untold_wait{{}, nullptr};
constexpr const char* end_of_others = "end of the other queues";  ///< a channel of the main one

/// The ranks of a collective or message on the cluster, and the links that they share with others.
struct Meeting {
  std::string group = {};
  Cluster cluster;
  std::optional<CommModel> comm = {};
  std::vector<std::size_t> members = {};  ///< recorded ranks
  std::set<int> nodes = {};
  bool message = false;  ///< between two ranks
  double at_once = 1;    ///< such groups on the same adapters, this one included
  std::vector<std::pair<ResourceId, ResourceId>> links = {};  ///< inside, between; of each class of nodes
  std::map<std::pair<Collective, double>, TimedExchange> known = {};
  std::optional<std::uint32_t> stream = {};  ///< where several recorded ranks meet
  StepChannel ready = {};
};

/// Puts the graph together.
class ReplayBuilder {
 public:
  ReplayBuilder(const Cluster& cluster, const RecordedStep& step, const ReplaySpec& spec, std::uint64_t laps)
      : cluster_{cluster}, step_{step}, spec_{spec}, kernels_{spec}, laps_{laps} {
    for (const RecordedRank& rank : step_.ranks) {
      number_of_[rank.rank] = queues_.size();
      add_queues(rank);
    }
  }

  ReplayGraph build() {
    add_meetings();
    share_links();
    for (std::size_t r = 0; r < step_.ranks.size(); ++r) connect(r);
    for (std::size_t r = 0; r < step_.ranks.size(); ++r) emit(r);
    for (auto& [key, meeting] : meetings_)
      if (meeting.stream) emit_meeting(meeting);
    ReplayGraph out;
    for (std::size_t r = 0; r < step_.ranks.size(); ++r) {
      out.kernels.push_back(queues_[r].at(main_[r]).stream);
      auto& exchanges = out.exchanges.emplace_back();
      for (const auto& [name, queue] : queues_[r])
        if (is_exchange(step_.ranks[r].tasks[queue.tasks.front()])) exchanges.push_back(queue.stream);
    }
    out.network_log_sigma = network_log_sigma_;
    out.graph = std::move(graph_);
    return out;
  }

 private:
  using Stream = StepGraph::Stream;

  struct Queue {
    std::uint32_t stream = 0;
    std::vector<std::size_t> tasks;
    std::map<std::string, StepChannel> from;  ///< permits of other queues
    StepChannel go;                           ///< the next step may begin
    bool on_gpu = false;
  };
  /// What the emitted stream does around a task.
  struct Around {
    std::vector<std::pair<StepChannel, StepWait>> waits;
    std::vector<StepChannel> signals;
  };

  static bool is_exchange(const RecordedTask& task) {
    return task.kind != RecordedKind::kernel && task.kind != RecordedKind::host;
  }
  static StepPartOf part_of(const RecordedTask& task) {
    switch (task.phase) {
      case RecordedPhase::backward:
        return &StepParts::backward;
      case RecordedPhase::optimizer:
        return &StepParts::optimizer;
      default:
        return &StepParts::forward;
    }
  }
  /// What a trace calls a task; reports know these names (reports/drawings/timeline.cpp).
  static const char* name_of(const RecordedTask& task) {
    if (task.kind == RecordedKind::host) return "host";
    if (task.kind == RecordedKind::collective) return "collective";
    if (is_exchange(task)) return "message";
    switch (task.phase) {
      case RecordedPhase::backward:
        return "backward";
      case RecordedPhase::optimizer:
        return "update";
      default:
        return "forward";
    }
  }
  /// Waiting of a kernel for a task of another queue. Waits of other queues are not drawn.
  static StepWait wait_for(const RecordedTask& task, const RecordedTask& waiter) {
    if (waiter.kind != RecordedKind::kernel) return untold_wait;
    if (task.kind == RecordedKind::collective) return {waiting_for_collectives, &StepParts::exchange_wait};
    if (is_exchange(task)) return {"waiting for another rank", &StepParts::pipeline_wait};
    return {task.kind == RecordedKind::host ? waiting_for_host : waiting_for_stream, part_of(waiter)};
  }

  void add_queues(const RecordedRank& rank) {
    auto& queues = queues_.emplace_back();
    std::map<std::string, Duration> busy;
    for (std::size_t i = 0; i < rank.tasks.size(); ++i) {
      const RecordedTask& task = rank.tasks[i];
      Queue& queue = queues[task.queue];
      queue.on_gpu = task.kind != RecordedKind::host;
      queue.tasks.push_back(i);
      if (task.kind == RecordedKind::kernel) busy[task.queue] += kernels_.time(task);
    }
    if (busy.empty())
      throw Error{"no kernel of the GPU", {.file = rank.file}, "nodes of computation without is_cpu_op"};
    main_.push_back(std::ranges::max_element(busy, {}, [](const auto& q) { return q.second; })->first);
    const std::string group = fmt::format("Rank {}", rank.rank);
    // The first stream that repeats tells when laps do: the kernels.
    queues[main_.back()].stream = graph_.add_stream(group, main_.back());
    for (auto& [name, queue] : queues)
      if (name != main_.back()) queue.stream = graph_.add_stream(group, name);
  }

  // ---- who meets whom

  /// Of the collective's group, or of the two ranks of a message.
  static std::string key_of(const RecordedRank& rank, const RecordedTask& task) {
    if (task.kind == RecordedKind::collective) return "group " + task.group;
    const int from = task.kind == RecordedKind::send ? rank.rank : task.peer;
    const int to = task.kind == RecordedKind::send ? task.peer : rank.rank;
    return fmt::format("message {} {}", from, to);
  }

  void add_meetings() {
    for (std::size_t r = 0; r < step_.ranks.size(); ++r)
      for (const RecordedTask& task : step_.ranks[r].tasks) {
        if (!is_exchange(task)) continue;
        const std::string key = key_of(step_.ranks[r], task);
        auto found = meetings_.find(key);
        if (found == meetings_.end())
          found = meetings_.emplace(key, Meeting{.group = task.group, .cluster = ranks_of(r, task)}).first;
        auto& members = found->second.members;
        if (members.empty() || members.back() != r) members.push_back(r);
      }
    for (auto& [key, meeting] : meetings_) {
      for (const DeviceId gpu : meeting.cluster.ranks)
        meeting.nodes.insert(cluster_.topology.device(gpu).node);
      meeting.message = !key.starts_with("group ");
      add_siblings(meeting);
      meeting.comm.emplace(meeting.cluster, spec_.comm);
      network_log_sigma_ = std::max(network_log_sigma_, meeting.comm->log_sigma());
      if (meeting.message || meeting.members.size() < 2) continue;
      meeting.stream = graph_.add_stream("", "collective of several ranks");
      meeting.ready = graph_.add_channel(*meeting.stream);
    }
  }

  [[nodiscard]] Cluster ranks_of(std::size_t r, const RecordedTask& task) const {
    if (cluster_.ranks.size() == 1) return cluster_;
    if (task.kind != RecordedKind::collective) return some_ranks(cluster_, {step_.ranks[r].rank, task.peer});
    const std::vector<int>* group = step_.ranks_of(task.group);
    if (!group || static_cast<int>(group->size()) == step_.world) return cluster_;
    return some_ranks(cluster_, *group);
  }

  /// Ranks that have no file do the same beside the recorded ones. Between nodes they share the adapters of a
  /// node: groups of as many ranks exchange at once as one group of all its GPUs would.
  void add_siblings(Meeting& meeting) const {
    if (step_.ranks.size() >= static_cast<std::size_t>(step_.world) || meeting.nodes.size() < 2) return;
    const double local = cluster_.local_ranks(), nodes = static_cast<double>(meeting.nodes.size());
    if (meeting.message) {
      meeting.at_once = std::max(1.0, local / std::max(1, cluster_.node.nics));
      return;
    }
    meeting.at_once = std::max(1.0, local * nodes / static_cast<double>(meeting.cluster.ranks.size()));
    if (!(meeting.at_once > 1)) return;
    std::vector<int> all;
    for (std::size_t i = 0; i < cluster_.ranks.size(); ++i)
      if (meeting.nodes.contains(cluster_.topology.device(cluster_.ranks[i]).node))
        all.push_back(static_cast<int>(i));
    meeting.cluster = some_ranks(cluster_, all);
  }

  /// What a meeting takes of the links of a node: those inside belong to GPUs, those between to adapters.
  [[nodiscard]] std::pair<double, double> parts_of_links(const Meeting& meeting) const {
    const double here = static_cast<double>(meeting.cluster.ranks.size()) /
                        static_cast<double>(std::max<std::size_t>(1, meeting.nodes.size()));
    return {std::min(1.0, here / cluster_.local_ranks()),
            std::min(1.0, here / std::max(1, cluster_.node.nics))};
  }

  /// Nodes that the same groups use are one resource, of which the busiest link counts.
  void share_links() {
    std::map<int, std::set<const Meeting*>> users;
    for (const auto& [key, meeting] : meetings_)
      for (const int node : meeting.nodes) users[node].insert(&meeting);
    std::map<std::set<const Meeting*>, std::pair<ResourceId, ResourceId>> classes;
    for (auto& [key, meeting] : meetings_) {
      std::set<std::set<const Meeting*>> seen;
      for (const int node : meeting.nodes) {
        if (users[node].size() < 2 || !seen.insert(users[node]).second) continue;
        auto found = classes.find(users[node]);
        if (found == classes.end())
          found =
              classes
                  .emplace(users[node],
                           std::pair{graph_.add_resource(fmt::format("links inside node {}", node)),
                                     graph_.add_resource(fmt::format("links of node {} to others", node))})
                  .first;
        meeting.links.push_back(found->second);
      }
    }
  }

  StepTask exchange_task(Meeting& meeting, const RecordedTask& task) {
    const auto [known, fresh] = meeting.known.try_emplace({task.operation, task.payload.base()});
    if (fresh && meeting.cluster.ranks.size() > 1)
      known->second = timed_exchange(*meeting.comm, task.operation, meeting.at_once * task.payload);
    const TimedExchange& x = known->second;
    StepTask out{name_of(task), &StepParts::exchange_busy, x.time / spec_.network_scale};
    const auto [of_inside, of_between] = parts_of_links(meeting);
    for (const auto& [inside, between] : meeting.links) {
      if (x.links.inside > 0) out.takes.push_back({inside, of_inside * x.links.inside});
      if (x.links.between > 0) out.takes.push_back({between, of_between * x.links.between});
    }
    return out;
  }

  // ---- who waits for whom

  void connect(std::size_t r) {
    const RecordedRank& rank = step_.ranks[r];
    auto& queues = queues_[r];
    auto& around = around_.emplace_back(rank.tasks.size());
    std::vector<std::size_t> place(rank.tasks.size());
    for (const auto& [name, queue] : queues)
      for (std::size_t i = 0; i < queue.tasks.size(); ++i) place[queue.tasks[i]] = i + 1;
    std::map<std::pair<std::string, std::string>, std::size_t>
        got;  // how far the waiting queue knows the other
    for (std::size_t i = 0; i < rank.tasks.size(); ++i) {
      const RecordedTask& task = rank.tasks[i];
      for (const std::size_t before : task.after) {
        const std::string& other = rank.tasks[before].queue;
        std::size_t& known = got[{task.queue, other}];
        if (other == task.queue || place[before] <= known) continue;
        known = place[before];
        const StepChannel channel = channel_from(rank, queues[task.queue], other);
        around[i].waits.emplace_back(channel, wait_for(rank.tasks[before], task));
        around[before].signals.push_back(channel);
      }
    }
    for (auto& [name, queue] : queues)
      if (queue.on_gpu && name != main_[r]) {
        queue.go = add_channel(rank, queue);
        (void)channel_from(rank, queues[main_[r]], end_of_others);
      }
    for (const std::size_t i : queues_of_messages(r)) connect_message(r, i);
  }

  /// Tasks that receive.
  [[nodiscard]] std::vector<std::size_t> queues_of_messages(std::size_t r) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < step_.ranks[r].tasks.size(); ++i)
      if (step_.ranks[r].tasks[i].kind == RecordedKind::receive) out.push_back(i);
    return out;
  }

  void connect_message(std::size_t r, std::size_t task) {
    const RecordedRank& rank = step_.ranks[r];
    Queue& queue = queues_[r][rank.tasks[task].queue];
    const int peer = rank.tasks[task].peer;
    const std::string key = fmt::format("rank {}", peer);
    around_[r][task].waits.emplace_back(channel_from(rank, queue, key), untold_wait);
  }

  StepChannel add_channel(const RecordedRank& rank, const Queue& queue) {
    try {
      return graph_.add_channel(queue.stream);
    } catch (const Error& e) {
      throw Error{
          fmt::format("queue \"{}\" waits for too many others: {}", graph_.row(queue.stream), e.message()),
          {.file = rank.file},
          "record fewer streams and process groups"};
    }
  }
  StepChannel channel_from(const RecordedRank& rank, Queue& queue, const std::string& other) {
    const auto found = queue.from.find(other);
    if (found != queue.from.end()) return found->second;
    return queue.from.emplace(other, add_channel(rank, queue)).first->second;
  }

  // ---- streams

  void emit(std::size_t r) {
    for (auto& [name, queue] : queues_[r]) {
      const bool main = name == main_[r];
      Stream stream = graph_.stream(queue.stream);
      stream.repeat(laps_);
      for (const std::size_t i : queue.tasks) emit_task(stream, r, i);
      if (main) {
        end_step(stream, r, queue);
      } else if (queue.on_gpu) {
        stream.signal(queues_[r].at(main_[r]).from.at(end_of_others)).wait(queue.go, untold_wait);
      }
      stream.end();
    }
  }

  /// The GPU has done the step when all of its queues have.
  void end_step(Stream& stream, std::size_t r, const Queue& queue) {
    std::uint64_t others = 0;
    bool exchange = false;
    for (const auto& [name, other] : queues_[r]) {
      if (!other.on_gpu || name == main_[r]) continue;
      ++others;
      exchange = exchange || is_exchange(step_.ranks[r].tasks[other.tasks.front()]);
    }
    if (others == 0) return;
    const StepWait wait = exchange ? StepWait{waiting_for_collectives, &StepParts::exchange_wait}
                                   : StepWait{waiting_for_stream, &StepParts::optimizer};
    stream.wait(queue.from.at(end_of_others), wait, others);
    for (const auto& [name, other] : queues_[r])
      if (other.on_gpu && name != main_[r]) stream.signal(other.go);
  }

  void emit_task(Stream& stream, std::size_t r, std::size_t i) {
    const RecordedRank& rank = step_.ranks[r];
    const RecordedTask& task = rank.tasks[i];
    for (const auto& [channel, wait] : around_[r][i].waits) stream.wait(channel, wait);
    if (task.kind == RecordedKind::kernel) {
      stream.run({name_of(task), part_of(task), kernels_.time(task)});
    } else if (task.kind == RecordedKind::host) {
      stream.run({name_of(task), nullptr, task.time});
    } else {
      Meeting& meeting = meetings_.at(key_of(rank, task));
      if (meeting.stream) {
        // Its own exchange is over when the last of the group is done with it.
        Queue& queue = queues_[r][task.queue];
        const StepChannel done = channel_from(rank, queue, "done " + task.group);
        stream.signal(meeting.ready).wait(done, {name_of(task), &StepParts::exchange_busy});
      } else if (task.kind != RecordedKind::receive) {
        stream.run(exchange_task(meeting, task));
      }
      if (task.kind == RecordedKind::send) {
        const std::size_t to = number_of_.at(task.peer);
        Queue& queue = queues_[to].at("messages received");
        stream.signal(channel_from(step_.ranks[to], queue, fmt::format("rank {}", rank.rank)));
      }
    }
    for (const StepChannel& channel : around_[r][i].signals) stream.signal(channel);
  }

  void emit_meeting(Meeting& meeting) {
    const RecordedRank& first = step_.ranks[meeting.members.front()];
    Stream stream = graph_.stream(*meeting.stream);
    stream.repeat(laps_);
    for (const RecordedTask& task : first.tasks) {
      if (task.kind != RecordedKind::collective || task.group != meeting.group) continue;
      stream.wait(meeting.ready, untold_wait, meeting.members.size()).run(exchange_task(meeting, task));
      for (const std::size_t r : meeting.members)
        stream.signal(queues_[r].at(task.queue).from.at("done " + task.group));
    }
    stream.end();
  }

  const Cluster& cluster_;
  const RecordedStep& step_;
  const ReplaySpec& spec_;
  ReplayedKernels kernels_;
  StepGraph graph_;
  std::vector<std::map<std::string, Queue>> queues_;  ///< of each rank
  std::vector<std::string> main_;                     ///< of each rank, its busiest queue of kernels
  std::map<int, std::size_t> number_of_;              ///< of a rank
  std::map<std::string, Meeting> meetings_;
  std::vector<std::vector<Around>> around_;
  std::uint64_t laps_;
  double network_log_sigma_ = 0;
};

}  // namespace

ReplayGraph replay_graph(const Cluster& cluster, const RecordedStep& step, const ReplaySpec& spec,
                         std::uint64_t laps) {
  return ReplayBuilder{cluster, step, spec, laps}.build();
}

}  // namespace rackcast
