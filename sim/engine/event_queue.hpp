#pragma once
/// The queue of future events: a radix heap of 16-byte entries.
///
/// Problem: a binary heap of 100,000 events costs some 17 dependent cache misses per event. Simulated time
/// only moves forward, and that allows something better. Idea: write times in base 16. An event belongs to
/// the bucket (level, digit), where level is the highest base-16 digit in which its time differs from `base_`
/// (the time of the last event taken) and digit is the time's own digit there. The earliest event is then in
/// the lowest bucket of the lowest level. Taking it moves base_ there, and the rest of that bucket falls to
/// lower levels. Cost: a push is a count of leading zeros and an append. An event is moved at most once per
/// level, in practice log16(events pending) times, always sequentially. Order: events of equal time are
/// always in the same bucket and are moved in order, so they come out in the order in which they went in; no
/// sequence number is stored. Priorities within an instant are the engine's. Reference: Ahuja, Mehlhorn,
/// Orlin & Tarjan, "Faster algorithms for the shortest path problem", JACM 37(2), 1990 (one- and two-level
/// radix heaps).
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/engine/time.hpp"

namespace rackcast {

class EventQueue {
 public:
  EventQueue() { earliest_.fill(never.ticks); }

  [[nodiscard]] bool empty() const { return levels_ == 0; }

  /// Starts over at `base`; only when empty.
  void rebase(SimTime base) { base_ = base.ticks; }

  /// `time` must be later than the last time taken.
  void push(SimTime time, std::uint64_t payload) {
    const auto t = static_cast<std::uint64_t>(time.ticks);
    const std::size_t level =
        static_cast<unsigned>(std::bit_width(t ^ static_cast<std::uint64_t>(base_)) - 1) / digit_bits;
    const std::size_t digit = (t >> (level * digit_bits)) % radix;
    const std::size_t bucket = level * radix + digit;
    buckets_[bucket].push_back({time.ticks, payload});
    if (time.ticks < earliest_[bucket]) earliest_[bucket] = time.ticks;
    digits_[level] |= 1u << digit;
    levels_ |= 1u << level;
  }

  /// Time of the earliest event; only when not empty.
  [[nodiscard]] SimTime next_time() const { return {earliest_[lowest_bucket()]}; }

  /// Calls sink(payload) for the events at next_time() in the order of their pushes. The sink may push later
  /// events. What place_of(payload) points to, or null, is fetched into the cache shortly before it is
  /// needed: with many processes most of a wake-up would be waiting for the coroutine's frame.
  template <class Sink, class PlaceOf>
  void take(Sink&& sink, PlaceOf&& place_of) {
    const std::size_t bucket = lowest_bucket();
    const std::size_t level = bucket / radix;
    digits_[level] &= ~(1u << (bucket % radix));
    if (digits_[level] == 0) levels_ &= ~(1u << level);
    base_ = earliest_[bucket];
    earliest_[bucket] = never.ticks;
    // Nothing below pushes into this bucket: what stays differs from base_ only in lower digits.
    std::vector<Entry>& entries = buckets_[bucket];
    const bool few = entries.size() <= few_entries;
    for (const Entry& entry : entries) {
      if (entry.time == base_) {
        sink(entry.payload);
      } else {
        push({entry.time}, entry.payload);
        if (few) fetch(place_of(entry.payload));
      }
    }
    entries.clear();
  }

 private:
  struct Entry {
    std::int64_t time;
    std::uint64_t payload;
  };
  static constexpr std::size_t few_entries = 256;
  static constexpr std::size_t fetched_bytes = 192;  ///< a coroutine frame's promise and its first variables
  static constexpr unsigned digit_bits = 4;
  static constexpr std::size_t radix = std::size_t{1} << digit_bits;
  static constexpr std::size_t level_count = 64 / digit_bits;

  // A macro-like must: GCC 12 takes a function that only prefetches for one without effect and drops the
  // call.
  [[gnu::always_inline]] static void fetch(const void* place) {
    const auto address = reinterpret_cast<std::uintptr_t>(place);  // may be null or end early: only a hint
    for (std::size_t line = 0; line < fetched_bytes; line += 64)
      __builtin_prefetch(reinterpret_cast<const void*>(address + line));
  }

  [[nodiscard]] std::size_t lowest_bucket() const {
    const auto level = static_cast<std::size_t>(std::countr_zero(levels_));
    return level * radix + static_cast<std::size_t>(std::countr_zero(digits_[level]));
  }

  std::int64_t base_ = 0;
  std::uint32_t levels_ = 0;  ///< bit per level with events
  std::array<std::uint32_t, level_count> digits_{};
  std::array<std::int64_t, level_count * radix> earliest_{};
  std::array<std::vector<Entry>, level_count * radix> buckets_;
};

/// First in, first out, without allocation once grown: the events of the current instant.
class EventRing {
 public:
  [[nodiscard]] bool empty() const { return head_ == tail_; }

  void push(std::uint64_t payload) {
    if (tail_ - head_ == ring_.size()) grow();
    ring_[tail_++ & (ring_.size() - 1)] = payload;
  }
  std::uint64_t pop() { return ring_[head_++ & (ring_.size() - 1)]; }

 private:
  void grow() {
    std::vector<std::uint64_t> larger(ring_.empty() ? 64 : ring_.size() * 2);
    std::size_t count = 0;
    while (head_ != tail_) larger[count++] = pop();
    ring_ = std::move(larger);
    head_ = 0;
    tail_ = count;
  }

  std::vector<std::uint64_t> ring_;  ///< a power of two long
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

}  // namespace rackcast
