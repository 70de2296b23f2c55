#include "scenarios/validation/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/error.hpp"
#include "topologies/fabrics/named_cluster.hpp"

namespace rackcast {
namespace {

using Cases = std::vector<const ValidationCase*>;

bool is_ratio(const std::string& metric) {
  return metric == "speedup" || metric == "scaling_efficiency";
}

bool drawn(const ValidationCase& c) {
  constexpr std::array<std::string_view, 7> metrics{"images_per_s",      "sequences_per_s", "samples_per_s",
                                                    "tokens_per_s",      "steps_per_s",     "speedup",
                                                    "scaling_efficiency"};
  if (!c.unreadable.empty() || c.workload.task != "training" || !c.system.gpus || !c.measured) return false;
  if (!(*c.system.gpus >= 1) || !(*c.measured > 0) || std::ranges::find(metrics, c.metric) == metrics.end())
    return false;
  const CaseSet set = case_set(c, ProvenanceRegistry{});
  return set != CaseSet::not_scored && set != CaseSet::bound && set != CaseSet::derived;
}

/// Everything that a curve's cases share but how they exchange gradients.
std::string setting(const ValidationCase& c) {
  const ValidationCase::Workload& w = c.workload;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}", c.series, w.framework, w.framework_version, c.metric,
                     w.precision.value_or(""), w.batch_per_gpu.value_or(0), w.data);
}

std::string exchange(const ValidationCase& c) {
  std::string out = c.workload.gradient_sync;
  for (const std::string_view key : {"variable_update", "variables_on", "algorithm", "library", "transport"})
    out += "|" + text_in(c.workload.extra, key).value_or("");
  return out;
}

bool repeats_a_size(const Cases& cases) {
  std::set<double> sizes;
  return std::ranges::any_of(cases, [&](const auto* c) { return !sizes.insert(*c->system.gpus).second; });
}

/// One set for each way to exchange gradients, all with the cases on one GPU, where sizes stand twice.
std::vector<Cases> split(const Cases& cases) {
  if (!repeats_a_size(cases)) return {cases};
  Cases alone;
  std::map<std::string, Cases> ways;
  for (const ValidationCase* c : cases) (c->one_gpu() ? alone : ways[exchange(*c)]).push_back(c);
  std::vector<Cases> out;
  for (auto& [way, of] : ways) {
    if (!alone.empty()) of.push_back(alone.front());
    if (!repeats_a_size(of)) out.push_back(of);
  }
  return out;
}

double base_of(const ValidationCase& c) {
  const Json* baseline = member_in(c.workload.extra, "baseline");
  return (baseline ? number_in(*baseline, "gpus") : std::nullopt).value_or(1);
}

/// What makes a value one GPU's: rates by the number of GPUs, speed-ups by what a perfect one would be.
double share(const ValidationCase& c, double gpus) {
  if (c.metric == "scaling_efficiency") return 1;
  return c.metric == "speedup" ? base_of(c) / gpus : 1 / gpus;
}

PredictedFigure times(PredictedFigure figure, double factor) {
  return {figure.value * factor, figure.low * factor, figure.high * factor};
}

/// The smallest published size that is not below; the settings of one node differ from those of several.
const ValidationCase& nearest(const Cases& cases, double gpus) {
  for (const ValidationCase* c : cases)
    if (*c->system.gpus >= gpus) return *c;
  return *cases.back();
}

std::string setting_for_people(const ValidationCase& c) {
  const ValidationCase::Workload& w = c.workload;
  std::string out = w.model + ", " + w.framework;
  if (w.batch_per_gpu) out += fmt::format(", {:g} per GPU", *w.batch_per_gpu);
  return out + ", " + w.precision.value_or("precision not stated");
}

ScalingCurve curve_of(PredictionContext& context, Cases cases, bool several_ways) {
  std::ranges::stable_sort(cases, {}, [](const auto* c) { return *c->system.gpus; });
  const ValidationCase& last = *cases.back();
  ScalingCurve out;
  const auto first = last.series.find('/'), second = last.series.find('/', first + 1);
  out.system = first == std::string::npos ? last.series : last.series.substr(first + 1, second - first - 1);
  out.title = setting_for_people(last);
  if (several_ways)
    out.title += ", " + text_in(last.workload.extra, "variable_update").value_or(last.workload.gradient_sync);
  out.source = last.source;
  out.unit = is_ratio(last.metric) ? "efficiency" : last.unit + " per GPU";
  std::map<double, ScalingPoint> points;
  for (const ValidationCase* c : cases)
    points[*c->system.gpus].measured = *c->measured * share(*c, *c->system.gpus);
  const double least = is_ratio(last.metric) ? base_of(last) : *cases.front()->system.gpus;
  for (double gpus = least; gpus < *last.system.gpus; gpus *= 2) points[gpus];
  for (auto& [gpus, point] : points) {
    point.gpus = gpus;
    const ValidationCase& like = nearest(cases, gpus);
    const ValidationCase c = *like.system.gpus == gpus ? like : with_gpus(like, gpus);
    if (is_ratio(c.metric) && gpus == base_of(c)) {
      point.predicted = PredictedFigure{1, 1, 1};
    } else {
      const PredictionOutcome outcome = predict_case(context, c);
      if (outcome.figure) point.predicted = times(*outcome.figure, share(c, gpus));
      if (!outcome.figure) out.reason = outcome.skipped_reason;
    }
    out.points.push_back(point);
  }
  return out;
}

