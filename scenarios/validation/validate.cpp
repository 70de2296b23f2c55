#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "scenarios/evidence/statistics.hpp"
#include "scenarios/validation/predict/anchored.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "scenarios/validation/report.hpp"
#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"

namespace rackcast {
namespace {

CaseResult describe(const ValidationCase& c) {
  CaseResult r;
  r.id = c.id;
  r.series = c.series;
  r.source = c.source;
  r.citation = c.citation;
  r.metric = c.metric;
  r.unit = c.unit;
  r.gpu = c.system.gpu.value_or("");
  r.model = c.workload.model;
  r.framework = c.workload.framework;
  r.precision = c.workload.precision.value_or("");
  r.task = c.workload.task;
  r.file = c.file;
  r.line = c.line;
  r.gpus = c.system.gpus.value_or(0);
  r.measured = c.measured;
  r.statement = c.statement;
  r.bound = text_in(c.workload.extra, "bound").value_or("");
  r.remark = c.remark;
  return r;
}

/// Yes or no, 1 or 0: an error is 1 where the other came true.
bool is_verdict(const ValidationCase& c) {
  return c.metric == "out_of_memory";
}

/// Why a case is left out before anything is predicted; empty if it is not.
std::string refusal(const ValidationCase& c) {
  if (!c.unreadable.empty()) return "unreadable: " + c.unreadable;
  if (c.metric.empty()) return "unreadable: measured.metric is missing";
  if (!c.measured) return "unreadable: measured.value is missing";
  if (is_verdict(c)) return {};
  if (!(*c.measured > 0)) return "measured value is not positive, so an error has no meaning";
  return {};
}

double error_of(const ValidationCase& c, CaseSet set, const PredictedFigure& p) {
  const std::string side = text_in(c.workload.extra, "bound").value_or("");
  if (set == CaseSet::bound && (side == "upper" ? p.value <= *c.measured : p.value >= *c.measured)) return 0;
  if (is_verdict(c)) return p.value - *c.measured;
  // Over settings that the source leaves open: how far outside of what they give.
  if (p.most > 0) return signed_error(std::clamp(*c.measured, p.least, p.most), *c.measured);
  return signed_error(p.value, *c.measured);
}

/// What one thread predicts with. Contexts remember steps, so they are kept from case to case.
class Worker {
 public:
  Worker(const Catalog& catalog, std::span<const ValidationCase> cases, const ValidationOptions& options)
      : catalog_{catalog}, cases_{cases}, options_{options} {}

  PredictionContext& context(const std::string& source) {
    const FittedConstants* constants = nullptr;
    if (options_.without_source != nullptr)
      if (const auto found = options_.without_source->find(source); found != options_.without_source->end())
        constants = &found->second;
    if (constants == nullptr) {
      if (!shipped_) shipped_ = make({});
      return *shipped_;
    }
    if (constants != constants_ || !refitted_) refitted_ = make(*constants);
    constants_ = constants;
    return *refitted_;
  }

 private:
  std::unique_ptr<PredictionContext> make(const FittedConstants& constants) const {
    auto out = std::make_unique<PredictionContext>(catalog_, constants);
    out->know(cases_);
    out->know(options_.known);
    return out;
  }

  const Catalog& catalog_;
  std::span<const ValidationCase> cases_;
  const ValidationOptions& options_;
  std::unique_ptr<PredictionContext> shipped_, refitted_;
  const FittedConstants* constants_ = nullptr;  ///< of `refitted_`
};

/// Neighbours that one thread takes together, because they share steps.
struct Share {
  std::size_t begin = 0, end = 0;
};

std::vector<Share> shares_of(std::span<const ValidationCase> cases) {
  constexpr std::size_t most = 32;  // of a long series, so that no thread ends long after the others
  std::vector<Share> out;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const bool fresh = out.empty() || cases[i].series != cases[i - 1].series ||
                       cases[i].source != cases[i - 1].source || i - out.back().begin >= most;
    if (fresh) out.push_back({i, i});
    out.back().end = i + 1;
  }
  return out;
}

/// `r` says what the case is.
CaseResult compared(Worker& worker, const ValidationCase& c, CaseResult r) {
  r.skipped_reason = refusal(c);
  if (!r.skipped_reason.empty()) return r;
  PredictionContext& context = worker.context(c.source);
  r.generation = context.generation(c);
  PredictionOutcome outcome = predict_case(context, c);
  r.predicted = outcome.figure;
  r.skipped_reason = std::move(outcome.skipped_reason);
  if (!r.predicted) return r;
  // A guess at what was usual is no prediction to be judged.
  if (!r.predicted->assumed.empty() && r.set == CaseSet::judged) r.set = CaseSet::assumed;
  r.error = error_of(c, r.set, *r.predicted);
  for (const Mechanism m : mechanisms_of(context, c)) r.mechanisms.emplace_back(m, mechanism_log_sigma(m));
  return r;
}

/// What cases may be used for. Where fits were repeated without a source, its cases are no longer fit, but
/// for what no fit can repeat.
class Sets {
 public:
  Sets(const Catalog& catalog, bool left_out)
      : all_{provenance(catalog, framework_profiles())},
        kept_{left_out ? all_.chosen_by_hand() : all_},
        left_out_{left_out} {}

