#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "scenarios/evidence/statistics.hpp"
#include "scenarios/validation/report.hpp"

namespace rackcast {
namespace {

constexpr std::size_t worst_count = 20;

std::optional<double> median_of_series(std::span<const CaseResult> results) {
  std::map<std::string, std::vector<double>> series;
  for (const CaseResult& r : results)
    if (r.error) series[r.series.empty() ? r.id : r.series].push_back(std::abs(*r.error));
  std::vector<double> medians;
  for (auto& [name, errors] : series) medians.push_back(*quantile(std::move(errors), 0.5));
  return quantile(std::move(medians), 0.5);
}

std::string scale_of(const CaseResult& r) {
  constexpr std::array<int, 6> limits{1, 8, 64, 256, 1024, 4096};
  if (r.gpus <= 0) return "GPUs not stated";
  if (r.gpus <= 1) return "1 GPU";
  for (std::size_t i = 1; i < limits.size(); ++i)
    if (r.gpus <= limits[i])
      return std::to_string(limits[i - 1] + 1) + " to " + std::to_string(limits[i]) + " GPUs";
  return "over " + std::to_string(limits.back()) + " GPUs";
}

struct Grouping {
  std::string_view by;
  std::string (*name)(const CaseResult&);
};
constexpr std::array<Grouping, 8> groupings{{
    {"task",
     [](const CaseResult& r) {
       return r.task + ", " + scale_of(r);
     }},
    {"gpu",
     [](const CaseResult& r) {
       return r.gpu;
     }},
    {"generation",
     [](const CaseResult& r) {
       return r.generation;
     }},
    {"model",
     [](const CaseResult& r) {
       return r.model;
     }},
    {"framework",
     [](const CaseResult& r) {
       return r.framework;
     }},
    {"scale", scale_of},
    {"metric",
     [](const CaseResult& r) {
       return r.metric;
     }},
    {"source",
     [](const CaseResult& r) {
       return r.source;
     }},
}};

/// What is assumed of a system may be wrong, so these cases have tables of their own.
constexpr std::array<std::string_view, 2> groupings_of_assumed{"task", "source"};

ErrorTable table_of(const Grouping& grouping, std::string by, const std::vector<CaseResult>& results) {
  std::map<std::string, std::vector<CaseResult>> groups;
  for (const CaseResult& r : results) {
    const std::string name = grouping.name(r);
    groups[name.empty() ? "not stated" : name].push_back(r);
  }
  ErrorTable table{std::move(by), {}};
  for (const auto& [name, members] : groups) table.groups.push_back({name, summarize(members)});
  return table;
}

std::vector<SkipCount> count_skips(const std::vector<CaseResult>& results) {
  std::map<std::string, std::size_t> counts;
  for (const CaseResult& r : results)
    if (!r.skipped_reason.empty()) ++counts[r.skipped_reason];
  std::vector<SkipCount> out;
  for (const auto& [reason, n] : counts) out.push_back({reason, n});
  std::ranges::stable_sort(out, [](const SkipCount& a, const SkipCount& b) { return a.n > b.n; });
  return out;
}

std::vector<std::size_t> worst_of(const std::vector<CaseResult>& results) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].set == CaseSet::judged && results[i].error) out.push_back(i);
  // A prediction of half and one of twice are equally wrong, so the worst are those farthest by ratio.
  const auto distance = [&results](std::size_t i) {
    return std::abs(std::log(std::max(results[i].predicted->value, 1e-300) / *results[i].measured));
  };
  std::ranges::stable_sort(out, [&](std::size_t a, std::size_t b) { return distance(a) > distance(b); });
  out.resize(std::min(out.size(), worst_count));
  return out;
}

}  // namespace

ErrorSummary summarize(std::span<const CaseResult> results) {
  ErrorSummary out;
  out.n = results.size();
  std::vector<double> absolute, with_sign, scores;
  std::size_t covered = 0;
  for (const CaseResult& r : results) {
    if (!r.error) continue;
    ++out.predicted;
    with_sign.push_back(*r.error);
    absolute.push_back(std::abs(*r.error));
    if (r.predicted->low > 0 && *r.measured > 0 && !(r.set == CaseSet::bound && *r.error == 0))
      scores.push_back(interval_score(r.predicted->low, r.predicted->high, *r.measured));
    covered += *r.error == 0 || (r.predicted->low <= *r.measured && *r.measured <= r.predicted->high);
  }
  out.skipped = out.n - out.predicted;
  out.median_abs_error = quantile(absolute, 0.5);
  out.mean_abs_error = mean(absolute);
  out.p90_abs_error = quantile(absolute, 0.9);
  out.median_error = quantile(with_sign, 0.5);
  out.median_abs_error_by_series = median_of_series(results);
  out.interval_score = mean(scores);
  if (out.predicted > 0) out.coverage_90 = static_cast<double>(covered) / static_cast<double>(out.predicted);
  return out;
}

std::vector<ErrorGroup> summarize_sets(std::span<const CaseResult> results) {
  std::map<CaseSet, std::vector<CaseResult>> sets;
  for (const CaseResult& r : results) sets[r.set].push_back(r);
  std::vector<ErrorGroup> out;
  for (const auto& [set, members] : sets) out.push_back({std::string{to_string(set)}, summarize(members)});
  return out;
}

ValidationReport summarize_report(std::vector<CaseResult> results) {
  ValidationReport report;
  report.sets = summarize_sets(results);

  const auto predicted = [&results](CaseSet set) {
    std::vector<CaseResult> out;
    for (const CaseResult& r : results)
      if (r.set == set && r.error) out.push_back(r);
    return out;
  };
  const std::vector<CaseResult> judged = predicted(CaseSet::judged), assumed = predicted(CaseSet::assumed);
  report.summary = summarize(judged);
  report.summary.n = results.size();
  report.summary.predicted = static_cast<std::size_t>(
      std::ranges::count_if(results, [](const CaseResult& r) { return r.predicted.has_value(); }));
  report.summary.skipped = report.summary.n - report.summary.predicted;
  std::vector<CaseResult> scored;
  for (const CaseResult& r : results)
    if (r.set != CaseSet::fit && r.set != CaseSet::not_scored && r.statement.empty()) scored.push_back(r);
  report.scored = summarize(scored);
  for (const Grouping& grouping : groupings)
    report.tables.push_back(table_of(grouping, std::string{grouping.by}, judged));
  for (const Grouping& grouping : groupings)
    if (std::ranges::find(groupings_of_assumed, grouping.by) != groupings_of_assumed.end())
      report.tables.push_back(table_of(grouping, "assumed " + std::string{grouping.by}, assumed));
  report.skipped = count_skips(results);
  report.worst = worst_of(results);
  report.cases = std::move(results);
  return report;
}

}  // namespace rackcast
