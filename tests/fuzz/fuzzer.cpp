// What libFuzzer calls. One program holds all targets; RACKCAST_FUZZ_TARGET says which one runs.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>

#include "tests/fuzz/json_mutator.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using rackcast::fuzz::Form;

const rackcast::fuzz::Target& asked() {
  static const rackcast::fuzz::Target& target = [] {
    const char* name = std::getenv("RACKCAST_FUZZ_TARGET");
    if (const auto* found = rackcast::fuzz::find_target(name ? name : "")) return std::cref(*found);
    std::fputs("RACKCAST_FUZZ_TARGET must be one of:", stderr);
    for (const rackcast::fuzz::Target& one : rackcast::fuzz::targets())
      std::fprintf(stderr, " %s", std::string{one.name}.c_str());
    std::fputs("\n", stderr);
    std::exit(2);
  }();
  return target;
}

std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Where a line begins and ends.
std::pair<std::size_t, std::size_t> some_line(const std::string& text, std::minstd_rand& random) {
  const std::size_t at = text.empty() ? 0 : random() % text.size();
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  return {before == std::string::npos ? 0 : before + 1, std::min(text.find('\n', at), text.size())};
}

/// Copies what fits; 0 where it does not.
std::size_t put(const std::string& text, std::uint8_t* to, std::size_t room) {
  if (text.size() > room) return 0;
  std::copy(text.begin(), text.end(), reinterpret_cast<char*>(to));
  return text.size();
}

}  // namespace

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t room);
int LLVMFuzzerInitialize(int* count, char*** words);
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t room, unsigned seed);
std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b,
                                      std::size_t b_size, std::uint8_t* out, std::size_t room, unsigned seed);

int LLVMFuzzerInitialize(int*, char***) {
  (void)asked();
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)rackcast::fuzz::accepts(asked(), text_of(data, size));
  return 0;
}

/// Two mutations of JSON in three keep it JSON, so that they reach what lies behind the parser.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t room, unsigned seed) {
  std::minstd_rand random{seed + 1};
  if (asked().form != Form::bytes && random() % 3 != 0) {
    const auto bytes = [](std::string text) {
      const std::size_t before = text.size();
      text.resize(before + 16);
      text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), before, text.size()));
      return text;
    };
    const std::string text = text_of(data, size);
    const auto [from, to] =
        asked().form == Form::json ? std::pair{std::size_t{0}, size} : some_line(text, random);
    if (auto mutated = rackcast::fuzz::mutate_json(text.substr(from, to - from), random, bytes)) {
      if (asked().form == Form::json_lines) std::erase(*mutated, '\n');
      if (const std::size_t length = put(text.substr(0, from) + *mutated + text.substr(to), data, room))
        return length;
    }
  }
  return LLVMFuzzerMutate(data, size, room);
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b,
                                      std::size_t b_size, std::uint8_t* out, std::size_t room,
                                      unsigned seed) {
  std::minstd_rand random{seed + 1};
  if (asked().form == Form::json)
    if (const auto crossed = rackcast::fuzz::cross_json(text_of(a, a_size), text_of(b, b_size), random))
      if (const std::size_t length = put(*crossed, out, room)) return length;
  // The head of one and the tail of the other.
  const std::string text = text_of(a, a_size).substr(0, random() % (a_size + 1)) +
                           text_of(b, b_size).substr(random() % (b_size + 1));
  return put(text.substr(0, room), out, room);
}
}