  void tell(const ValidationCase& c, CaseResult& r) const {
    r.used = all_.user_of(c) != nullptr;
    r.set = case_set(c, kept_);
    if (left_out_ && r.set == CaseSet::fit && kept_.user_of(c) != nullptr) r.set = CaseSet::chosen;
  }

 private:
  ProvenanceRegistry all_, kept_;
  bool left_out_;
};

/// Cases that were amended, as they were published; `i`: of the case.
using AsPublished = std::map<std::size_t, CaseResult>;

void tell_amendments(ValidationReport& report, std::span<const ValidationCase> cases,
                     const AsPublished& published) {
  if (published.empty()) return;
  std::vector<CaseResult> before = report.cases;
  std::map<CaseAmendment, std::vector<std::size_t>> by_reason;
  for (const auto& [i, result] : published) {
    before[i] = result;
    by_reason[*cases[i].amendment].push_back(i);
  }
  for (const auto& [amendment, members] : by_reason) {
    AmendmentEffect effect;
    effect.amendment = amendment;
    std::vector<CaseResult> old, fresh;
    for (const std::size_t i : members) {
      effect.ids.push_back(cases[i].id);
      old.push_back(before[i]);
      fresh.push_back(report.cases[i]);
    }
    effect.published = summarize(old);
    effect.amended = summarize(fresh);
    report.amendments.push_back(std::move(effect));
  }
  report.sets_as_published = summarize_sets(before);
}

/// The results that have an anchor, conditioned on it; `workers` as many as threads.
ValidationReport anchored_report(std::vector<Worker>& workers, std::span<const ValidationCase> cases,
                                 const std::vector<CaseResult>& results) {
  std::vector<bool> usable;
  for (const CaseResult& r : results)
    usable.push_back(r.predicted && r.error && r.set != CaseSet::not_scored && r.set != CaseSet::bound &&
                     r.predicted->low > 0);
  const auto anchors = choose_anchors(cases, usable);
  std::vector<CaseResult> conditioned = results;
  const std::vector<Share> shares = shares_of(cases);
  in_parallel(shares.size(), static_cast<int>(workers.size()), [&](std::size_t share, std::size_t slot) {
    for (std::size_t i = shares[share].begin; i < shares[share].end; ++i) {
      CaseResult& r = conditioned[i];
      if (!anchors[i] || *anchors[i] == i || !r.predicted) continue;
      const std::size_t anchor = *anchors[i];
      r.anchor = cases[anchor].id;
      r.predicted = predict_anchored(workers[slot].context(cases[i].source), cases[i], *r.predicted,
                                     cases[anchor], *results[anchor].predicted);
      if (r.error) r.error = error_of(cases[i], r.set, *r.predicted);
    }
  });
  std::size_t used = 0, without = 0;
  std::vector<CaseResult> out;
  for (std::size_t i = 0; i < conditioned.size(); ++i) {
    if (!anchors[i])
      ++without;
    else if (*anchors[i] == i)
      ++used;
    else
      out.push_back(std::move(conditioned[i]));
  }
  ValidationReport report = summarize_report(std::move(out));
  report.anchors = used;
  report.without_anchor = without;
  return report;
}

}  // namespace

PredictedFigure figure_to_fit(PredictionContext& context, const ValidationCase& c) {
  PredictionOutcome outcome;
  outcome.skipped_reason = refusal(c);
  if (c.kind == "projection") outcome.skipped_reason = "a projection, nobody ran it";
  if (outcome.skipped_reason.empty()) outcome = predict_case(context, c);
  if (outcome.figure) return *outcome.figure;
  throw Error{fmt::format("case \"{}\" cannot be fitted: {}", c.id, outcome.skipped_reason),
              Where{.file = c.file, .line = c.line}};
}

ValidationReport validate_cases(const Catalog& catalog, std::span<const ValidationCase> cases,
                                const ValidationOptions& options) {
  const bool left_out = options.without_source != nullptr;
  const Sets sets{catalog, left_out};
  const std::vector<Share> shares = shares_of(cases);
  const int threads = options.threads == 0 ? available_threads() : options.threads;
  std::vector<Worker> workers;
  for (int i = 0; i < threads; ++i) workers.emplace_back(catalog, cases, options);
  std::vector<CaseResult> results(cases.size());
  AsPublished published;
  std::mutex telling;
  std::size_t done = 0;
  in_parallel(shares.size(), threads, [&](std::size_t share, std::size_t slot) {
    for (std::size_t i = shares[share].begin; i < shares[share].end; ++i) {
      CaseResult described = describe(cases[i]);
      sets.tell(cases[i], described);
      results[i] = compared(workers[slot], cases[i], std::move(described));
      std::optional<CaseResult> before;
      if (const auto& original = cases[i].published; original && !options.anchored) {
        before = describe(*original);
        sets.tell(*original, *before);
        before = compared(workers[slot], *original, std::move(*before));
      }
      const std::scoped_lock lock{telling};
      if (before) published.emplace(i, std::move(*before));
      ++done;
      if (options.on_case) options.on_case(done);
    }
  });
  ValidationReport report =
      options.anchored ? anchored_report(workers, cases, results) : summarize_report(std::move(results));
  tell_amendments(report, cases, published);
  if (left_out) report.left_out = "source";
  return report;
}

}  // namespace rackcast
