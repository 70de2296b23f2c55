#include "models/serving/closed_loop.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <queue>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/random.hpp"

namespace rackcast {
namespace {

struct Request {
  Duration sent{0}, first{0};
  double prompt = 1;
  std::int64_t output = 1;
};

/// What ends first is on top; ties end in the order of their numbers.
struct End {
  std::int64_t pass;
  std::size_t request;
  bool operator>(const End& other) const {
    return pass != other.pass ? pass > other.pass : request > other.request;
  }
};

class Run {
 public:
  explicit Run(const ClosedLoop& loop) : loop_{loop}, load_{loop.load}, random_{loop.seed, "closed loop"} {}

  ClosedLoopTimes times() {
    const int open = std::min(loop_.open, loop_.requests);
    for (int i = 0; i < open; ++i) send();
    while (answered_ < loop_.requests) pass();
    out_.first = out_.first / static_cast<double>(loop_.requests);
    if (longer_ > 0) out_.token = out_.token / longer_;
    out_.first += loop_.passes_waited * out_.token;
    out_.token_median = median_gap();
    if (gaps_ > 0) out_.in_flight = gaps_ / static_cast<double>(answering_passes_);
    return out_;
  }

 private:
  double drawn(double mean) {
    return std::max(1.0, std::round(mean * random_.uniform(1 - loop_.spread, 1 + loop_.spread)));
  }

  void send() {
    if (sent_ == loop_.requests) return;
    ++sent_;
    requests_.push_back({now_, Duration{0}, drawn(load_.prompt), std::llround(drawn(load_.output))});
    queue_.push_back(requests_.size() - 1);
  }

  [[nodiscard]] double places() const { return static_cast<double>(load_.places) * loop_.replicas; }

  /// Prompts that get a place, and how many of their tokens pass.
  struct Reading {
    std::size_t prompts = 0;  ///< whole ones, from the head of the queue
    double tokens = 0;        ///< of all replicas
    double busiest = 0;       ///< of the replica with the most
  };

  [[nodiscard]] Reading reading() const {
    const auto flying = static_cast<double>(ends_.size());
    double left = std::max(load_.beams, load_.tokens_per_pass) * loop_.replicas;
    if (loop_.mixed) left -= flying * load_.beams;
    Reading out;
    double longest = 0;
    const double free = places() - flying;
    for (std::size_t i = 0; i < queue_.size() && static_cast<double>(i) < free && left > 0; ++i) {
      const double all = requests_[queue_[i]].prompt - (i == 0 ? done_ : 0);
      const double piece = std::min({all, left, load_.tokens_per_pass});
      out.tokens += piece;
      left -= piece;
      longest = std::max(longest, piece);
      if (piece < all) break;
      ++out.prompts;
    }
    out.busiest = std::max(longest, out.tokens / loop_.replicas);
    return out;
  }

  void pass() {
    const Reading next = reading();
    const auto flying = static_cast<double>(ends_.size());
    const double each = flying / loop_.replicas;
    if (!(next.tokens > 0)) {
      // Passes without prompts are alike until a request is answered.
      const std::int64_t count = std::max<std::int64_t>(1, ends_.top().pass - passes_);
      const Duration time = pass_time(load_, each, 0);
      now_ += static_cast<double>(count) * time;
      passes_ += count;
      gap(time, flying, count);
    } else {
      const bool apart = !loop_.mixed;
      const Duration time = pass_time(load_, apart ? 0 : each, next.busiest);
      now_ += time;
      if (apart) {
        stalled_ += time;
      } else {
        ++passes_;
        gap(time, flying, 1);
      }
    }
    finish();
    read(next);
  }

  /// Notes a gap between tokens for `flying` requests. After a stall for prompts the first gap is longer by
  /// it.
  void gap(Duration time, double flying, std::int64_t count) {
    if (flying <= 0) return;
    if (stalled_ > Duration{0}) {
      seen_[(time + stalled_).base()] += flying;
      seen_[time.base()] += flying * static_cast<double>(count - 1);
      stalled_ = Duration{0};
    } else {
      seen_[time.base()] += flying * static_cast<double>(count);
    }
    gaps_ += flying * static_cast<double>(count);
    answering_passes_ += count;
  }

  void finish() {
    while (!ends_.empty() && ends_.top().pass <= passes_) {
      const Request& request = requests_[ends_.top().request];
      out_.token += (now_ - request.first) / static_cast<double>(request.output - 1);
      ++longer_;
      ends_.pop();
      answered();
    }
  }

  void read(const Reading& next) {
    double left = next.tokens;
    for (std::size_t i = 0; i < next.prompts; ++i) {
      Request& request = requests_[queue_.front()];
      left -= request.prompt - done_;
      done_ = 0;
      request.first = now_;
      out_.first += now_ - request.sent + loop_.arriving;
      if (request.output > 1)
        ends_.push({passes_ + request.output - 1, queue_.front()});
      else
        answered();
      queue_.pop_front();
    }
    done_ += std::max(0.0, left);
  }

  void answered() {
    ++answered_;
    send();
  }

  [[nodiscard]] Duration median_gap() const {
    double seen = 0;
    for (const auto& [time, count] : seen_) {
      seen += count;
      if (2 * seen >= gaps_) return Duration{time};
    }
    return Duration{0};
  }

  const ClosedLoop& loop_;
  const GenerationLoad& load_;
  RandomStream random_;
  std::vector<Request> requests_;
  std::deque<std::size_t> queue_;  ///< requests whose prompt is not read, in order
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  double done_ = 0;  ///< tokens of the first prompt of the queue that are read
  Duration now_{0}, stalled_{0};
  std::int64_t passes_ = 0, answering_passes_ = 0;
  int sent_ = 0, answered_ = 0;
  double longer_ = 0;              ///< answers of more than one token
  double gaps_ = 0;                ///< between tokens, over all requests
  std::map<double, double> seen_;  ///< gaps by their time
  ClosedLoopTimes out_;
};

}  // namespace

ClosedLoopTimes simulate_closed_loop(const ClosedLoop& loop) {
  check_load(loop.load);
  if (loop.replicas < 1 || loop.open < 1 || loop.requests < 1)
    throw Error{"a closed loop needs replicas, open requests and requests"};
  if (!(loop.spread >= 0) || loop.spread >= 1) throw Error{"a spread of lengths is from 0 to below 1"};
  return Run{loop}.times();
}

}  // namespace rackcast
