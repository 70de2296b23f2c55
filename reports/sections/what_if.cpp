/// What the reader may vary on the page, over the sizes that were simulated.
#include <algorithm>
#include <optional>

#include "reports/sections/sections.hpp"
#include "reports/sentences/decision_sentences.hpp"

namespace rackcast::reports {
namespace {

/// The sizes of whole nodes with their rates over the whole training, so that work / rate is the time to
/// train that the simulation gave, warm-up and colder epochs included.
std::vector<WhatIf::Point> rates(const WorkloadResult& workload, double work) {
  std::vector<WhatIf::Point> points;
  for (const ScalingPoint& p : workload.scaling) {
    const auto& time = p.time_to_train;
    if (p.nodes > 0 && time && time->low > 0) {
      points.push_back({static_cast<double>(p.nodes), static_cast<double>(p.gpus), work / time->value,
                        work / time->high, work / time->low});
    }
  }
  std::ranges::stable_sort(points, {}, [](const auto& p) { return std::pair(p.nodes, -p.gpus); });
  // clang 14 cannot instantiate std::ranges::unique of libstdc++ 12.
  points.erase(std::unique(points.begin(), points.end(),
                           [](const auto& a, const auto& b) { return a.nodes == b.nodes; }),
               points.end());
  return points;
}

/// All workloads as one whose time at each size is the sum of theirs; nothing where a workload was simulated
/// at other sizes than the rest.
std::vector<WhatIf::Workload> one_after_another(const ResultDocument& document) {
  WhatIf::Workload all{"All, one after another", 0, 1, {}};
  for (const WorkloadResult& w : document.workloads) {
    all.samples += w.samples.value_or(0) * w.epochs.value_or(0);
  }
  for (const WorkloadResult& w : document.workloads) {
    // Rates of the work of all: the times behind them add up.
    const auto points = rates(w, all.samples);
    if (points.size() < 2 || (!all.points.empty() && all.points.size() != points.size())) return {};
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (all.points.size() == i) {
        all.points.push_back(points[i]);
        continue;
      }
      WhatIf::Point& sum = all.points[i];
      if (sum.nodes != points[i].nodes) return {};
      for (double WhatIf::Point::*rate : {&WhatIf::Point::rate, &WhatIf::Point::low, &WhatIf::Point::high})
        sum.*rate = 1 / (1 / sum.*rate + 1 / points[i].*rate);
    }
  }
  return {all};
}

/// Energy of a year with its price, and what else a year of owning costs.
std::optional<WhatIf::Energy> energy_of(const ResultDocument& document) {
  if (!document.site || !document.site->cost) return std::nullopt;
  if (document.site->cost_is_open()) return std::nullopt;  // a sum that leaves something out does not scale
  const SiteCost& cost = *document.site->cost;
  const double kwh = document.site->power.facility_kwh_year.value_or(0);
  if (kwh <= 0 || cost.usd_per_kwh.value_or(0) <= 0) return std::nullopt;
  const double others = cost.year_usd && cost.energy_usd ? *cost.year_usd - *cost.energy_usd : 0;
  return WhatIf::Energy{kwh, *cost.usd_per_kwh, std::max(0.0, others)};
}

}  // namespace

Blocks what_if_section(const ResultDocument& document) {
  const Answer& answer = document.answer;
  if (document.kind != ResultDocument::Kind::size || !answer.feasible ||
      document.deadline_s.value_or(0) <= 0) {
    return {};
  }
  WhatIf what_if{node_name(answer),
                 *document.deadline_s,
                 static_cast<double>(answer.nodes.value_or(0)),
                 static_cast<double>(answer.spares),
                 {},
                 energy_of(document)};
  if (document.premise.adds_up) {
    what_if.workloads = one_after_another(document);
    if (what_if.workloads.empty()) return {};
  }
  for (const WorkloadResult& workload : document.workloads) {
    if (document.premise.adds_up) break;
    const double work = workload.samples.value_or(0) * workload.epochs.value_or(0);
    auto points = work > 0 ? rates(workload, work) : std::vector<WhatIf::Point>{};
    if (points.size() < 2) {
      return {};  // an answer that leaves a workload out would be wrong
    }
    what_if.workloads.push_back({workload.title, *workload.samples, *workload.epochs, std::move(points)});
  }
  if (what_if.workloads.empty()) {
    return {};
  }
  return {
      {Paragraph{
           "Move a slider: the page works out the nodes again, from the sizes that were simulated. Between "
           "them it interpolates, and more data or epochs are taken to run at the same rate, so the answer "
           "is an approximation; a question that matters deserves a run of its own. GPUs beside the ones "
           "that are "
           "needed show the time that they take; energy and cost grow with the nodes."},
       Audience::document},
      {std::move(what_if), Audience::document}};
}

}  // namespace rackcast::reports
