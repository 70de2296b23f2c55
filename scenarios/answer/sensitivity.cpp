#include "scenarios/answer/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/names/ranges.hpp"

namespace rackcast {

namespace {

constexpr double kNothing = 1e-4;  ///< of the time: an input that changes it by less does not matter

/// Time to train of the workloads of `q` in the scenario at a point of its ranges, on as many nodes.
Duration time_at(Evaluator& evaluator, const Scenario& s, const Question& q,
                 std::span<const InputRange> ranges, std::span<const double> u) {
  const Scenario there =
      resolve_clusters(read_scenario(at_point(s.text, ranges, u), s.file), evaluator.catalog());
  const auto same = [&there](const WorkloadSpec& w) {
    return std::ranges::find(there.workloads, w.where.pointer,
                             [](const WorkloadSpec& other) { return other.where.pointer; });
  };
  const auto first = same(q.workload);
  if (first == there.workloads.end()) return evaluator.time_to_train(q);
  Question varied = question(there, *first);
  varied.cluster.nodes = q.cluster.nodes;
  for (const WorkloadSpec& w : q.then)
    if (const auto next = same(w); next != there.workloads.end()) varied.then.push_back(*next);
  return evaluator.time_to_train(varied);
}

void add_ranges(Evaluator& evaluator, const Scenario& s, const Question& q,
                std::vector<SensitivityRow>& rows) {
  const std::vector<InputRange> ranges = find_ranges(s.text);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    std::vector<double> u(ranges.size(), 0.5);
    const auto end = [&](double value) {
      u[i] = value;
      return time_at(evaluator, s, q, ranges, u);
    };
    SensitivityRow row{ranges[i].path, "range", ranges[i].at(0), ranges[i].at(1), end(0), Duration{0}};
    row.high = end(1);
    rows.push_back(std::move(row));
  }
}

double swing(const SensitivityRow& row) {
  return std::abs(std::log(row.high / row.low));
}

}  // namespace

std::vector<SensitivityRow> sensitivity(Evaluator& evaluator, const Scenario& s, const Question& q) {
  std::vector<SensitivityRow> rows;
  for (const PartSwing& part : evaluator.swings(q)) {
    rows.push_back({part.name, "model", fmt::format("x {:.3g}", 1 / part.factor),
                    fmt::format("x {:.3g}", part.factor), part.low, part.high});
  }
  add_ranges(evaluator, s, q, rows);
  std::erase_if(rows, [](const SensitivityRow& row) { return swing(row) < kNothing; });
  std::ranges::stable_sort(rows, std::ranges::greater{}, swing);
  return rows;
}

}  // namespace rackcast
