#include "scenarios/plan/plan_search.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "scenarios/evaluate/evaluator.hpp"

namespace rackcast {

namespace {

constexpr std::size_t kAllSizes = 24;  ///< up to so many sizes are all simulated
/// Sizes at which everything takes less than this part of the deadline are of no use to an objective that
/// does not ask for speed: fewer nodes do.
constexpr double kFastEnough = 0.25;
constexpr double kFarBeyond = 1.5;  ///< of a limit that grows with the nodes
/// A search for speed or little energy ends where so many sizes in a row, each half as large again as the
/// last, are no better by this part: a cluster three times as large has nothing to offer then.
constexpr int kNoBetter = 3;
constexpr double kBetter = 0.005;
/// A search whose deadline no size meets ends where so many sizes in a row gain little: two, as a size may
/// fall just short of one optimizer step less.
constexpr int kInVain = 2;

}  // namespace

Rank rank(Objective objective, const Judged& c) {
  const double nodes = c.nodes, gpus = c.gpus;
  switch (objective) {
    case Objective::lowest_cost:
      return {c.missing.none() ? 0.0 : 1.0, c.total, nodes, c.time};
    case Objective::lowest_energy:
      return {c.energy, nodes, c.time};
    case Objective::fastest:
      return {c.time, nodes, gpus};
    case Objective::fewest_nodes:
      break;
  }
  return {nodes, gpus, c.time};
}

double sought(Objective objective, const Judged& c) {
  return rank(objective, c)[objective == Objective::lowest_cost ? 1 : 0];
}

bool better_by(double share, Objective objective, const Judged& a, const Judged& b) {
  if (objective == Objective::lowest_cost && !a.missing.none() && b.missing.none()) return false;
  return sought(objective, a) < sought(objective, b) * (1 - share);
}

PlanSearch::PlanSearch(Evaluator& evaluator, const Scenario& scenario, const RunControl& control)
    : evaluator_(evaluator),
      scenario_(scenario),
      control_(control),
      space_(plan_space(evaluator, scenario)),
      ways_(scenario),
      maker_(evaluator, scenario, space_),
      points_(space_.designs.size()) {}

const PlanPoint& PlanSearch::exact(std::size_t design, std::size_t size) {
  const auto it = points_[design].find(size);
  if (it != points_[design].end()) return it->second;
  return points_[design].emplace(size, maker_.make(design, size)).first->second;
}

PlanPoint PlanSearch::at(std::size_t design, std::size_t size) const {
  const Points& points = points_[design];
  const auto above = points.lower_bound(size);
  if (above->first == size) return above->second;
  const auto below = std::prev(above);
  const auto& sizes = space_.designs[design].sizes;
  return between(below->second, above->second, sizes[below->first], sizes[above->first], sizes[size]);
}

std::optional<Judged> PlanSearch::judge(std::size_t design, std::size_t size, const PlanPoint& point,
                                        const PerLimit& factors, std::optional<Limit> least) const {
  if (broken(point.uses, factors) != 0) return std::nullopt;
  const Design& d = space_.designs[design];
  Judged out;
  out.design = design;
  out.size = size;
  out.nodes = d.sizes[size].nodes;
  out.gpus = d.sizes[size].gpus;
  out.uses = point.uses;
  const auto ways =
      ways_.best(point, factors, {scenario_.goal->objective == Objective::lowest_energy, least});
  if (!ways) return std::nullopt;
  out.variants = ways->variants;
  for (std::size_t w = 0; w < out.variants.size(); ++w)
    out.memory.push_back(point.runs[w][out.variants[w]].uses[Limit::gpu_memory]);
  out.time = ways->time;
  out.energy = ways->energy;
  for (std::size_t i = 0; i < limit_count; ++i) {
    const auto limit = static_cast<Limit>(i);
    out.uses[limit] = std::max(out.uses[limit], ways->uses[limit]);
  }
  out.capex = point.capex;
  out.opex = point.opex;
  out.total = point.total;
  out.racks = point.racks;
  out.spares = point.spares;
  out.missing = point.missing;
  out.rack_units = scenario_.site && point.rack_units > 0 ? std::optional(point.rack_units)
                                                          : units_of(d.node, out.nodes + out.spares);
  const auto rated = kilowatts_of(d.node, out.nodes + out.spares);
  out.nameplate = scenario_.site && point.nameplate > 0 ? std::optional(point.nameplate)
                  : rated                               ? std::optional(1000 * *rated)
                                                        : std::nullopt;
  return out;
}

bool PlanSearch::enough(const PlanPoint& point) const {
  // More nodes take more room, power and money, make larger batches and fail more often: far beyond such a
  // limit, with the deadline met, is the end.
  PerLimit kept{1};
  kept[Limit::useful_batch] = kept[Limit::availability] = dropped;
  const auto within = [&](double deadline) {
    kept[Limit::deadline] = deadline;
    return ways_.best(point, kept, {}).has_value();
  };
  bool point_is_far = false;
  for (std::size_t i = 0; i < limit_count; ++i)
    point_is_far = point_is_far || (limit_kinds[i].more_nodes == MoreNodes::harm &&
                                    point.uses[static_cast<Limit>(i)] > kFarBeyond);
  const auto far = [](const RunPoint& r) {
    return std::max(r.uses[Limit::useful_batch], r.uses[Limit::availability]) > kFarBeyond;
  };
  if (within(1) && (point_is_far || std::ranges::any_of(point.runs, [&](const auto& r) {
                      return std::ranges::all_of(r, far);
                    })))
    return true;
  const Objective objective = scenario_.goal->objective;
  return objective != Objective::fastest && objective != Objective::lowest_energy && within(kFastEnough);
}

bool PlanSearch::hopeless(std::size_t design) const {
  const Design& d = space_.designs[design];
  if (d.asked == 0 || scenario_.cluster.gpus_per_job || !scenario_.search.gpus_per_job.empty()) return false;
  PlanPoint least;  // of the largest size, where the fewest steps are taken
  for (std::size_t w = 0; w < space_.variants.size(); ++w) {
    auto& runs = least.runs.emplace_back();
    for (const WorkloadSpec& variant : space_.variants[w]) {
      try {
        const Question q = question_of(scenario_, d, d.asked - 1, w, variant);
        runs.emplace_back().time = evaluator_.least_time(q).base();
      } catch (const LimitReached&) {
        throw;
      } catch (const Error&) {
        return false;  // of a variant that cannot be built; its points say so
      }
    }
  }
  PerLimit only{dropped};
  only[Limit::deadline] = 1;
  return !ways_.best(least, only, {}).has_value();
}

double PlanSearch::sought(const PlanPoint& point) const {
  PerLimit kept{dropped};
  kept[Limit::configuration] = kept[Limit::gpu_memory] = 1;
  const bool energy = scenario_.goal->objective == Objective::lowest_energy;
  const auto ways = ways_.best(point, kept, {energy, {}});
  return !ways ? dropped : energy ? ways->energy : ways->time;
}

namespace {

/// The size to simulate after `size` (both from 0): the next of few; of many 1, 2, 3, 4, 6, 8, 12, ... nodes,
/// and the last one; `until` after that.
std::size_t following(std::size_t size, std::size_t until) {
  const std::size_t count = size + 1;
  if (count >= until) return until;
  std::size_t next = count + 1;
  if (until > kAllSizes && count >= 4) {
    std::size_t power = 4;
    while (power * 2 <= count) power *= 2;
    next = count < power * 3 / 2 ? power * 3 / 2 : power * 2;
  }
  return std::min(next, until) - 1;
}

}  // namespace

void PlanSearch::explore(std::size_t design, std::size_t until) {
  const std::size_t first = points_[design].empty() ? 0 : points_[design].rbegin()->first + 1;
  const bool all = until <= kAllSizes;
  const Objective objective = scenario_.goal->objective;
  const bool seeks = objective == Objective::fastest || objective == Objective::lowest_energy;
  const bool in_vain = !all && hopeless(design);
  double best = dropped;
  int no_better = 0, little_more = 0;
  std::size_t size = first;
  while (size < until) {
    const PlanPoint& point = exact(design, size);
    if (!all && enough(point)) return;
    const double here = sought(point);
    little_more = here < best * (1 - worthwhile) || !std::isfinite(here) ? 0 : little_more + 1;
    if (in_vain && little_more >= kInVain) return;
    no_better = here < best * (1 - kBetter) || !std::isfinite(here) ? 0 : no_better + 1;
    best = std::min(best, here);
    if (!all && seeks && no_better >= kNoBetter) return;
    size = following(size, until);
  }
}

void PlanSearch::rehearse() {
  // Sizes dealt in turn: each thread goes on until its own are of no more use.
  const auto hands = static_cast<std::size_t>(std::max(1, control_.threads));
  std::vector<Evaluator::Task> tasks;
  for (std::size_t d = 0; d < space_.designs.size(); ++d) {
    if (space_.designs[d].asked > kAllSizes && hopeless(d)) continue;  // few sizes are asked about
    for (std::size_t hand = 0; hand < hands; ++hand) {
      tasks.emplace_back([this, d, hand, hands](Evaluator& evaluator) {
        PointMaker maker{evaluator, scenario_, space_};
        const std::size_t until = space_.designs[d].asked;
        std::size_t turn = 0;
        for (std::size_t size = 0; size < until; size = following(size, until), ++turn) {
          if (turn % hands != hand) continue;
          const PlanPoint point = maker.make(d, size);
          if (until > kAllSizes && enough(point)) return;
        }
      });
    }
  }
  const std::size_t designs = space_.designs.size();
  evaluator_.rehearse(tasks, [&](std::size_t done) {
    if (control_.on_design) control_.on_design(done * designs / tasks.size(), designs);
  });
}

void PlanSearch::refine(std::size_t design, const PerLimit& factors, bool all) {
  PerLimit seen = factors;
  seen[Limit::useful_batch] = dropped;  // in proportion to the GPUs: the line between two points is exact
  const bool first_is_best = !all && scenario_.goal->objective == Objective::fewest_nodes;
  Points& points = points_[design];
  for (auto it = points.begin(); it != points.end();) {
    const auto next = std::next(it);
    if (next == points.end()) return;
    if (first_is_best && judge(design, it->first, it->second, factors)) return;
    const std::size_t a = it->first, b = next->first;
    if (b - a > 1 && ways_.masks(it->second, seen) != ways_.masks(next->second, seen)) {
      exact(design, a + (b - a) / 2);  // from here on again
    } else {
      it = next;
    }
  }
}

void PlanSearch::explore(bool ahead) {
  if (ahead) rehearse();
  for (std::size_t d = 0; d < space_.designs.size(); ++d) {
    explore(d, space_.designs[d].asked);
    refine(d, PerLimit{1});
    if (control_.on_design) control_.on_design(d + 1, space_.designs.size());
  }
  const bool any = std::ranges::any_of(points_, [&](const Points& points) {
    return std::ranges::any_of(points, [](const auto& p) {
      return std::ranges::all_of(p.second.runs, [](const auto& runs) {
        return std::ranges::any_of(runs, [](const RunPoint& r) { return std::isfinite(r.time); });
      });
    });
  });
  if (!any && !refusals().empty()) throw refusals().front().error;
}

void PlanSearch::explore_beyond() {
  for (std::size_t d = 0; d < space_.designs.size(); ++d) {
    const std::size_t asked = space_.designs[d].asked;
    if (points_[d].empty() || points_[d].rbegin()->first + 1 < asked) continue;  // it is fast enough
    for (std::size_t size = asked; size < space_.designs[d].sizes.size(); ++size) exact(d, size);
  }
}

std::optional<Judged> PlanSearch::best(const PerLimit& factors, std::optional<Limit> of) {
  for (std::size_t d = 0; d < points_.size(); ++d) refine(d, factors, of.has_value());
  for (;;) {
    std::optional<Judged> best;
    Rank least;
    for (std::size_t d = 0; d < points_.size(); ++d) {
      if (points_[d].empty()) continue;
      for (std::size_t size = 0; size <= points_[d].rbegin()->first; ++size) {
        const auto candidate = judge(d, size, at(d, size), factors, of);
        if (!candidate) continue;
        Rank r = rank(scenario_.goal->objective, *candidate);
        if (of) r.insert(r.begin(), candidate->uses[*of]);
        if (best && !(r < least)) continue;
        best = candidate;
        least = std::move(r);
      }
    }
    if (!best) return best;
    const Points& points = points_[best->design];
    const std::size_t last = points.rbegin()->first;
    if (of && !points.contains(best->size)) {
      // What is asked least of a limit is told in three digits: a line that promises little more than what
      // has been simulated is not followed.
      const auto seen = least_simulated(*of, factors);
      if (seen && best->uses[*of] > seen->uses[*of] * (1 - kBetter)) return seen;
    }
    bool known = true;
    for (const std::size_t size : {best->size == 0 ? 0 : best->size - 1, best->size, best->size + 1}) {
      if (size > last || points.contains(size) || (of && size != best->size)) continue;
      exact(best->design, size);
      known = false;
    }
    if (known) return best;
  }
}

std::optional<Judged> PlanSearch::best(const PerLimit& factors) {
  return best(factors, std::nullopt);
}

std::optional<Judged> PlanSearch::least_simulated(Limit limit, const PerLimit& factors) const {
  std::optional<Judged> out;
  for (std::size_t d = 0; d < points_.size(); ++d) {
    for (const auto& [size, point] : points_[d]) {
      auto candidate = judge(d, size, point, factors, limit);
      if (candidate && (!out || candidate->uses[limit] < out->uses[limit])) out = std::move(candidate);
    }
  }
  return out;
}

std::optional<Judged> PlanSearch::least(Limit limit, const PerLimit& factors) {
  return best(factors, limit);
}

std::vector<Judged> PlanSearch::simulated(const PerLimit& factors) const {
  std::vector<Judged> out;
  for (std::size_t d = 0; d < points_.size(); ++d)
    for (const auto& [size, point] : points_[d])
      if (auto candidate = judge(d, size, point, factors)) out.push_back(std::move(*candidate));
  return out;
}

std::optional<Judged> PlanSearch::best_known(const PerLimit& factors) const {
  const auto known = simulated(factors);
  const auto least = std::ranges::min_element(
      known, {}, [this](const Judged& c) { return rank(scenario_.goal->objective, c); });
  return least == known.end() ? std::nullopt : std::optional(*least);
}

std::size_t PlanSearch::judged() const {
  std::size_t out = 0;
  for (std::size_t d = 0; d < points_.size(); ++d) {
    const Points& points = points_[d];
    // Up to the largest that was simulated, of those that were asked for; and any that were simulated beyond
    // them.
    const std::size_t upto =
        points.empty() ? 0 : std::min(points.rbegin()->first + 1, space_.designs[d].asked);
    out += std::max(upto, points.size());
  }
  return out;
}

std::optional<Judged> PlanSearch::smaller(const Judged& of) {
  return of.size == 0 ? std::nullopt : on(of.design, of.size - 1);
}

std::optional<Judged> PlanSearch::on(std::size_t design, std::size_t size) {
  const PlanPoint& point = exact(design, size);
  // Else the variants that break least, as if nothing were limited but what cannot be built.
  auto out = judge(design, size, point, PerLimit{1});
  return out ? out : judge(design, size, point, PerLimit{dropped});
}

double PlanSearch::waits() const {
  double most = 0;
  for (const Points& points : points_)
    for (const auto& entry : points)
      for (const auto& runs : entry.second.runs)
        for (const RunPoint& run : runs) most = std::max(most, run.waits);
  return most;
}

std::vector<LimitMask> PlanSearch::conflicts() const {
  std::vector<LimitMask> out, unbuildable;
  const auto cannot_be_built = [](LimitMask mask) {
    return (mask & bit(Limit::configuration)) != 0;
  };
  for (std::size_t d = 0; d < points_.size(); ++d) {
    const std::vector<LimitMask> masks = conflicts(d);
    std::ranges::copy(masks,
                      std::back_inserter(std::ranges::all_of(masks, cannot_be_built) ? unbuildable : out));
  }
  // A design that cannot be built at any size says something only where no other can be.
  return minimal_masks(out.empty() ? std::move(unbuildable) : std::move(out));
}

std::vector<LimitMask> PlanSearch::conflicts(std::size_t design) const {
  std::vector<LimitMask> out;
  for (const auto& entry : points_[design])
    for (const LimitMask mask : ways_.masks(entry.second, PerLimit{1})) out.push_back(mask);
  return minimal_masks(std::move(out));
}

}  // namespace rackcast
