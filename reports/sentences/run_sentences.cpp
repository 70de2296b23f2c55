#include "reports/sentences/run_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/blocks/format.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {

namespace {

/// Seconds of a part of the step; 0 where it has no such part.
double seconds_of(const StepBreakdown& step, std::string_view name) {
  const auto found = std::ranges::find(step.parts, name, &StepBreakdown::Part::name);
  return found == step.parts.end() ? 0 : found->seconds;
}

/// Whether a step is like the one before, where it is not; with a space in front.
std::string repetition_text(const StepBreakdown& step) {
  if (step.cycle_steps)
    return fmt::format(
        " Steps differ in turn: {} of them make a cycle, and the figures of a step are its mean.",
        *step.cycle_steps);
  if (!step.simulated_steps) return {};
  return fmt::format(
      " Steps do not repeat: {} were simulated, and the figures of a step are the mean over their last half.",
      *step.simulated_steps);
}

double rate_of(const InputPath& input, const std::string& stage) {
  const auto found = std::ranges::find(input.funnel, stage, &InputPath::Stage::name);
  return found == input.funnel.end() ? 0 : found->samples_per_s;
}

}  // namespace

std::string step_text(const StepBreakdown& step) {
  const double exposed = seconds_of(step, "all-reduce, exposed"), busy = step.all_reduce_busy_s;
  std::string out = fmt::format(
      "One step takes {}; it is bound by {}. {:.0f} % of the all-reduce is hidden behind back-propagation.",
      duration_text(step.total_s), step.binds, busy > 0 ? 100 * std::max(0.0, 1 - exposed / busy) : 100.0);
  if (const double bubble = seconds_of(step, "pipeline bubble"); bubble > 0)
    out += fmt::format(" The pipeline fills and drains for {}, {:.0f} % of it: the bubble.",
                       duration_text(bubble), 100 * (bubble / step.total_s));
  if (const double tables = seconds_of(step, "exchange of table vectors"); tables > 0)
    out += fmt::format(" The exchange of table vectors takes {}, {:.0f} % of it, and is not hidden.",
                       duration_text(tables), 100 * (tables / step.total_s));
  out += repetition_text(step);
  return step.no_timeline.empty() ? out : out + " " + step.no_timeline;
}

std::string path_text(const Timeline& timeline) {
  struct Part {
    double seconds = 0;
    std::string where;
    std::size_t streams = 0;
  };
  std::map<std::string, Part> parts;
  for (const Timeline::PathPart& part : timeline.path) {
    Part& sum = parts[part.what];
    sum.seconds += part.seconds;
    sum.where = part.where;
    ++sum.streams;
  }
  std::vector<std::pair<std::string, Part>> longest{parts.begin(), parts.end()};
  std::ranges::stable_sort(longest, std::greater{}, [](const auto& part) { return part.second.seconds; });
  constexpr std::size_t most_named = 5;
  if (longest.size() > most_named) longest.resize(most_named);
  std::vector<std::string> named;
  for (const auto& [what, part] : longest) {
    const double share = part.seconds / timeline.length;
    if (constexpr double least_named = 0.01; share < least_named) continue;
    std::string where = part.streams > 1 ? "several streams" : part.where;
    if (!where.empty()) where = " (" + where + ")";
    named.push_back(fmt::format("{} {}{}", percent_text(share), what, where));
  }
  return fmt::format(
      "The critical path, the chain of tasks that sets the time of this step: {}. Shorter tasks elsewhere "
      "would "
      "not shorten the step, but where they share a link with these.",
      fmt::join(named, ", "));
}

std::string input_text(const InputPath& input) {
  std::string out = fmt::format("Bottleneck in the first epoch: {} with {:.0f} samples/s", input.binds,
                                rate_of(input, input.binds));
  if (input.next != input.binds)
    out +=
        fmt::format("; the next, {}, passes {:.3g} times as many", input.next, input.next_ratio.value_or(1));
  if (const double required = input.required_bytes_per_s.value_or(0); required > 0)
    out += fmt::format(". Busy GPUs read {} from storage, which can deliver {}", to_text(Bandwidth{required}),
                       input.available_bytes_per_s ? to_text(Bandwidth{*input.available_bytes_per_s})
                                                   : std::string{"as much as anybody asks for"});
  return out + ".";
}

std::string reliability_text(const Reliability& r) {
  return fmt::format(
      "{:.3g} % of the elapsed time is training that is kept; a failure every {} on {}, a checkpoint every "
      "{} "
      "({}), {:.3g} interruptions of the whole training.",
      100 * r.goodput.value, duration_text(r.job_mttf.value), counted(r.nodes, "node"),
      duration_text(r.interval_s), r.interval_rule, r.interruptions.value);
}

}  // namespace rackcast::reports
