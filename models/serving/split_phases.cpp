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
    for (int i = 0; i < phases.prompt_servers; ++i) free_.push(0);
    for (int i = 0; i < std::min(loop_.open, loop_.requests); ++i) send(0);
  }

  Duration mean_first() {
    double sum = 0;
    for (int read = 0; read < loop_.requests;) {
      const double begin = std::max(sent_.top().at, free_.top());
      free_.pop();
      const std::vector<Prompt> together = take(begin);
      const double end = begin + time_of(together).base();
      free_.push(end);
      for (const Prompt& prompt : together) {
        sum += end - prompt.at;
        send(end + (drawn(loop_.load.output) - 1) * token_.base());
        ++read;
      }
    }
    return Duration{sum / loop_.requests};
  }

 private:
  struct Prompt {
    double at = 0, tokens = 1;
    bool operator>(const Prompt& other) const { return at > other.at; }
  };

  double drawn(double mean) {
    return std::max(1.0, std::round(mean * random_.uniform(1 - loop_.spread, 1 + loop_.spread)));
  }

  void send(double at) {
    if (sent_count_++ < loop_.requests) sent_.push({at, drawn(loop_.load.prompt)});
  }

  /// The prompts that wait, as many as the passes of all replicas hold, and at least one.
  std::vector<Prompt> take(double now) {
    std::vector<Prompt> out;
    double room = loop_.load.tokens_per_pass * loop_.replicas;
    while (!sent_.empty() && sent_.top().at <= now && (out.empty() || sent_.top().tokens <= room)) {
      room -= sent_.top().tokens;
      out.push_back(sent_.top());
      sent_.pop();
    }
    return out;
  }

  [[nodiscard]] Duration time_of(const std::vector<Prompt>& together) const {
    double all = 0, longest = 0;
    for (const Prompt& prompt : together) {
      all += prompt.tokens;
      longest = std::max(longest, prompt.tokens);
    }
    return pass_time(loop_.load, 0, std::max(longest, all / loop_.replicas));
  }

  const ClosedLoop& loop_;
  Duration token_;
  RandomStream random_;
  int sent_count_ = 0;
  std::priority_queue<Prompt, std::vector<Prompt>, std::greater<>> sent_;
  std::priority_queue<double, std::vector<double>, std::greater<>> free_;  ///< when each server is free
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
