#pragma once
/// When marked operations of an actor happened, with the laps that were skipped written as repetitions.
#include <cstdint>
#include <vector>

#include "sim/engine/time.hpp"

namespace rackcast {

struct Mark {
  std::uint32_t label = 0;
  SimTime time{};

  friend bool operator==(const Mark&, const Mark&) = default;
};

class MarkLog {
 public:
  void add(std::uint32_t label, SimTime time) { items_.push_back({false, label, time.ticks, 0}); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  /// What was written since `from` happens `times` times more, each time `period` later.
  void repeat_since(std::size_t from, std::uint64_t times, SimTime period) {
    if (from != items_.size()) items_.push_back({true, from, period.ticks, times});
  }
  /// Appends every mark in order of time; there may be very many.
  void expand(std::vector<Mark>& out) const { expand(0, items_.size(), 0, out); }

 private:
  struct Item {
    bool repetition;
    std::uint64_t what;   ///< label, or the first item that is repeated
    std::int64_t ticks;   ///< time, or period
    std::uint64_t times;  ///< of a repetition
  };

  void expand(std::size_t from, std::size_t to, std::int64_t shift, std::vector<Mark>& out) const {
    for (std::size_t i = from; i < to; ++i) {
      const Item& item = items_[i];
      if (!item.repetition) {
        out.push_back({static_cast<std::uint32_t>(item.what), {item.ticks + shift}});
        continue;
      }
      for (std::uint64_t k = 1; k <= item.times; ++k) {
        expand(static_cast<std::size_t>(item.what), i, shift + static_cast<std::int64_t>(k) * item.ticks,
               out);
      }
    }
  }

  std::vector<Item> items_;
};

}  // namespace rackcast
