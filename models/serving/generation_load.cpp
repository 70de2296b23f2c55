#include "models/serving/generation_load.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// Of a table for 1, 2, 4, 8 ...; none of nothing, and beyond its end as from the last two on.
Duration time_for(const std::vector<Duration>& times, double number) {
  if (number <= 0) return Duration{0};
  if (times.size() == 1) return times.front();
  const double at = std::clamp(number, 1.0, 0x1p62);
  const auto places = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(at)));
  const std::size_t below = std::min(places - 1, times.size() - 2);
  const auto low = static_cast<double>(std::uint64_t{1} << below);
  return times[below] + (times[below + 1] - times[below]) * ((at - low) / low);
}

/// The time that `tokens` tokens of prompts add to a pass with `flying` requests in flight.
Duration prompt_share(const GenerationLoad& load, double flying, double tokens) {
  const double own = flying * load.beams;
  return time_for(load.rows, own + tokens) - time_for(load.rows, own) +
         load.attention * (tokens / load.prompt);
}

/// The number of tokens of prompts that fit into a pass with `flying` requests in flight.
double room(const GenerationLoad& load, double flying) {
  return std::max(0.0, load.tokens_per_pass - flying * load.beams);
}

/// The server and its requests, pass by pass.
class Passes {
 public:
  Passes(const GenerationLoad& load, const std::vector<Duration>& arrivals)
      : load_(load), arrivals_(arrivals), output_(std::llround(load.output)) {}

  GenerationRun run() {
    while (started_ < arrivals_.size() || !ends_.empty()) {
      admit();
      const bool waiting = started_ < arrived_ && ends_.size() < static_cast<std::size_t>(load_.places);
      if (!waiting && !ends_.empty())
        tokens_alone();
      else
        pass_with_prompts();
    }
    out_.end = now_;
    if (out_.busy > Duration{0}) out_.in_flight /= out_.busy.base();
    return std::move(out_);
  }

 private:
  void admit() {
    while (arrived_ < arrivals_.size() && arrivals_[arrived_] <= now_) ++arrived_;
    if (ends_.empty() && started_ == arrived_) now_ = arrivals_[arrived_++];
  }

  void pass(Duration time, double requests) {
    now_ += time;
    out_.busy += time;
    out_.in_flight += requests * time.base();
  }

  /// Passes without prompts are alike until a request is done or the next one comes.
  void tokens_alone() {
    const auto flying = static_cast<double>(ends_.size());
    const Duration each = time_for(load_.token, flying);
    auto count = static_cast<double>(ends_.front() - passes_);
    if (arrived_ < arrivals_.size()) count = std::min(count, std::ceil((arrivals_[arrived_] - now_) / each));
    count = std::max(1.0, count);
    pass(count * each, flying);
    passes_ += static_cast<std::int64_t>(count);
    finish();
  }

  void pass_with_prompts() {
    const auto flying = static_cast<double>(ends_.size());
    const auto places = static_cast<std::size_t>(load_.places);
    const auto fresh = static_cast<double>(std::min(arrived_ - started_, places - ends_.size()));
    const double wanted = load_.prompt * fresh - done_;
    const double tokens = std::max(0.0, std::min(wanted, room(load_, flying)));
    pass(time_for(load_.token, flying) + prompt_share(load_, flying, tokens), flying + fresh);
    done_ += tokens;
    const double through = tokens < wanted ? std::floor(done_ / load_.prompt) : fresh;
    done_ = std::max(0.0, done_ - load_.prompt * through);
    ++passes_;
    finish();
    for (double i = 0; i < through; ++i) {
      out_.first.push_back(now_ - arrivals_[started_++]);
      if (output_ > 1)
        ends_.push_back(passes_ + output_ - 1);
      else
        answered(Duration{0});
    }
  }

  void finish() {
    for (; !ends_.empty() && ends_.front() <= passes_; ends_.pop_front()) {
      const std::size_t i = out_.answer.size();
      answered((now_ - arrivals_[i] - out_.first[i]) / static_cast<double>(output_ - 1));
    }
  }

