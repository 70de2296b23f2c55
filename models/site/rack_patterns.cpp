#include "models/site/rack_patterns.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>

#ifdef RACKCAST_HAVE_CBC
#include <coin/Cbc_C_Interface.h>
#include <sys/mman.h>

#include <new>
#endif

namespace rackcast {

namespace {

/// Counts of the kinds from `kind` on, from many to few; false when there are too many patterns.
bool enumerate(const std::vector<RackItem>& items, const RackSpec& rack, std::size_t kind, RackCounts& counts,
               std::vector<RackCounts>& out) {
  if (kind == items.size()) {
    for (std::size_t k = 0; k < items.size(); ++k) {
      if (counts[k] == items[k].count) continue;
      ++counts[k];
      const bool more = fits(items, counts, rack);
      --counts[k];
      if (more) return true;  // not maximal
    }
    out.push_back(counts);
    return out.size() <= most_patterns;
  }
  int most = 0;
  while (most < items[kind].count) {
    counts[kind] = most + 1;
    if (!fits(items, counts, rack)) break;
    ++most;
  }
  for (int n = most; n >= 0; --n) {
    counts[kind] = n;
    if (!enumerate(items, rack, kind + 1, counts, out)) return false;
  }
  counts[kind] = 0;
  return true;
}

}  // namespace

std::optional<std::vector<RackCounts>> maximal_patterns(const std::vector<RackItem>& items,
                                                        const RackSpec& rack) {
  std::vector<RackCounts> out;
  RackCounts counts(items.size(), 0);
  if (!enumerate(items, rack, 0, counts, out)) return std::nullopt;
  return out;
}

#ifdef RACKCAST_HAVE_CBC

bool exact_packing_available() {
  return true;
}

namespace {

constexpr int most_nodes = 20'000;  ///< of the branch and bound

RackCounts counts_of(const std::vector<RackItem>& items) {
  RackCounts out;
  for (const RackItem& item : items) out.push_back(item.count);
  return out;
}

/// A racks-for-racks list from how often each pattern is used; what covers more than there is loses it.
/// `left`: devices of each kind, and what is left of them.
std::vector<RackCounts> racks_of(RackCounts& left, const std::vector<RackCounts>& patterns,
                                 const double* uses) {
  std::vector<RackCounts> racks;
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    for (auto n = std::lround(uses[p]); n > 0; --n) {
      RackCounts rack = patterns[p];
      for (std::size_t k = 0; k < rack.size(); ++k) {
        rack[k] = std::min(rack[k], left[k]);
        left[k] -= rack[k];
      }
      racks.push_back(std::move(rack));
    }
  }
  return racks;
}

/// CBC 2.10 keeps its parameters in static variables: one problem at a time.
std::unique_lock<std::mutex> alone_with_cbc() {
  static std::mutex mutex;
  return std::unique_lock{mutex};
}

using Model = std::unique_ptr<Cbc_Model, decltype(&Cbc_deleteModel)>;

/// Throws std::bad_alloc where a search may not find the memory that it needs: CBC does not look whether it
/// got what it asked for. The system is asked and not the allocator, which may write to what it hands out:
/// the sanitizers' spent nine tenths of a search for a plan on it.
void solve(Cbc_Model* model) {
  constexpr std::size_t enough = std::size_t{128} << 20;
  void* all = mmap(nullptr, enough, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  munmap(all, enough);
  Cbc_solve(model);
}

/// Fewest patterns that cover all devices; parts of a pattern count until the columns are made whole.
Model covering_model(const RackCounts& counts, const std::vector<RackCounts>& patterns) {
  Model model{Cbc_newModel(), Cbc_deleteModel};
  Cbc_setLogLevel(model.get(), 0);
  Cbc_setParameter(model.get(), "logLevel", "0");
  Cbc_setParameter(model.get(), "threads", "0");
  std::vector<int> starts{0}, rows;
  std::vector<double> values;
  for (const RackCounts& pattern : patterns) {
    for (std::size_t k = 0; k < pattern.size(); ++k) {
      if (pattern[k] == 0) continue;
      rows.push_back(static_cast<int>(k));
      values.push_back(pattern[k]);
    }
    starts.push_back(static_cast<int>(rows.size()));
  }
  const std::vector<double> needed(counts.begin(), counts.end());
  const double devices = std::accumulate(needed.begin(), needed.end(), 0.0);
  const auto columns = static_cast<int>(patterns.size());
  const std::vector<double> zero(patterns.size(), 0), most(patterns.size(), devices), one(patterns.size(), 1);
  const std::vector<double> unbounded(counts.size(), devices * 1e3);
  Cbc_loadProblem(model.get(), columns, static_cast<int>(counts.size()), starts.data(), rows.data(),
                  values.data(), zero.data(), most.data(), one.data(), needed.data(), unbounded.data());
  return model;
}

/// A bound on a whole number; the solver's tolerance is no rack.
int rounded_up(double racks) {
  return static_cast<int>(std::ceil(racks - 1e-6));
}

}  // namespace

std::optional<RelaxedPacking> pack_relaxed(const std::vector<RackItem>& items,
                                           const std::vector<RackCounts>& patterns) {
  const auto lock = alone_with_cbc();
  RelaxedPacking out;
  out.left = counts_of(items);
  const Model model = covering_model(out.left, patterns);
  solve(model.get());
  const double* uses = Cbc_getColSolution(model.get());
  if (!uses || !Cbc_isProvenOptimal(model.get())) return std::nullopt;
  out.lower_bound = rounded_up(Cbc_getObjValue(model.get()));
  std::vector<double> whole(uses, uses + patterns.size());
  for (double& use : whole) use = std::floor(use + 1e-6);
  out.whole = racks_of(out.left, patterns, whole.data());
  return out;
}

std::optional<ExactPacking> pack_exactly(const std::vector<RackItem>& items,
                                         const std::vector<RackCounts>& patterns) {
  const auto lock = alone_with_cbc();
  const Model model = covering_model(counts_of(items), patterns);
  for (int p = 0; p < static_cast<int>(patterns.size()); ++p) Cbc_setInteger(model.get(), p);
  Cbc_setMaximumNodes(model.get(), most_nodes);
  solve(model.get());
  const double* uses = Cbc_getColSolution(model.get());
  if (!uses || Cbc_isProvenInfeasible(model.get()) || !(Cbc_getObjValue(model.get()) < 1e9))
    return std::nullopt;
  ExactPacking out;
  RackCounts left = counts_of(items);
  out.racks = racks_of(left, patterns, uses);
  out.lower_bound = Cbc_isProvenOptimal(model.get()) ? static_cast<int>(out.racks.size())
                                                     : rounded_up(Cbc_getBestPossibleObjValue(model.get()));
  return out;
}

#else

bool exact_packing_available() {
  return false;
}

std::optional<RelaxedPacking> pack_relaxed(const std::vector<RackItem>&, const std::vector<RackCounts>&) {
  return std::nullopt;
}

std::optional<ExactPacking> pack_exactly(const std::vector<RackItem>&, const std::vector<RackCounts>&) {
  return std::nullopt;
}

#endif

}  // namespace rackcast
