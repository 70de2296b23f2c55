#pragma once
/// Writes the tasks of one rank of a record (step_record.hpp).
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/recorded/recorded_step.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

class RankRecord {
 public:
  explicit RankRecord(RecordedRank& rank) : rank_{rank} {}

  /// Behind the last kernel, and behind `after`. Returns its number.
  std::size_t kernel(std::string name, RecordedPhase phase, Duration time,
                     std::vector<std::size_t> after = {}) {
    if (last_) after.push_back(*last_);
    last_ = add(std::move(name), RecordedKind::kernel, phase, std::move(after));
    rank_.tasks[*last_].time = time;
    rank_.tasks[*last_].queue = "kernels";
    return *last_;
  }
  /// A collective or message. Kernels go on meanwhile unless they wait for it. Returns its number.
  std::size_t exchange(std::string name, RecordedKind kind, Collective operation, Bytes payload,
                       std::string group, std::vector<std::size_t> after) {
    const std::size_t number = add(std::move(name), kind, RecordedPhase::backward, std::move(after));
    RecordedTask& added = rank_.tasks[number];
    added.operation = operation;
    added.payload = payload;
    added.group = std::move(group);
    added.queue = kind == RecordedKind::send      ? "messages sent"
                  : kind == RecordedKind::receive ? "messages received"
                  : added.group.empty()           ? "collectives"
                                                  : "collectives of group " + added.group;
    return number;
  }
  RecordedTask& task(std::size_t number) { return rank_.tasks[number]; }
  /// To wait for all kernels so far.
  [[nodiscard]] std::vector<std::size_t> behind_kernels() const {
    return last_ ? std::vector{*last_} : std::vector<std::size_t>{};
  }

 private:
  std::size_t add(std::string name, RecordedKind kind, RecordedPhase phase, std::vector<std::size_t> after) {
    RecordedTask& added = rank_.tasks.emplace_back();
    added.id = rank_.tasks.size() - 1;
    added.name = std::move(name);
    added.kind = kind;
    added.phase = phase;
    std::ranges::sort(after);
    added.after = std::move(after);
    return rank_.tasks.size() - 1;
  }
  RecordedRank& rank_;
  std::optional<std::size_t> last_;  ///< kernel
};

inline const char* word_of(RecordedPhase phase) {
  constexpr const char* words[] = {"forward", "backward", "optimizer"};
  return words[static_cast<std::size_t>(phase)];
}

[[noreturn]] inline void no_record(const std::string& what) {
  throw Error{what + " cannot be written as a record", {}, "docs/guide/traces.md says what can"};
}

}  // namespace rackcast
