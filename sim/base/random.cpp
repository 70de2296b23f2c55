#include "sim/base/random.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <numbers>

namespace rackcast {
namespace {

/// FNV-1a, 64 bits (Fowler, Noll, Vo): the same for a name on every machine, unlike std::hash.
std::uint64_t hash_name(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  return hash;
}

/// splitmix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
std::uint64_t splitmix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) {
  // The seed is mixed before the name joins it: near seeds and near names must not give near states.
  std::uint64_t mixed = seed;
  std::uint64_t state = splitmix(mixed) ^ hash_name(name);
  for (auto& word : state_) word = splitmix(state);
}

std::uint64_t RandomStream::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double RandomStream::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double RandomStream::uniform(double low, double high) {
  return low + (high - low) * uniform();
}

std::uint64_t RandomStream::below(std::uint64_t n) {
  assert(n > 0);
  // The first 2^64 mod n values would make the small remainders likelier.
  const std::uint64_t unfair = (0 - n) % n;
  std::uint64_t value = next();
  while (value < unfair) value = next();
  return value % n;
}

double RandomStream::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));  // 1 - u is in (0, 1]
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

double RandomStream::exponential(double mean) {
  return -mean * std::log(1.0 - uniform());
}

}  // namespace rackcast
