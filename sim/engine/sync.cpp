#include "sim/engine/sync.hpp"

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace rackcast {

Barrier::Barrier(Engine& engine, std::string name, std::uint64_t parties)
    : engine_(engine), name_(std::move(name)), parties_(parties) {
  if (parties == 0) throw Error("barrier \"" + name_ + "\" has no parties", {}, {}, ErrorKind::internal);
}

/// Counts an arrival; if it completes the round, lets the others go.
bool Barrier::arrive_last() {
  if (++arrived_ < parties_) return false;
  arrived_ = 0;
  while (WaitNode* node = line_.pop()) engine_.wake(*node);
  return true;
}

std::string Barrier::describe(std::uint64_t) const {
  return fmt::format("barrier \"{}\" ({} of {} arrived)", name_, arrived_, parties_);
}

void Gate::open() {
  open_ = true;
  while (WaitNode* node = line_.pop()) engine_.wake(*node);
}

std::string Gate::describe(std::uint64_t) const {
  return fmt::format("gate \"{}\" (closed)", name_);
}

}  // namespace rackcast