bool worth_drawing(const Cases& cases) {
  std::set<double> sizes;
  for (const ValidationCase* c : cases) sizes.insert(*c->system.gpus);
  if (!sizes.empty() && is_ratio(cases.front()->metric)) sizes.insert(base_of(*cases.front()));
  return sizes.size() >= 3 || (sizes.size() == 2 && *sizes.rbegin() > 16);
}

/// What a cluster of the catalogue trains where no case of its node does.
ValidationCase plain_resnet(const NamedCluster& named) {
  ValidationCase c;
  c.system.gpu = named.node.gpu.id;
  c.system.node = named.node.id;
  c.system.gpus_per_node = named.node.gpus;
  c.workload.model = "resnet50";
  c.workload.task = "training";
  c.workload.batch_per_gpu = 64;
  c.workload.precision = named.node.gpu.peak.fp16_tensor ? "mixed" : "fp32";
  c.workload.framework = "generic";
  return c;
}

ScalingCurve curve_of(PredictionContext& context, const NamedCluster& named,
                      std::span<const ValidationCase> cases) {
  ScalingCurve out;
  out.system = named.name;
  out.unit = "efficiency";
  ValidationCase c = plain_resnet(named);
  std::map<double, ScalingPoint> points;
  for (const ValidationCase& published : cases) {
    const bool here = drawn(published) && published.system.node == named.node.id &&
                      published.workload.model == "resnet50" && published.metric == "scaling_efficiency";
    if (!here) continue;
    c = published;
    points[*c.system.gpus].measured = *c.measured;
    out.source = c.source;
  }
  const double local = named.node.gpus, all = local * named.nodes;
  c.system.cluster = named.id;
  c.system.gpus_per_node = local;
  out.title = setting_for_people(c);
  for (double gpus = local; gpus < all; gpus *= 2) points[gpus];
  points[all];
  for (auto& [gpus, point] : points) {
    point.gpus = gpus;
    try {
      point.predicted =
          gpus > local ? predict_efficiency(context, with_gpus(c, gpus), local) : PredictedFigure{1, 1, 1};
    } catch (const Unpredictable& u) {
      out.reason = u.reason;
    } catch (const Error& e) {
      out.reason = e.message();
    }
    out.points.push_back(point);
  }
  return out;
}

}  // namespace

std::vector<ScalingCurve> scaling_curves(const Catalog& catalog, std::span<const ValidationCase> cases,
                                         const std::function<void(std::size_t done)>& on_curve) {
  PredictionContext context{catalog};
  std::vector<ScalingCurve> out;
  const auto add = [&](ScalingCurve curve) {
    out.push_back(std::move(curve));
    if (on_curve) on_curve(out.size());
  };
  for (const std::string& id : catalog.ids("clusters"))
    add(curve_of(context, cluster_of(catalog, id), cases));
  std::map<std::string, Cases> settings;
  for (const ValidationCase& c : cases)
    if (drawn(c)) settings[setting(c)].push_back(&c);
  for (const auto& [name, of] : settings) {
    const std::vector<Cases> ways = split(of);
    for (const Cases& way : ways)
      if (worth_drawing(way)) add(curve_of(context, way, ways.size() > 1));
  }
  std::ranges::stable_sort(out, {}, &ScalingCurve::system);
  return out;
}

std::string to_json_text(std::span<const ScalingCurve> curves) {
  using CurveDocument = nlohmann::ordered_json;
  CurveDocument all = CurveDocument::array();
  for (const ScalingCurve& curve : curves) {
    CurveDocument points = CurveDocument::array();
    for (const ScalingPoint& p : curve.points) {
      CurveDocument point = {{"gpus", p.gpus}};
      if (p.measured) point["measured"] = *p.measured;
      if (p.predicted) {
        point["predicted"] = p.predicted->value;
        point["low"] = p.predicted->low;
        point["high"] = p.predicted->high;
      }
      points.push_back(std::move(point));
    }
    all.push_back({{"system", curve.system},
                   {"title", curve.title},
                   {"source", curve.source},
                   {"unit", curve.unit},
                   {"reason", curve.reason},
                   {"points", std::move(points)}});
  }
  const CurveDocument out = {{"format", "rackcast-scaling"}, {"version", 1}, {"curves", std::move(all)}};
  return out.dump(1, ' ', false, CurveDocument::error_handler_t::replace) + "\n";
}

}  // namespace rackcast
