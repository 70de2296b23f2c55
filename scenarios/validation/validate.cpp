#include <fmt/format.h>

#include <algorithm>

#include "scenarios/evidence/statistics.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "scenarios/validation/report.hpp"
#include "sim/base/error.hpp"

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

/// The shipped profiles, with those of `changed` in their places.
std::vector<FrameworkProfile> profiles_with(std::span<const FrameworkProfile> changed) {
  std::vector<FrameworkProfile> out = framework_profiles();
  for (FrameworkProfile& profile : out) {
    const auto found = std::ranges::find(changed, profile.id, &FrameworkProfile::id);
    if (found != changed.end()) profile = *found;
  }
  return out;
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
  const ProvenanceRegistry registry = provenance(catalog, profiles_with(options.profiles));
  PredictionContext context{catalog};
  for (const FrameworkProfile& profile : options.profiles) context.replace_profile(profile);
  context.know(cases);
  context.know(options.known);
  std::vector<CaseResult> results;
  results.reserve(cases.size());
  for (const ValidationCase& c : cases) {
    CaseResult r = describe(c);
    r.set = case_set(c, registry);
    r.skipped_reason = refusal(c);
    if (r.skipped_reason.empty()) {
      PredictionOutcome outcome = predict_case(context, c);
      r.predicted = outcome.figure;
      r.skipped_reason = std::move(outcome.skipped_reason);
      if (r.predicted) r.error = error_of(c, r.set, *r.predicted);
    }
    results.push_back(std::move(r));
    if (options.on_case) options.on_case(results.size());
  }
  return summarize_report(std::move(results));
}

}  // namespace rackcast
