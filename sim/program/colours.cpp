#include "sim/program/colours.hpp"

#include <algorithm>
#include <bit>
#include <span>

namespace rackcast {

namespace {

using Words = std::span<const std::uint64_t>;

/// Numbers distinct sequences of words. Open addressing; equality is tested on the words themselves.
class WordBook {
 public:
  std::uint32_t number(Words words) {
    if (count() != 0 && std::ranges::equal(words, of(last_))) return last_;
    if (count() * 2 >= table_.size()) grow();
    std::size_t place = hash(words) & (table_.size() - 1);
    while (table_[place] != none && !std::ranges::equal(words, of(table_[place]))) {
      place = (place + 1) & (table_.size() - 1);
    }
    if (table_[place] == none) {
      table_[place] = count();
      arena_.insert(arena_.end(), words.begin(), words.end());
      first_.push_back(arena_.size());
    }
    return last_ = table_[place];
  }

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(first_.size() - 1); }
  [[nodiscard]] Words of(std::uint32_t n) const {
    return Words{arena_}.subspan(first_[n], first_[n + 1] - first_[n]);
  }
  static std::uint64_t hash(Words words) {
    std::uint64_t h = words.size();
    for (const std::uint64_t word : words) {
      h = (h ^ word) * 0x9e3779b97f4a7c15u;  // 2^64 over the golden ratio: spreads neighbouring values
      h ^= h >> 29;
    }
    return h;
  }
  void grow() {
    table_.assign(std::max<std::size_t>(64, table_.size() * 2), none);
    for (std::uint32_t n = 0; n < count(); ++n) {
      std::size_t place = hash(of(n)) & (table_.size() - 1);
      while (table_[place] != none) place = (place + 1) & (table_.size() - 1);
      table_[place] = n;
    }
  }

  std::vector<std::uint64_t> arena_;
  std::vector<std::size_t> first_{0};
  std::vector<std::uint32_t> table_;
  std::uint32_t last_ = 0;
};

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value + 0.0);  // -0 is 0
}

void put_arguments(const FlowProgram& program, const ProgramActor& actor, std::vector<std::uint64_t>& words) {
  const Script& script = program.scripts[actor.script];
  words.push_back(actor.script);
  for (std::uint32_t slot = 0; slot < script.durations(); ++slot) {
    words.push_back(bits(program.durations[actor.first_duration + slot].base()));
  }
  for (std::uint32_t slot = 0; slot < script.flows(); ++slot) {
    const FlowArguments& f = program.flows[actor.first_flow + slot].arguments;
    words.insert(words.end(), {bits(f.work), bits(f.weight), bits(f.rate_cap), bits(f.latency.base()),
                               f.outlasts_laps ? 1u : 0u});
  }
}

}  // namespace

std::vector<std::uint32_t> colours_of(const FlowProgram& program) {
  std::vector<std::uint32_t> colours;
  colours.reserve(program.actors.size() + program.resources.size());
  WordBook book;
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < program.actors.size(); ++i) {
    words.clear();
    put_arguments(program, program.actors[i], words);
    colours.push_back(book.number(words));
  }
  constexpr std::uint64_t resource_mark = 0xffffffffffffffff;  // no script has this number
  for (const ProgramResource& resource : program.resources) {
    words.assign({resource_mark, bits(resource.capacity), bits(resource.lost_if_held)});
    colours.push_back(book.number(words));
  }
  return colours;
}

}  // namespace rackcast
