#include "models/generation_load.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "sim/error.hpp"

namespace rackcast {
namespace {

/// Of a table for 1, 2, 4, 8 ...; none of nothing, and beyond its end as from the last two on.
Duration time_for(const std::vector<Duration>& times, double number) {
  if (number <= 0) return Duration{0};
  if (times.size() == 1) return times.front();
  const double place = std::log2(std::max(1.0, number));
  const std::size_t below = std::min(static_cast<std::size_t>(place), times.size() - 2);
  const double low = std::exp2(static_cast<double>(below));
  return times[below] + (times[below + 1] - times[below]) * ((std::max(1.0, number) - low) / low);
}

void check(const GenerationLoad& load) {
  if (load.token.empty() || load.rows.empty() || load.output < 1 || load.places < 1 || load.requests < 1 ||
      !(load.prompt >= 1) || !(load.tokens_per_pass >= 1))
    throw Error{"a load of requests needs times, places, requests and tokens"};
}

}  // namespace

Duration time_to_answer_all(const GenerationLoad& load) {
  check(load);
  Duration now{0};
  int arrived = 0, started = 0, passes = 0;
  double done = 0;       // tokens of the first prompt that has not been through
  std::deque<int> ends;  // the pass after which a request in flight is done, in order
  while (started < load.requests || !ends.empty()) {
    while (arrived < load.requests && load.between * static_cast<double>(arrived) <= now) ++arrived;
    if (ends.empty() && started == arrived) now = load.between * static_cast<double>(arrived++);
    const auto flying = static_cast<double>(ends.size());
    const int fresh = std::min(arrived - started, load.places - static_cast<int>(ends.size()));
    const double wanted = load.prompt * fresh - done;
    const double tokens = std::max(0.0, std::min(wanted, load.tokens_per_pass - flying));
    if (!ends.empty()) now += time_for(load.token, flying);
    now += time_for(load.rows, flying + tokens) - time_for(load.rows, flying) +
           load.attention * (tokens / load.prompt);
    done += tokens;
    const int through = tokens < wanted ? static_cast<int>(done / load.prompt) : fresh;
    done = std::max(0.0, done - load.prompt * through);
    started += through;
    ++passes;
    while (!ends.empty() && ends.front() <= passes) ends.pop_front();
    if (load.output > 1) ends.insert(ends.end(), static_cast<std::size_t>(through), passes + load.output - 1);
  }
  return now;
}

}  // namespace rackcast
