// Bandwidth of the main memory, by access pattern and number of threads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibrate/host/host_experiments.hpp"
#include "calibrate/host/host_info.hpp"
#include "calibrate/host/team.hpp"

namespace rackcast {
namespace {

struct Pattern {
  std::string_view name;
  int streams;  ///< arrays that each element moves through
};
constexpr Pattern patterns[] = {{"read", 1}, {"copy", 2}, {"triad", 3}};

class MemoryTrial : public Trial {
 public:
  MemoryTrial(std::string_view pattern, std::size_t elements, int threads)
      : pattern_(pattern), team_(threads), parts_(static_cast<std::size_t>(threads)) {
    const std::size_t each = elements / parts_.size();
    // First touched by the thread that works on it, so that it lies in that thread's memory.
    team_.run([&](int i) {
      Part& part = parts_[static_cast<std::size_t>(i)];
      part.a.assign(each, 0.5);
      if (pattern_ != "read") part.b.assign(each, 2.0);
      if (pattern_ == "triad") part.c.assign(each, 1.0);
    });
  }

  double sample() override {
    return team_.run([this](int i) { pass(parts_[static_cast<std::size_t>(i)]); });
  }

  [[nodiscard]] bool verifies() const override { return true; }

  std::string verify() override {
    for (const Part& part : parts_) {
      const double each = static_cast<double>(part.a.size());
      const double expected = pattern_ == "read" ? 0.5 * each : pattern_ == "copy" ? 2.0 : 5.0;
      const double found = pattern_ == "read" ? part.sum : part.a[part.a.size() / 2];
      if (std::abs(found - expected) > 1e-9 * expected)
        return fmt::format("{} instead of {}", found, expected);
    }
    return {};
  }

 private:
  struct Part {
    std::vector<double> a, b, c;
    double sum = 0;
  };

  void pass(Part& part) const {
    const std::size_t n = part.a.size();
    double* a = part.a.data();
    const double *b = part.b.data(), *c = part.c.data();
    if (pattern_ == "read") {
      double sums[8] = {};  // independent, so that additions do not wait for each other
      for (std::size_t i = 0; i + 8 <= n; i += 8)
        for (std::size_t j = 0; j < 8; ++j) sums[j] += a[i + j];
      part.sum = 0;
      for (const double s : sums) part.sum += s;
    } else if (pattern_ == "copy") {
      std::copy(b, b + n, a);
    } else {
      for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + 3.0 * c[i];
    }
  }

  std::string pattern_;
  Team team_;
  std::vector<Part> parts_;
};

}  // namespace

std::vector<Experiment> memory_experiments(const HostPlan& plan) {
  // Four caches, 64 MB at least, an eighth of the memory at most over up to three arrays; whole lines.
  const double bytes = std::min(std::max(4 * plan.cache.base(), 64e6), plan.memory.base() / 24);
  std::vector<Experiment> out;
  for (const Pattern& pattern : patterns) {
    for (const int threads : thread_steps(plan.threads)) {
      const auto each = static_cast<std::size_t>(bytes / 8 / threads) / 8 * 8;
      const std::size_t elements = each * static_cast<std::size_t>(threads);
      Experiment e;
      e.about.kind = "memory_bandwidth";
      e.about.device = "cpu";
      e.about.id = fmt::format("memory_bandwidth/{}/threads{}", pattern.name, threads);
      e.about.numbers = {{"threads", threads}, {"array_bytes", static_cast<double>(elements) * 8}};
      e.about.labels = {{"pattern", std::string{pattern.name}}};
      e.about.amount = static_cast<double>(elements) * 8 * pattern.streams;
      e.about.amount_unit = "B";
      e.prepare = [=, name = pattern.name] {
        return std::make_unique<MemoryTrial>(name, elements, threads);
      };
      e.conditions = [] {
        return cpu_conditions();
      };
      out.push_back(std::move(e));
    }
  }
  return out;
}

}  // namespace rackcast
