#pragma once
/// Goodput of one synchronous job: the share of its elapsed time spent on training that is not lost later.
///
/// Every node of the job fails at a constant rate, so the job fails with mean time M = node MTBF / nodes. It
/// saves its state after each `interval` of training; the save stops training for `stall`, and the state is
/// safe `lag` after that (asynchronous writes). A failure costs the training since the last safe state, and a
/// restart: detection, scheduling, start, reading the state back. A restart may fail again. Where no spare
/// node is free the job waits for a repair, `wait` on average, during which nothing can fail.
///
/// With a = interval + stall and R = restart + lag:
///
///   F       = e^(R/M) (e^(a/M) - 1)       expected failures in each interval
///   time    = (M + wait) F                expected time of an interval, with its failures
///   goodput = interval / time
///
/// Source: Daly, "A higher order estimate of the optimum checkpoint
/// interval for restart dumps", Future Generation Computer Systems 22(3), 2006, equation 20; the wait is
/// added by Wald's identity. Wrong where failures come in bursts, where ageing matters, or where a job
/// shrinks instead of stopping.
#include <optional>
#include <string_view>

#include "sim/units/quantity.hpp"

namespace rackcast {

struct GoodputSpec {
  Duration mttf{0};      ///< of the whole job: node MTBF / nodes
  Duration interval{0};  ///< of training between saves
  Duration stall{0};     ///< training stands still for a save
  Duration lag{0};       ///< from the end of the stall until the saved state is safe
  Duration restart{0};   ///< from the failure until training goes on at the saved state
  Duration wait{0};      ///< mean wait for a repaired node, for each failure
};

/// Shares of the elapsed time; they add up to 1.
struct Goodput {
  double useful = 1;               ///< training that is kept
  double saving = 0;               ///< stalls of saves that are kept
  double lost = 0;                 ///< training and stalls that are done again
  double restart = 0;              ///< detection and restart
  double wait = 0;                 ///< for a repaired node
  double failures_per_second = 0;  ///< of elapsed time
};

/// Throws Error unless mttf and interval are positive and finite and the rest is not negative. A job that
/// hardly ever completes an interval has a goodput near 0, never an error.
Goodput goodput(const GoodputSpec& spec);

/// sqrt(2 stall M): Young, "A first order approximation to the optimum checkpoint interval", CACM 17(9),
/// 1974.
Duration young_interval(Duration stall, Duration mttf);

/// Daly 2006, equation 37: young (1 + sqrt(x)/3 + x/9) - stall with x = stall / (2 M); M where stall >= 2 M.
Duration daly_interval(Duration stall, Duration mttf);

/// The longest interval whose goodput is at least `target`; nothing if no interval gives it. The interval of
/// `spec` is not read.
std::optional<Duration> longest_interval(GoodputSpec spec, double target);

/// Nodes in repair at once: Poisson with mean failures/s x repair time (an infinite-server queue).
/// The least number of spares that is enough with probability `confidence`.
int spares_for(double mean_in_repair, double confidence);

/// Mean wait of a failure that takes a node away for a repair of mean `repair` (exponential), with `spares`
/// nodes kept: P(all spares in repair) x repair / (spares + 1), the first of spares + 1 repairs to end.
Duration spare_wait(double mean_in_repair, int spares, Duration repair);

}  // namespace rackcast
