#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/collectives/fitted_curves.hpp"
#include "scenarios/validation/predictor.hpp"
#include "scenarios/validation/report.hpp"
#include "scenarios/validation/statistics.hpp"
#include "sim/error.hpp"

namespace rackcast {
namespace {

CaseResult describe(const ValidationCase& c) {
  CaseResult r;
  r.id = c.id;
  r.series = c.series;
  r.source = c.source;
  r.metric = c.metric;
  r.unit = c.unit;
  r.gpu = c.system.gpu.value_or("");
  r.model = c.workload.model;
  r.framework = c.workload.framework;
  r.task = c.workload.task;
  r.file = c.file;
  r.line = c.line;
  r.gpus = c.system.gpus.value_or(0);
  r.measured = c.measured;
  return r;
}

/// Why a case is left out before anything is predicted; empty if it is not.
std::string refusal(const ValidationCase& c) {
  if (!c.unreadable.empty()) return "unreadable: " + c.unreadable;
  if (c.metric.empty()) return "unreadable: measured.metric is missing";
  if (!c.measured) return "unreadable: measured.value is missing";
  if (!(*c.measured > 0)) return "measured value is not positive, so an error has no meaning";
  if (c.kind == "projection") return "not scored: a projection, nobody ran it";
  return {};
}

double error_of(const ValidationCase& c, CaseSet set, const PredictedFigure& p) {
  const std::string side = text_in(c.workload.extra, "bound").value_or("");
  if (set == CaseSet::bound && (side == "upper" ? p.value <= *c.measured : p.value >= *c.measured)) return 0;
  return signed_error(p.value, *c.measured);
}

/// Measurements that the GPU cost models are fitted on. The cases of these sources repeat them.
bool fits_gpu_models(const ValidationCase& c) {
  // Kepler's normalisation kernels (models/gpu_lowering.cpp).
  constexpr std::array<std::string_view, 5> kepler{
      "tfdocs-gce-resnet50-b32-synthetic-1gpu", "tfdocs-gce-inception-v3-b32-synthetic-1gpu",
      "tfdocs-gce-vgg16-b32-synthetic-1gpu", "tfdocs-gce-alexnet-b512-synthetic-1gpu",
      "tfdocs-ec2-resnet50-b64-synthetic-1gpu"};
  if (std::ranges::find(kepler, c.id) != kepler.end()) return true;
  return c.workload.task == "kernel" &&
         (c.source == "baidu_deepbench" || c.source.find("vidur") != std::string::npos);
}

bool fits_links(const ValidationCase& c) {
  return std::ranges::any_of(curves_of_links(), [&c](const FittedCurve& curve) {
    return c.series == curve.series && c.system.gpus == curve.gpus;
  });
}

}  // namespace

PredictedFigure figure_to_fit(PredictionContext& context, const ValidationCase& c) {
  PredictionOutcome outcome;
  outcome.skipped_reason = refusal(c);
  if (outcome.skipped_reason.empty()) outcome = predict_case(context, c);
  if (outcome.figure) return *outcome.figure;
  throw Error{fmt::format("case \"{}\" cannot be fitted: {}", c.id, outcome.skipped_reason),
              Where{.file = c.file, .line = c.line}};
}

ValidationReport validate_cases(const Catalog& catalog, std::span<const ValidationCase> cases,
                                const std::function<void(std::size_t done)>& on_case) {
  std::vector<std::string> fitted;
  for (const FrameworkProfile& profile : framework_profiles())
    fitted.insert(fitted.end(), profile.fit.begin(), profile.fit.end());
  PredictionContext context{catalog};
  std::vector<CaseResult> results;
  results.reserve(cases.size());
  for (const ValidationCase& c : cases) {
    CaseResult r = describe(c);
    r.set = case_set(c, fitted);
    if (r.set == CaseSet::judged && (fits_gpu_models(c) || fits_links(c))) r.set = CaseSet::fit;
    r.skipped_reason = refusal(c);
    if (r.skipped_reason.empty()) {
      PredictionOutcome outcome = predict_case(context, c);
      r.predicted = outcome.figure;
      r.skipped_reason = std::move(outcome.skipped_reason);
      if (r.predicted) r.error = error_of(c, r.set, *r.predicted);
    }
    results.push_back(std::move(r));
    if (on_case) on_case(results.size());
  }
  return summarize_report(std::move(results));
}

}  // namespace rackcast
