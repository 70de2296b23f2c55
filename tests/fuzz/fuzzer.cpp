// What libFuzzer calls. One program holds all targets; RACKCAST_FUZZ_TARGET says which one runs.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "tests/fuzz/json_mutator.hpp"
#include "tests/fuzz/target.hpp"

namespace {

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

/// Of a JSON target two mutations in three keep the text JSON, so that they reach what lies behind the
/// parser.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t room, unsigned seed) {
  std::minstd_rand random{seed + 1};
  if (asked().is_json && random() % 3 != 0) {
    const auto bytes = [](std::string text) {
      text.resize(text.size() + 16);
      const std::size_t now =
          LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), text.size() - 16, text.size());
      text.resize(now);
      return text;
    };
    if (const auto mutated = rackcast::fuzz::mutate_json(text_of(data, size), random, bytes))
      if (const std::size_t length = put(*mutated, data, room)) return length;
  }
  return LLVMFuzzerMutate(data, size, room);
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b,
                                      std::size_t b_size, std::uint8_t* out, std::size_t room,
                                      unsigned seed) {
  std::minstd_rand random{seed + 1};
  if (asked().is_json)
    if (const auto crossed = rackcast::fuzz::cross_json(text_of(a, a_size), text_of(b, b_size), random))
      if (const std::size_t length = put(*crossed, out, room)) return length;
  // The head of one and the tail of the other.
  const std::string text = text_of(a, a_size).substr(0, random() % (a_size + 1)) +
                           text_of(b, b_size).substr(random() % (b_size + 1));
  return put(text.substr(0, room), out, room);
}
}
