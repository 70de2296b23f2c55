#include "calibrate/measure/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sim/base/error.hpp"
#include "sim/base/random.hpp"

namespace rackcast {
namespace {

void shuffle(std::vector<Experiment>& experiments, std::uint64_t seed) {
  RandomStream random{seed, "calibrate/order"};
  for (std::size_t i = experiments.size(); i > 1; --i)
    std::swap(experiments[i - 1], experiments[random.below(i)]);
}

/// What was seen before and after as one.
Conditions joined(const Conditions& before, const Conditions& after) {
  const auto higher = [](const std::optional<double>& a, const std::optional<double>& b) {
    return a && b ? std::max(*a, *b) : a ? a : b;
  };
  Conditions c = before;
  if (before.clock_mhz && after.clock_mhz && *before.clock_mhz > 0) {
    c.clock_mhz = 0.5 * (*before.clock_mhz + *after.clock_mhz);
    c.clock_drop = 1 - *after.clock_mhz / *before.clock_mhz;
  }
  c.power_w = higher(before.power_w, after.power_w);
  c.temperature_c = higher(before.temperature_c, after.temperature_c);
  for (const std::string& reason : after.throttle)
    if (std::ranges::count(c.throttle, reason) == 0) c.throttle.push_back(reason);
  return c;
}

void warm_up(Trial& trial, const Experiment& experiment, const MeasureHooks& hooks, double deadline) {
  for (int i = 0; i < experiment.warm_up && !hooks.interrupted(); ++i) {
    trial.sample();
    if (hooks.now() > deadline) break;
  }
}

SampleEnd take_samples(Trial& trial, Measurement& m, const StopRule& rule, const MeasureHooks& hooks,
                       double deadline) {
  // The interval costs a sort; looking at it each time would cost more than short samples themselves.
  std::size_t next_look = rule.least_samples;
  for (;;) {
    if (hooks.interrupted()) return SampleEnd::interrupted;
    const double seconds = trial.sample();
    if (!(seconds > 0) || !std::isfinite(seconds))
      throw Error{fmt::format("a sample took {} s, which the clock cannot tell from nothing", seconds)};
    m.samples.push_back(seconds);
    if (m.samples.size() >= next_look) {
      if (is_confident(m.summary(), rule)) return SampleEnd::confidence;
      next_look = m.samples.size() + m.samples.size() / 4 + 1;
    }
    if (m.samples.size() >= rule.most_samples) return SampleEnd::samples;
    if (hooks.now() > deadline) return SampleEnd::time;
  }
}

/// Nothing but samples that were taken stays in the measurement.
Measurement measure_one(const Experiment& experiment, const StopRule& rule, const MeasureHooks& hooks,
                        double deadline) {
  Measurement m = experiment.about;
  const std::unique_ptr<Trial> trial = experiment.prepare();
  const auto look = [&] {
    return experiment.conditions ? experiment.conditions() : Conditions{};
  };
  const Conditions idle = look();
  warm_up(*trial, experiment, hooks, deadline);
  m.warm_up = experiment.warm_up;
  if (hooks.interrupted()) return m;  // perhaps before there was a result to verify
  if (trial->verifies()) {
    const std::string wrong = trial->verify();
    m.verified = wrong.empty();
    if (!wrong.empty()) throw Error{"wrong result, so its time means nothing: " + wrong};
  }
  const Conditions before = look();
  m.stop = take_samples(*trial, m, rule, hooks, deadline);
  m.conditions = joined(before, look());
  m.conditions.load = idle.load;  // before we loaded the machine ourselves
  return m;
}

}  // namespace

MeasureOutcome measure(std::vector<Experiment> experiments, const MeasureOptions& options,
                       const MeasureHooks& hooks) {
  shuffle(experiments, options.seed);
  MeasureOutcome out;
  const double begin = hooks.now(), end = begin + options.budget.base();
  const auto tell = [&](std::size_t done, const std::string& current) {
    if (!hooks.progress) return;
    const double now = hooks.now(), rest = static_cast<double>(experiments.size() - done);
    const double pace = done ? (now - begin) / static_cast<double>(done) : 0;
    const double left = done < 3 ? end - now : std::min(pace * rest, end - now);
    hooks.progress({done, experiments.size(), Duration{now - begin}, Duration{std::max(0.0, left)}, current});
  };
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    const Experiment& experiment = experiments[i];
    tell(i, experiment.about.id);
    const double now = hooks.now();
    const bool stopped = hooks.interrupted();
    if (stopped || now >= end) {
      out.not_measured.push_back({experiment.about.id, stopped ? "interrupted" : "time ran out"});
      out.complete = false;
      continue;
    }
    const double deadline = now + 3 * (end - now) / static_cast<double>(experiments.size() - i + 2);
    try {
      Measurement m = measure_one(experiment, options.stop, hooks, deadline);
      if (m.stop == SampleEnd::interrupted || m.samples.empty()) out.complete = false;
      if (m.samples.empty()) {
        out.not_measured.push_back({m.id, "interrupted"});
      } else {
        out.measurements.push_back(std::move(m));
      }
    } catch (const Error& e) {
      out.not_measured.push_back({experiment.about.id, e.message()});
    } catch (const std::bad_alloc&) {
      out.not_measured.push_back({experiment.about.id, "not enough memory"});
    }
    if (hooks.so_far) hooks.so_far(out);
  }
  tell(experiments.size(), "");
  return out;
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int repeats_for(double seconds_of_one, double target) {
  if (!(seconds_of_one > 0)) return 1000;
  return static_cast<int>(std::clamp(std::ceil(target / seconds_of_one), 1.0, 100000.0));
}

}  // namespace rackcast
