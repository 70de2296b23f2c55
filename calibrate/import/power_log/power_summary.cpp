#include <algorithm>
#include <cmath>

#include "calibrate/import/power_log/power_log.hpp"

namespace rackcast {
namespace {

/// Gaps are longer than this many usual steps.
constexpr double steps_of_a_gap = 5;

/// Value at `part` (0 to 1) of sorted values, between two by straight line.
double value_at(const std::vector<double>& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (place - std::floor(place)) * (sorted[below + 1] - sorted[below]);
}

/// Median of the steps forward; 0 where there is none.
double usual_step(const std::vector<PowerSample>& samples) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < samples.size(); ++i)
    if (const double step = samples[i].time_s - samples[i - 1].time_s; step > 0) steps.push_back(step);
  if (steps.empty()) return 0;
  std::ranges::sort(steps);
  return value_at(steps, 0.5);
}

void add_time(const std::vector<PowerSample>& samples, PowerSummary& out) {
  out.step_s = usual_step(samples);
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double step = samples[i].time_s - samples[i - 1].time_s;
    if (step < 0) {
      ++out.backwards;
    } else if (step == 0) {
      ++out.at_once;
    } else if (step > steps_of_a_gap * out.step_s) {
      ++out.gaps;
      out.gaps_s += step;
    } else {
      out.covered_s += step;
      out.energy_j += step * (samples[i].watts + samples[i - 1].watts) / 2;
    }
  }
}

/// From `time` on the GPU draws `watts`; negative: it has no sample any more.
struct PowerEvent {
  double time = 0;
  std::size_t gpu = 0;
  double watts = 0;
};

/// Every sample, and the end of what a last sample before a gap stands for.
std::vector<PowerEvent> power_events(const PowerLog& log, const std::vector<PowerSummary>& summaries) {
  std::vector<PowerEvent> events;
  for (std::size_t gpu = 0; gpu < log.gpus.size(); ++gpu) {
    const auto& samples = log.gpus[gpu].samples;
    const double step = summaries[gpu].step_s;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      events.push_back({samples[i].time_s, gpu, samples[i].watts});
      const bool last = i + 1 == samples.size();
      if (last || samples[i + 1].time_s - samples[i].time_s > steps_of_a_gap * step)
        events.push_back({samples[i].time_s + step, gpu, -1});
    }
  }
  std::ranges::stable_sort(events, {}, &PowerEvent::time);
  return events;
}

struct HeldPower {
  double watts = 0, seconds = 0;
};

/// The sum while all GPUs have a sample.
std::vector<HeldPower> held_sums(const std::vector<PowerEvent>& events, std::size_t gpus) {
  std::vector<double> now(gpus, -1);
  std::vector<HeldPower> out;
  std::size_t known = 0;
  double sum = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const PowerEvent& event = events[i];
    double& own = now[event.gpu];
    if (own >= 0) {
      sum -= own;
      --known;
    }
    own = event.watts;
    if (own >= 0) {
      sum += own;
      ++known;
    }
    const double seconds = i + 1 < events.size() ? events[i + 1].time - event.time : 0;
    if (known == gpus && seconds > 0) out.push_back({sum, seconds});
  }
  return out;
}

}  // namespace

PowerSummary power_summary_of(const PowerSeries& series, bool times_known) {
  PowerSummary out;
  std::vector<double> watts;
  for (const PowerSample& sample : series.samples) {
    watts.push_back(sample.watts);
    out.mean += sample.watts / static_cast<double>(series.samples.size());
  }
  std::ranges::sort(watts);
  out.median = value_at(watts, 0.5);
  out.percentile_5 = value_at(watts, 0.05);
  out.percentile_95 = value_at(watts, 0.95);
  out.peak = watts.back();
  out.step_s = 1;
  if (times_known) add_time(series.samples, out);
  return out;
}

std::optional<PowerSummary> power_summary_of_sum(const PowerLog& log,
                                                 const std::vector<PowerSummary>& summaries) {
  PowerSummary out;
  for (const PowerSummary& one : summaries) {
    if (one.backwards > 0) return std::nullopt;
    out.energy_j += one.energy_j;
    out.covered_s += one.covered_s;
  }
  std::vector<HeldPower> held = held_sums(power_events(log, summaries), log.gpus.size());
  if (held.empty()) return std::nullopt;
  std::ranges::sort(held, {}, &HeldPower::watts);
  double seconds = 0, joules = 0;
  for (const HeldPower& h : held) {
    seconds += h.seconds;
    joules += h.seconds * h.watts;
  }
  out.mean = joules / seconds;
  out.peak = held.back().watts;
  const auto at = [&](double part) {
    double before = 0;
    for (const HeldPower& h : held)
      if ((before += h.seconds) >= part * seconds) return h.watts;
    return held.back().watts;
  };
  out.percentile_5 = at(0.05);
  out.median = at(0.5);
  out.percentile_95 = at(0.95);
  return out;
}

}  // namespace rackcast
