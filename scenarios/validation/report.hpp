#pragma once
/// Predictions beside published measurements, and how good they are.
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/mechanism_spread.hpp"
#include "scenarios/evidence/predicted_figure.hpp"
#include "scenarios/validation/cases/case.hpp"
#include "scenarios/validation/fitted_constants.hpp"
#include "scenarios/validation/provenance.hpp"

namespace rackcast {

class Catalog;

/// What a comparison may be used for. Only `judged` enters the headline figures.
enum class CaseSet {
  judged,       ///< measured, read from the source, not used to fit anything
  fit,          ///< a framework profile or GPU model was fitted on it, or the length of a run taken from it
  derived,      ///< computed by the source from other measurements
  approximate,  ///< rounded by the source or quoted as "about"
  assumed,      ///< GPU, fabric or what a benchmark's rules leave open is an inference
  bound,        ///< an upper or lower bound: it can be violated, not matched
  not_scored,   ///< projection, suspect, superseded or a repeat of another case
  chosen,       ///< of a source that is left out: no fit can be repeated that the constant was chosen by
};
std::string_view to_string(CaseSet set);

/// Which set a case belongs to. No constant of the registry rests on a judged case.
CaseSet case_set(const ValidationCase& c, const ProvenanceRegistry& registry);

struct CaseResult {
  std::string id, series, source, citation, metric, unit, gpu, model, framework, precision, task, file;
  std::string generation;  ///< architecture of the GPU, "Volta"; empty where the catalogue lacks the GPU
  std::string statement;   ///< what the source says in words, if the case is of that
  std::string bound;       ///< "lower", "upper": the figure is one; else empty
  std::string remark;      ///< why the prediction is off, as far as it is known
  int line = 0;
  CaseSet set = CaseSet::judged;
  double gpus = 0;  ///< 0: not stated
  std::optional<double> measured;
  std::optional<PredictedFigure> predicted;
  std::optional<double>
      error;  ///< signed, relative to measured; 0 for a bound that is kept; of a verdict the difference
  std::string skipped_reason;  ///< empty when predicted
  std::string anchor;          ///< id of the case that was taken as measured; empty: none
  bool used = false;           ///< a constant rests on it, whatever was left out
  /// Whose spreads are in the interval (models/mechanism_spread.hpp), with the standard deviations.
  std::vector<std::pair<Mechanism, double>> mechanisms;
};

struct ErrorSummary {
  std::size_t n = 0;          ///< cases
  std::size_t predicted = 0;  ///< of them with a prediction
  std::size_t skipped = 0;    ///< n - predicted
  // Over the predicted ones; nothing when there are none.
  std::optional<double> median_abs_error, mean_abs_error, p90_abs_error, median_error, coverage_90;
  /// Mean of interval_score() (scenarios/evidence/statistics.hpp) over figures that are no verdict and no
  /// kept bound.
  std::optional<double> interval_score;
  /// Median over series of the median within a series: dense sweeps weigh as one.
  std::optional<double> median_abs_error_by_series;
};
ErrorSummary summarize(std::span<const CaseResult> results);

struct ErrorGroup {
  std::string name;
  ErrorSummary summary;
};
struct ErrorTable {
  /// "task", "gpu", "generation", "model", "framework", "scale", "metric", "source"; of assumed cases
  /// "assumed task" and "assumed source".
  std::string by;
  std::vector<ErrorGroup> groups;
};

struct SkipCount {
  std::string reason;
  std::size_t n = 0;
};

/// What amendments (cases/amendments.hpp) with one reason do to the figures of their cases.
struct AmendmentEffect {
  CaseAmendment amendment;
  std::vector<std::string> ids;
  ErrorSummary published, amended;  ///< of the cases as they were published, and as they are predicted
};

struct ValidationReport {
  /// "source": each source was predicted by constants that were fitted without it. Empty: by the shipped
  /// ones.
  std::string left_out;
  /// Cases that were taken as measured, and cases without such a one; neither are among the cases. Nothing:
  /// every case was predicted by itself.
  std::optional<std::size_t> anchors, without_anchor;
  std::vector<CaseResult> cases;  ///< in the order they were read
  ErrorSummary summary;           ///< n and skipped: all cases; errors: the judged ones
  ErrorSummary scored;            ///< all figures but fitted ones, those that nobody ran, and statements
  std::vector<ErrorGroup> sets;   ///< one per CaseSet that occurs
  /// Of amended cases, and the sets without any amendment; empty where none is amended.
  std::vector<AmendmentEffect> amendments;
  std::vector<ErrorGroup> sets_as_published;
  std::vector<ErrorTable> tables;  ///< judged cases with a prediction, and assumed ones
  std::vector<SkipCount> skipped;  ///< most frequent first
  std::vector<std::size_t> worst;  ///< indices of the judged cases with the largest errors, worst first
};

/// How cases are predicted.
struct ValidationOptions {
  /// Take the smallest run of each series as measured (predict/anchored.hpp).
  bool anchored = false;
  /// Called after each case, from one thread at a time.
  std::function<void(std::size_t done)> on_case = {};
  std::span<const ValidationCase> known = {};  ///< where cases that others name are found, besides the cases
  int threads = 1;                             ///< 0: one per core; the report is the same for any number
  /// Leaves one source out: constants by source that were fitted without it. A source without an entry was
  /// in no fit. nullptr: predicts with the shipped constants.
  const std::map<std::string, FittedConstants>* without_source = nullptr;
};

/// Predicts every case from its system and workload alone. A case that cannot be predicted, whatever it
/// holds, is reported with the reason.
ValidationReport validate_cases(const Catalog& catalog, std::span<const ValidationCase> cases,
                                const ValidationOptions& options = {});

/// The scenario that a case asks, as `validate` predicts it: one for each combination of the settings that
/// its source leaves open. Throws Error with the reason where a scenario cannot say the case.
std::string shown_scenario(const Catalog& catalog, const ValidationCase& c);

/// From finished comparisons to tables.
ValidationReport summarize_report(std::vector<CaseResult> results);
/// One for each set that occurs, in their order.
std::vector<ErrorGroup> summarize_sets(std::span<const CaseResult> results);

/// The report as JSON: summary.{n, predicted, skipped, median_abs_error, ...}, cases[].{id, metric, measured,
/// predicted, low, high, error, skipped_reason}, sets, tables, skipped. Same report, same bytes.
std::string to_json_text(const ValidationReport& report);

/// What `--bound median=0.08,p90=0.25` asks for: judged errors and interval score at most, coverage at
/// least. Of one row of one
/// table with its names before: `--bound "task/training, 1 GPU:median=0.08"`.
struct ValidationBounds {
  std::string table, group;  ///< "task", "training, 1 GPU"; empty: all judged cases
  std::optional<double> median, mean, p90, coverage, score;
};
/// Throws Error (usage) on an unknown name or table, a repeated one or a value that is not a number in (0,
/// 10].
ValidationBounds parse_bounds(std::string_view text);
/// One sentence for each bound that the report misses; a statistic without cases misses its bound.
std::vector<std::string> missed_bounds(const ValidationReport& report, const ValidationBounds& bounds);

}  // namespace rackcast
