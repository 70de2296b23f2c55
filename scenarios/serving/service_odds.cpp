/// How surely a fleet keeps its limits on time, by the errors of the model.
///
/// All passes are slower by a factor exp(sigma z), and times to the first token by another one,
/// exp(sigma_first y), beside it; z and y are standard normal. A fleet keeps its limits where
///
///     ln(room(z)) >= sigma_first y,      room(z) = largest factor on first tokens that keeps all limits
///
/// so its odds are the mean of Phi(ln(room(z)) / sigma_first) over z. Without a limit about first tokens the
/// room is endless or nothing, and the odds are those of the slowest passes that keep the limits.
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>

#include "scenarios/measured/posterior.hpp"
#include "scenarios/serving/service_fleet.hpp"
#include "scenarios/serving/token_server.hpp"

namespace rackcast {

namespace {

constexpr double widest = 3;  ///< standard deviations of the passes either way

double below(double z) {
  return boost::math::cdf(boost::math::normal{}, z);
}

/// The room for first tokens by the error of the passes.
class Room {
 public:
  template <class At>
  explicit Room(const At& at) {
    // The slowest passes with which any room is left: three standard deviations either way, to a hundredth.
    double holds = -widest, fails = widest;
    constexpr int halvings = 9;
    for (int i = 0; i < halvings; ++i) {
      const double middle = (holds + fails) / 2;
      const double room = at(middle);
      if (room > 0) known_[middle] = std::log(room);
      (room > 0 ? holds : fails) = middle;
    }
    slowest_ = (holds + fails) / 2;
    // Halving comes from both sides only where the end lies between; the far side is asked for as well.
    for (const double z : {-widest, -widest / 2}) {
      if (z > holds || known_.contains(z)) continue;
      if (const double room = at(z); room > 0) known_[z] = std::log(room);
    }
  }

  /// Share of all errors that leave room; `sigma` of the first tokens.
  [[nodiscard]] double odds(double sigma) const {
    if (!(sigma > 0)) return below(slowest_);
    if (known_.empty()) return 0;
    double out = 0;
    constexpr int steps = 400;
    const double width = (slowest_ + widest) / steps;
    double from = 0;  // what lies beyond three standard deviations counts with the first step
    for (int i = 0; i < steps; ++i) {
      const double end = -widest + (i + 1) * width, share = below(end);
      out += (share - from) * below(log_room(end - width / 2) / sigma);
      from = share;
    }
    return out;
  }

 private:
  /// Between the known ones on a straight line, beyond them as at the last.
  [[nodiscard]] double log_room(double z) const {
    const auto next = known_.lower_bound(z);
    if (next == known_.begin()) return next->second;
    const auto last = std::prev(next);
    if (next == known_.end() || std::isinf(last->second)) return last->second;
    return last->second + (next->second - last->second) * (z - last->first) / (next->first - last->first);
  }

  std::map<double, double> known_;  ///< ln(room) by z
  double slowest_ = 0;
};

double odds_of(const ServiceNode& node, Frequency load, int nodes) {
  const Room room{[&](double z) {
    return node.first_token_room(load, nodes, std::exp(z * node.log_sigma()));
  }};
  return room.odds(node.first_log_sigma());
}

/// Those of a fleet so large that no two requests meet.
double odds_alone(const ServiceNode& node) {
  const TokenServer& server = *node.tokens();
  const Room room{[&](double z) {
    return server.limits().first_token_room(server.lone(std::exp(z * node.log_sigma())));
  }};
  return room.odds(node.first_log_sigma());
}

}  // namespace

std::optional<double> odds_in_time(const ServiceOption& option, const ServiceSpec& service) {
  if (option.needed == 0 || !(option.server->log_sigma() > 0)) return std::nullopt;
  return odds_of(*option.server, service.peak_rate(), option.needed);
}

std::optional<int> nodes_with_odds(const ServiceNode& node, Frequency load, int most, double odds) {
  if (!node.refused().empty()) return std::nullopt;
  const double slower = std::exp(boost::math::quantile(boost::math::normal{}, odds) * node.log_sigma());
  if (!(node.first_log_sigma() > 0)) return nodes_for(node, load, most, slower);
  if (odds_alone(node) < odds) return std::nullopt;
  const auto last = static_cast<std::size_t>(most - 1);
  const auto start = static_cast<std::size_t>(nodes_for(node, load, most).value_or(most) - 1);
  const auto place = first_enough({0, last, std::min(start, last)}, [&](std::size_t i) {
    return odds_of(node, load, static_cast<int>(i) + 1) >= odds;
  });
  return place ? std::optional{static_cast<int>(*place) + 1} : std::nullopt;
}

ServiceTime interval_of(const ServiceNode& node, Frequency of_gpu,
                        const std::function<Duration(const ServingResult&)>& of) {
  const double slower = std::exp(half_of_90_percent * node.log_sigma());
  const double first = std::exp(half_of_90_percent * node.first_token_spread());
  const ServingResult middle = node.under(of_gpu);
  // Both errors in quadrature, as factors.
  const auto end = [&](double passes, double first_tokens) -> std::optional<double> {
    const ServingResult moved = node.under(of_gpu, passes);
    if (moved.saturated) return std::nullopt;
    if (middle.saturated) return of(moved).base();
    const double time = of(middle).base();
    const double by_passes = std::log(of(moved).base() / time),
                 by_first = std::log(of(with_first_tokens(middle, first_tokens)).base() / time);
    return time * std::exp(std::copysign(std::hypot(by_passes, by_first), passes - 1));
  };
  return {end(1 / slower, 1 / first), end(slower, first)};
}

}  // namespace rackcast