  void answered(Duration token) {
    out_.token.push_back(token);
    out_.answer.push_back(now_ - arrivals_[out_.answer.size()]);
  }

  const GenerationLoad& load_;
  const std::vector<Duration>& arrivals_;
  std::int64_t output_;
  Duration now_{0};
  std::size_t arrived_ = 0, started_ = 0;
  std::int64_t passes_ = 0;
  double done_ = 0;                ///< tokens of the first prompt that has not been through
  std::deque<std::int64_t> ends_;  ///< the pass after which a request in flight is done, in order
  GenerationRun out_;
};

/// The steady state if a prompt takes `u` times as long as a pass of tokens.
struct SteadyPasses {
  SteadyPasses(const GenerationLoad& load, double requests, double u) {
    const double further = load.output - 1, others = requests - 1;
    const double q = others / (further + u), beside = q * further;
    const double space = room(load, 1 + beside), asked = q * load.prompt;
    const double in_a_pass = requests / (further + u) * (load.prompt + further * load.beams);
    has_room = in_a_pass <= load.tokens_per_pass;
    token = time_for(load.token, 1 + beside);
    if (const double piece = std::min(std::max(1.0, q) * load.prompt, space); asked > 0 && piece > 0)
      token += std::min(1.0, asked / piece) * prompt_share(load, 1 + beside, piece);
    // The passes of a prompt hold it, the prompts that come with it, and tokens of those that decode.
    const double all = (1 + q) * load.prompt, piece = std::min(all, std::max(1.0, room(load, beside)));
    first = std::ceil(all / piece) * time_for(load.token, beside) +
            (all / piece) * prompt_share(load, beside, piece);
  }

  bool has_room = true;
  Duration token{0}, first{0};
};

/// Answers of one token: passes are full of prompts.
GenerationSteady prompts_alone(const GenerationLoad& load, double requests) {
  const double together = std::min(requests, load.tokens_per_pass / load.prompt);
  const double pieces = together < 1 ? std::ceil(1 / together) : 1, at_once = std::max(1.0, together);
  GenerationSteady out;
  out.rate = at_once / (pieces * prompt_share(load, 0, at_once * load.prompt / pieces));
  out.first = requests / out.rate;
  return out;
}

}  // namespace

void check_load(const GenerationLoad& load) {
  if (load.token.empty() || load.rows.empty() || !(load.output >= 1) || load.places < 1 ||
      load.requests < 1 || !(load.prompt >= 1) || !(load.beams >= 1) || !(load.tokens_per_pass >= load.beams))
    throw Error{"a load of requests needs times, places, requests and tokens"};
}

Duration pass_time(const GenerationLoad& load, double requests, double prompt_tokens) {
  return time_for(load.token, requests) + prompt_share(load, requests, prompt_tokens);
}

GenerationRun answer_arrivals(const GenerationLoad& load, const std::vector<Duration>& arrivals) {
  check_load(load);
  return Passes{load, arrivals}.run();
}

Duration time_to_answer_all(const GenerationLoad& load) {
  check_load(load);
  std::vector<Duration> arrivals;
  arrivals.reserve(static_cast<std::size_t>(load.requests));
  for (int i = 0; i < load.requests; ++i) arrivals.push_back(load.between * static_cast<double>(i));
  return Passes{load, arrivals}.run().end;
}

GenerationSteady steady_generation(const GenerationLoad& load, double requests) {
  check_load(load);
  if (!(requests >= 1)) throw Error{"a steady state has one request in flight or more"};
  if (load.output <= 1) return prompts_alone(load, requests);
  const auto holds = [&](double u) {
    const SteadyPasses s{load, requests, u};
    return s.has_room && u * s.token >= s.first;
  };
  double low = 0, high = 1;
  constexpr double most = 1e12;
  while (!holds(high) && high < most) high *= 2;
  constexpr int halvings = 60;  // to the last bits of a double
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (holds(middle) ? high : low) = middle;
  }
  GenerationSteady out;
  out.token = SteadyPasses{load, requests, high}.token;
  out.first = high * out.token;
  out.rate = requests / (out.first + (load.output - 1) * out.token);
  return out;
}

}  // namespace rackcast
