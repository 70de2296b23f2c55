#include "models/serving/split_phases.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/random.hpp"

namespace rackcast {
namespace {

/// Mean time of a request until its prompt is read, if a token takes so long afterwards.
class PromptQueue {
 public:
  PromptQueue(const SplitPhases& phases, Duration token)
      : loop_{phases.prompts}, token_{token}, random_{phases.prompts.seed, "split phases"} {
    const int places = phases.prompt_servers * loop_.replicas;
    for (int i = 0; i < places; ++i) free_.push(0);
  }

  Duration mean_first() {
    std::priority_queue<double, std::vector<double>, std::greater<>> sent;
    for (int i = 0; i < std::min(loop_.open, loop_.requests); ++i) sent.push(0);
    double sum = 0;
    for (int i = 0; i < loop_.requests; ++i) {
      const double arrival = sent.top(), begin = std::max(arrival, free_.top());
      sent.pop();
      free_.pop();
      const double read = begin + pass_time(loop_.load, 0, drawn(loop_.load.prompt)).base();
      free_.push(read);
      sum += read - arrival;
      sent.push(read + (drawn(loop_.load.output) - 1) * token_.base());
    }
    return Duration{sum / loop_.requests};
  }

 private:
  double drawn(double mean) {
    return std::max(1.0, std::round(mean * random_.uniform(1 - loop_.spread, 1 + loop_.spread)));
  }

  const ClosedLoop& loop_;
  Duration token_;
  RandomStream random_;
  std::priority_queue<double, std::vector<double>, std::greater<>> free_;  ///< when each place is free
};

}  // namespace

ClosedLoopTimes simulate_split_phases(const SplitPhases& phases) {
  check_load(phases.prompts.load);
  check_load(phases.answers);
  if (phases.prompt_servers < 1 || phases.answer_servers < 1 || phases.answer_replicas < 1 ||
      phases.prompts.replicas < 1 || phases.prompts.open < 1 || phases.prompts.requests < 1)
    throw Error{"prompts and answers need servers, and the generator requests"};
  const double further = phases.prompts.load.output - 1;
  const double places =
      static_cast<double>(phases.answer_servers) * static_cast<double>(phases.answer_replicas);
  // Requests with the answer servers, and the times that follow; the share of the other phase shrinks it.
  ClosedLoopTimes out;
  double answering = phases.prompts.open;
  constexpr int rounds = 8;
  for (int i = 0; i < rounds; ++i) {
    out.token = pass_time(phases.answers, std::max(1.0, answering / places), 0);
    out.first = PromptQueue{phases, out.token}.mean_first();
    const double writing = further * out.token.base();
    answering = phases.prompts.open * writing / (writing + out.first.base());
  }
  out.first += phases.prompts.arriving + phases.prompts.passes_waited * out.token;
  out.token_median = out.token;
  out.in_flight = answering;
  return out;
}

}  // namespace rackcast
