#include "models/generation_load.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "sim/error.hpp"

namespace rackcast {
namespace {

Duration token_time(const std::vector<Duration>& times, int requests) {
  const double place = std::log2(static_cast<double>(requests));
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= times.size()) return times.back();
  const double low = std::exp2(static_cast<double>(below));
  return times[below] + (times[below + 1] - times[below]) * ((requests - low) / low);
}

}  // namespace

Duration time_to_answer_all(const GenerationLoad& load) {
  if (load.token.empty() || load.output < 1 || load.places < 1 || load.requests < 1)
    throw Error{"a load of requests needs times, places, requests and tokens"};
  Duration now{0};
  int arrived = 0, started = 0, passes = 0;
  std::deque<int> ends;  // the pass after which a request in flight is done, in order
  while (started < load.requests || !ends.empty()) {
    while (arrived < load.requests && load.between * static_cast<double>(arrived) <= now) ++arrived;
    if (ends.empty() && started == arrived) now = load.between * static_cast<double>(arrived++);
    // A prompt gives the first token.
    const int most = load.places - static_cast<int>(ends.size()), fresh = std::min(arrived - started, most);
    now += load.prompt * static_cast<double>(fresh);
    started += fresh;
    if (load.output > 1) {
      ends.insert(ends.end(), static_cast<std::size_t>(fresh), passes + load.output - 1);
      if (!ends.empty()) now += token_time(load.token, static_cast<int>(ends.size()));
    }
    ++passes;
    while (!ends.empty() && ends.front() <= passes) ends.pop_front();
  }
  return now;
}

}  // namespace rackcast
