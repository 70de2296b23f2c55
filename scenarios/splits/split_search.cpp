#include "scenarios/splits/split_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>

#include "sim/base/error.hpp"
#include "sim/engine/limits.hpp"

namespace rackcast {
namespace {

/// What ask() returns, or nothing for a mesh without a model.
template <class Ask>
auto if_modelled(Ask&& ask) -> std::optional<decltype(ask())> {
  try {
    return ask();
  } catch (const LimitReached&) {
    throw;
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool is_better(const JudgedSplit& a, const JudgedSplit& b) {
  if (a.step.total != b.step.total) return a.step.total < b.step.total;
  return fewer_cuts(a.mesh, b.mesh);
}

void keep_best(std::vector<JudgedSplit>& best, const JudgedSplit& one) {
  best.insert(std::ranges::upper_bound(best, one, is_better), one);
  if (best.size() > best_splits) best.pop_back();
}

/// A candidate by its place in the list, and its bound.
struct BoundedSplit {
  Duration least{0};
  std::size_t at = 0;
};

std::vector<BoundedSplit> in_order_of_bounds(const std::vector<Mesh>& candidates, const SplitJudge& judge) {
  std::vector<BoundedSplit> out;
  out.reserve(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (const auto least = if_modelled([&] { return judge.least(candidates[i]); }))
      out.push_back({*least, i});
  std::ranges::sort(out, [&](const BoundedSplit& a, const BoundedSplit& b) {
    return std::tie(a.least, a.at) < std::tie(b.least, b.at);
  });
  return out;
}

/// Values beside those of the best mesh that somebody would ask about.
struct Variation {
  SplitKey key;
  std::string value;
  Mesh mesh;
};

std::vector<Variation> variations(const Mesh& best) {
  std::vector<Variation> out;
  const auto add = [&](SplitKey key, const std::string& value, auto&& change) {
    Variation& one = out.emplace_back(Variation{key, value, best});
    change(one.mesh);
  };
  const auto halved_and_doubled = [&](SplitKey key, auto Mesh::*member) {
    const std::int64_t now = std::llround(static_cast<double>(best.*member));
    if (now % 2 == 0) add(key, fmt::format("{}", now / 2), [&](Mesh& m) { m.*member = best.*member / 2; });
    add(key, fmt::format("{}", now * 2), [&](Mesh& m) { m.*member = best.*member * 2; });
  };
  halved_and_doubled(SplitKey::tensor, &Mesh::tensor);
  halved_and_doubled(SplitKey::pipeline, &Mesh::pipeline);
  if (best.interleave > 1) add(SplitKey::interleave, "1", [](Mesh& m) { m.interleave = 1; });
  halved_and_doubled(SplitKey::context, &Mesh::context);
  halved_and_doubled(SplitKey::expert, &Mesh::expert);
  halved_and_doubled(SplitKey::micro_batch, &Mesh::micro_batch);
  for (int stage = 0; stage <= 3; ++stage)
    if (stage != best.zero_stage)
      add(SplitKey::zero_stage, fmt::format("{}", stage), [=](Mesh& m) { m.zero_stage = stage; });
  for (int again = 0; again < static_cast<int>(recomputation_names.size()); ++again)
    if (again != static_cast<int>(best.recompute))
      add(SplitKey::recompute, std::string{recomputation_names.at(static_cast<std::size_t>(again))},
          [=](Mesh& m) { m.recompute = static_cast<Recomputation>(again); });
  return out;
}

/// The candidate with these cuts, whatever its replicas and micro-batches.
const Mesh* candidate_like(const std::vector<Mesh>& candidates, const Mesh& wanted) {
  const auto found = std::ranges::find_if(
      candidates, [&](const Mesh& m) { return !fewer_cuts(m, wanted) && !fewer_cuts(wanted, m); });
  return found == candidates.end() ? nullptr : &*found;
}

}  // namespace

SplitFindings search_splits(const std::vector<Mesh>& candidates, Bytes available, const SplitJudge& judge) {
  SplitFindings out;
  const std::vector<BoundedSplit> order = in_order_of_bounds(candidates, judge);
  out.considered = order.size();
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (out.best.size() == best_splits && order[i].least > out.best.back().step.total) {
      out.cut_off = order.size() - i;
      break;
    }
    JudgedSplit one{candidates[order[i].at]};
    const auto memory = if_modelled([&] { return judge.memory(one.mesh); });
    if (!memory) {
      --out.considered;
      continue;
    }
    one.memory = *memory;
    if (one.memory > available) {
      ++out.not_fitting;
      const bool less = !out.smallest || one.memory < out.smallest->memory ||
                        (one.memory == out.smallest->memory && fewer_cuts(one.mesh, out.smallest->mesh));
      if (less) out.smallest = one;
      continue;
    }
    const auto step = if_modelled([&] { return judge.step(one.mesh); });
    if (!step) {
      --out.considered;
      continue;
    }
    one.step = *step;
    ++out.simulated;
    keep_best(out.best, one);
  }
  if (!out.best.empty()) out.smallest.reset();
  return out;
}

SplitChoice choose_split(const SplitSpace& space, Bytes available, const SplitJudge& judge) {
  const std::vector<Mesh> candidates = split_candidates(space);
  SplitChoice out;
  out.available = available;
  out.found = search_splits(candidates, available, judge);
  if (!out.fits()) return out;
  for (const Variation& variation : variations(out.mesh())) {
    const Mesh* other = candidate_like(candidates, variation.mesh);
    if (!other) continue;
    OtherSplit row{variation.key, variation.value, {}, {}};
    const auto memory = if_modelled([&] { return judge.memory(*other); });
    if (!memory) continue;
    if (*memory > available) {
      row.needed = *memory;
    } else if (const auto step = if_modelled([&] { return judge.step(*other); })) {
      row.step = step->total;
    } else {
      continue;
    }
    out.others.push_back(std::move(row));
  }
  return out;
}

}  // namespace rackcast
