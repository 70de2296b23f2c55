/// Figures that take more than one prediction: ranges over settings that the source leaves open, ratios of
/// two runs, and totals of runs whose length follows from another row of the same table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenarios/validation/cases/cluster_of_case.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "scenarios/validation/settings/open_settings.hpp"
#include "scenarios/validation/settings/usual_settings.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// By which two runs on one machine differ anyway.
constexpr double repeat_log_sigma = 0.02;

/// The geometric mean, and the hull of the intervals.
PredictedFigure middle_of(const std::vector<PredictedFigure>& figures) {
  PredictedFigure out = figures.front();
  if (figures.size() == 1) return out;
  double log_mean = 0;
  out.least = out.most = out.value;
  for (const PredictedFigure& f : figures) {
    log_mean += std::log(f.value) / static_cast<double>(figures.size());
    out.least = std::min(out.least, f.value);
    out.most = std::max(out.most, f.value);
    out.low = std::min(out.low, f.low);
    out.high = std::max(out.high, f.high);
  }
  out.value = std::exp(log_mean);
  return out;
}

/// Batches of whoever measures throughput: the largest power of two that the GPU holds, a quarter and a
/// sixteenth. Nothing where the memory of the network is not known.
std::vector<ValidationCase> with_batches(PredictionContext& context, const ValidationCase& c) {
  std::vector<ValidationCase> out;
  if (c.workload.task != "training") return out;
  try {
    const double most = std::exp2(std::floor(std::log2(largest_batch_of_case(context, c))));
    for (const double batch : {most, most / 4, most / 16}) {
      if (batch < 1) break;
      const std::string settings = fmt::format(R"({{"workload.batch_per_gpu": {}}})", batch);
      out.push_back(with_settings(c, parse_json(settings, "usual")));
    }
  } catch (const Unpredictable&) {
  } catch (const Error&) {
  }
  return out;
}

std::vector<ValidationCase> usual_values(PredictionContext& context, const ValidationCase& c,
                                         const std::string& setting) {
  if (setting == "batch") {
    if (std::vector<ValidationCase> batches = with_batches(context, c); !batches.empty()) return batches;
  }
  return with_usual(c, setting);
}

/// Settings of one case that are filled with what was usual, at most.
constexpr std::size_t most_filled = 5;

/// The median, and the hull of the intervals.
PredictedFigure median_of(std::vector<PredictedFigure> figures) {
  std::ranges::sort(figures, {}, &PredictedFigure::value);
  const PredictedFigure &below = figures[(figures.size() - 1) / 2], &above = figures[figures.size() / 2];
  PredictedFigure out = below;
  out.value = std::sqrt(below.value * above.value);
  for (const PredictedFigure& f : figures) {
    out.low = std::min(out.low, f.low);
    out.high = std::max(out.high, f.high);
    if (f.assumed.size() > out.assumed.size()) out.assumed = f.assumed;
  }
  return out;
}

PredictedFigure predict_filled(PredictionContext& context, const ValidationCase& c,
                               std::vector<std::string> filled);

/// Over the usual values of the setting that `open` misses. Values that the case cannot have, such as a batch
/// that does not fit, are left out.
PredictedFigure predict_usual(PredictionContext& context, const ValidationCase& c, const Unpredictable& open,
                              std::vector<std::string> filled) {
  const bool again = std::ranges::find(filled, open.setting) != filled.end();
  if (open.setting.empty() || again || filled.size() == most_filled) throw Unpredictable{open};
  filled.push_back(open.setting);
  std::vector<PredictedFigure> figures;
  for (const ValidationCase& variant : usual_values(context, c, open.setting)) {
    try {
      figures.push_back(predict_filled(context, variant, filled));
    } catch (const Unpredictable&) {
    } catch (const Error&) {
    }
  }
  if (figures.empty()) throw Unpredictable{open};
  return median_of(std::move(figures));
}

/// By the rule of the case; where it leaves settings open, over what was usual.
PredictedFigure predict_filled(PredictionContext& context, const ValidationCase& c,
                               std::vector<std::string> filled) {
  try {
    PredictedFigure out = predict_by_rule(context, c);
    out.assumed.insert(out.assumed.end(), filled.begin(), filled.end());
    return out;
  } catch (const Unpredictable& open) {
    return predict_usual(context, c, open, std::move(filled));
  }
}

/// Over what the source leaves open: the middle, or the end that the figure is of.
PredictedFigure predict_over_usual(PredictionContext& context, const ValidationCase& c) {
  std::vector<PredictedFigure> figures;
  for (const ValidationCase& variant : usual_variants(c))
    figures.push_back(predict_filled(context, variant, {}));
  const std::string end = text_in(c.json, "range_end").value_or("");
  if (end.empty()) return middle_of(figures);
  if (end != "low" && end != "high") throw Unpredictable{"\"range_end\" is neither \"low\" nor \"high\""};
  const auto [least, most] = std::ranges::minmax_element(figures, {}, &PredictedFigure::value);
  return end == "low" ? *least : *most;
}

/// What two runs share cancels, as in any ratio of two predictions: a third of the spread is left.
PredictedFigure predict_comparison(PredictionContext& context, const ValidationCase& c, const Json& changes) {
  const PredictedFigure one = predict_over_usual(context, c),
                        two = predict_over_usual(context, with_settings(c, changes));
  const double shared = std::hypot(log_sigma_of(one), log_sigma_of(two)) / 3;
  return figure_of(one.value / two.value, std::max(repeat_log_sigma, shared), one.binds);
}

/// On the same machine with the same library, so that only the length differs.
bool same_run(const ValidationCase& a, const ValidationCase& b) {
  return same_machine(a, b) && text_in(a.workload.extra, "library") == text_in(b.workload.extra, "library");
}

/// The rule predicts one unit of length; the row that `reference` names says how many there were.
PredictedFigure predict_by_length(PredictionContext& context, const ValidationCase& c,
                                  const std::string& reference) {
  const PredictedFigure own = predict_over_usual(context, c);
  if (reference == c.id) {
    PredictedFigure itself = figure_of(*c.measured, 0, own.binds);
    itself.inferred_length = *c.measured / own.value;
    return itself;
  }
  const ValidationCase* from = context.known(reference);
  if (from == nullptr || !from->measured)
    throw Unpredictable{"the length of the run is that of \"" + reference +
                        "\", which is not among the cases"};
  const PredictedFigure unit = predict_over_usual(context, *from);
  const double log_sigma =
      same_run(c, *from) ? repeat_log_sigma : std::hypot(log_sigma_of(own), log_sigma_of(unit));
  return figure_of(own.value / unit.value * *from->measured, log_sigma, own.binds);
}

}  // namespace

PredictedFigure predict_combined(PredictionContext& context, const ValidationCase& c) {
  if (const Json* changes = member_in(c.json, "compared_with"))
    return predict_comparison(context, c, *changes);
  if (const auto reference = text_in(c.json, "length_from")) return predict_by_length(context, c, *reference);
  return predict_over_usual(context, c);
}

}  // namespace rackcast
