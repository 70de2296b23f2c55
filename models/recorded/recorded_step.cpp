#include "models/recorded/recorded_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/lower_case.hpp"

namespace rackcast {

namespace {

[[noreturn]] void refuse(const RecordedRank& rank, std::string message, std::string hint = {}) {
  throw Error{std::move(message), {.file = rank.file}, std::move(hint)};
}

std::string called(const RecordedTask& task) {
  return fmt::format("node {} (\"{}\")", task.id, task.name);
}

/// The collectives of a rank, by group, in their order.
using ExchangesOf = std::map<std::string, std::vector<const RecordedTask*>>;

ExchangesOf exchanges_of(const RecordedRank& rank) {
  ExchangesOf out;
  for (const RecordedTask& task : rank.tasks)
    if (task.kind == RecordedKind::collective) out[task.group].push_back(&task);
  return out;
}

/// Ranks may send different amounts to experts.
bool is_uneven(const RecordedTask& task) {
  return task.operation == Collective::all_to_all;
}

void check_same_exchanges(const RecordedRank& a, const std::vector<const RecordedTask*>& of_a,
                          const RecordedRank& b, const std::vector<const RecordedTask*>& of_b,
                          const std::string& group) {
  const std::string name = group.empty() ? "all ranks" : "group \"" + group + "\"";
  if (of_a.size() != of_b.size())
    refuse(b, fmt::format("{} collectives of {}, and {} in {}", of_b.size(), name, of_a.size(), a.file),
           "the files must be of the same step");
  for (std::size_t i = 0; i < of_a.size(); ++i)
    if (of_a[i]->operation != of_b[i]->operation ||
        (of_a[i]->payload != of_b[i]->payload && !is_uneven(*of_a[i])))
      refuse(b,
             fmt::format("collective {} of {} is {} of {:.0f} bytes, and {} of {:.0f} bytes in {}", i + 1,
                         name, to_string(of_b[i]->operation), of_b[i]->payload.base(),
                         to_string(of_a[i]->operation), of_a[i]->payload.base(), a.file),
             "the files must be of the same step");
}

bool is_member(const RecordedStep& step, const RecordedRank& rank, const std::string& group) {
  const std::vector<int>* ranks = step.ranks_of(group);
  return !ranks || std::ranges::find(*ranks, rank.rank) != ranks->end();
}

void check_messages(const RecordedStep& step) {
  std::map<std::pair<int, int>, std::pair<int, int>> counts;  // by way: sent, received
  std::set<int> known;
  for (const RecordedRank& rank : step.ranks) known.insert(rank.rank);
  for (const RecordedRank& rank : step.ranks) {
    for (const RecordedTask& task : rank.tasks) {
      if (task.kind != RecordedKind::send && task.kind != RecordedKind::receive) continue;
      if (task.peer == rank.rank)
        refuse(rank, fmt::format("{} is a message of rank {} to itself", called(task), task.peer),
               "leave it out of the trace");
      if (!known.contains(task.peer))
        refuse(rank,
               fmt::format("{} exchanges a message with rank {}, of which there is no file", called(task),
                           task.peer),
               "name the files of all ranks that send or receive");
      if (task.kind == RecordedKind::send)
        ++counts[{rank.rank, task.peer}].first;
      else
        ++counts[{task.peer, rank.rank}].second;
    }
  }
  for (const auto& [way, count] : counts)
    if (count.first != count.second)
      throw Error{fmt::format("rank {} sends {} messages to rank {}, which receives {}", way.first,
                              count.first, way.second, count.second),
                  {},
                  "the files must be of the same step"};
}

}  // namespace

const std::vector<int>* RecordedStep::ranks_of(const std::string& group) const {
  const auto found = groups.find(group);
  return found == groups.end() ? nullptr : &found->second;
}

bool RecordedStep::is_data_parallel() const {
  for (const RecordedRank& rank : ranks)
    for (const RecordedTask& task : rank.tasks) {
      if (task.kind == RecordedKind::send || task.kind == RecordedKind::receive) return false;
      if (task.kind != RecordedKind::collective) continue;
      const std::vector<int>* group = ranks_of(task.group);
      if (group && static_cast<int>(group->size()) != world) return false;
    }
  return true;
}

bool is_matrix_kernel(std::string_view name) {
  static constexpr std::string_view words[] = {"gemm",  "gemv",      "cutlass", "xmma",     "conv",
                                               "wgrad", "dgrad",     "fprop",   "winograd", "flash",
                                               "fmha",  "attention", "nvjet",   "matmul"};
  const std::string low = lower_case(name);
  return std::ranges::any_of(words,
                             [&](std::string_view word) { return low.find(word) != std::string::npos; });
}

void set_order(RecordedRank& rank, const std::vector<std::vector<std::uint64_t>>& waits,
               const std::vector<double>& start) {
  const std::size_t count = rank.tasks.size();
  std::unordered_map<std::uint64_t, std::size_t> by_id;
  for (std::size_t i = 0; i < count; ++i)
    if (!by_id.emplace(rank.tasks[i].id, i).second)
      refuse(rank, fmt::format("two nodes have the id {}", rank.tasks[i].id), "a trace holds one step");
  std::vector<std::vector<std::size_t>> before(count), behind(count);
  std::vector<std::size_t> open(count, 0);
  for (std::size_t i = 0; i < count; ++i)
    for (const std::uint64_t id : std::set<std::uint64_t>(waits[i].begin(), waits[i].end())) {
      const auto found = by_id.find(id);
      if (found == by_id.end())
        refuse(rank,
               fmt::format("{} waits for node {}, which the file does not have", called(rank.tasks[i]), id),
               "is the file cut short?");
      before[i].push_back(found->second);
      behind[found->second].push_back(i);
      ++open[i];
    }
  using Entry = std::tuple<double, std::uint64_t, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  const auto push = [&](std::size_t i) {
    ready.emplace(start[i], rank.tasks[i].id, i);
  };
  for (std::size_t i = 0; i < count; ++i)
    if (open[i] == 0) push(i);
  std::vector<std::size_t> place(count);
  std::vector<RecordedTask> sorted;
  sorted.reserve(count);
  while (!ready.empty()) {
    const std::size_t i = std::get<2>(ready.top());
    ready.pop();
    place[i] = sorted.size();
    RecordedTask& task = sorted.emplace_back(std::move(rank.tasks[i]));
    for (const std::size_t b : before[i]) task.after.push_back(place[b]);
    std::ranges::sort(task.after);
    for (const std::size_t next : behind[i])
      if (--open[next] == 0) push(next);
  }
  if (sorted.size() < count) {
    const auto stuck = static_cast<std::size_t>(
        std::ranges::find_if(open, [](std::size_t n) { return n > 0; }) - open.begin());
    refuse(rank,
           fmt::format("nodes wait for each other in a circle, which holds up {} nodes, the first of them {}",
                       count - sorted.size(), called(rank.tasks[stuck])),
           "a node cannot wait for one that waits for it");
  }
  rank.tasks = std::move(sorted);
}

void check_recorded(const RecordedStep& step) {
  std::map<int, const RecordedRank*> by_rank;
  for (const RecordedRank& rank : step.ranks) {
    if (rank.rank < 0 || rank.rank >= step.world)
      refuse(rank, fmt::format("rank {} of a run of {} ranks", rank.rank, step.world),
             "name the files of all ranks, or say how many there are: \"ranks\" of \"graph\"");
    const auto [known, fresh] = by_rank.emplace(rank.rank, &rank);
    if (!fresh)
      refuse(rank, fmt::format("rank {} is also that of {}", rank.rank, known->second->file),
             "name the files of one step only");
  }
  for (const auto& [name, ranks] : step.groups) {
    std::set<int> seen;
    for (const int rank : ranks)
      if (rank < 0 || rank >= step.world || !seen.insert(rank).second)
        throw Error{fmt::format("group \"{}\" has rank {} {}", name, rank,
                                seen.contains(rank) ? "twice" : fmt::format("of {} ranks", step.world)),
                    {.file = step.ranks.front().file},
                    "each rank once, counted from 0"};
  }
  std::vector<ExchangesOf> exchanges;
  std::map<std::string, std::size_t> first_of;  // group: the first rank that exchanges in it
  for (std::size_t r = 0; r < step.ranks.size(); ++r) {
    exchanges.push_back(exchanges_of(step.ranks[r]));
    for (const auto& [group, tasks] : exchanges.back()) {
      if (step.world == 1)
        refuse(step.ranks[r], "the file stands for one rank, and has collectives",
               "say how many ranks the run had: \"ranks\" of \"graph\" for Chakra; Kineto has it in "
               "\"distributedInfo\"");
      if (!is_member(step, step.ranks[r], group))
        refuse(
            step.ranks[r],
            fmt::format("rank {} exchanges in group \"{}\", which it is not in", step.ranks[r].rank, group),
            "are the files those of one run?");
      first_of.emplace(group, r);
    }
  }
  for (const auto& [group, first] : first_of)
    for (std::size_t r = 0; r < step.ranks.size(); ++r)
      if (r != first && is_member(step, step.ranks[r], group))
        check_same_exchanges(step.ranks[first], exchanges[first][group], step.ranks[r], exchanges[r][group],
                             group);
  check_messages(step);
}

}  // namespace rackcast
