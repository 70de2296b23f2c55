#include <nlohmann/json.hpp>

#include "scenarios/validation/report.hpp"

namespace rackcast {
namespace {

using Document = nlohmann::ordered_json;

Document maybe(const std::optional<double>& value) {
  return value ? Document(*value) : Document(nullptr);
}

Document document(const ErrorSummary& s) {
  return {{"n", s.n},
          {"predicted", s.predicted},
          {"skipped", s.skipped},
          {"median_abs_error", maybe(s.median_abs_error)},
          {"mean_abs_error", maybe(s.mean_abs_error)},
          {"p90_abs_error", maybe(s.p90_abs_error)},
          {"coverage_90", maybe(s.coverage_90)},
          {"interval_score", maybe(s.interval_score)},
          {"median_error", maybe(s.median_error)},
          {"median_abs_error_by_series", maybe(s.median_abs_error_by_series)}};
}

Document document(const std::vector<ErrorGroup>& groups) {
  Document out = Document::array();
  for (const ErrorGroup& group : groups) {
    Document row = {{"name", group.name}};
    row.update(document(group.summary));
    out.push_back(std::move(row));
  }
  return out;
}

Document document(const AmendmentEffect& effect) {
  return {{"why", effect.amendment.why},
          {"source", effect.amendment.source},
          {"date", effect.amendment.date},
          {"ids", effect.ids},
          {"published", document(effect.published)},
          {"amended", document(effect.amended)}};
}

Document document(const CaseResult& r) {
  Document out = {{"id", r.id}, {"metric", r.metric}, {"unit", r.unit}, {"measured", maybe(r.measured)}};
  out["predicted"] = r.predicted ? Document(r.predicted->value) : Document(nullptr);
  out["low"] = r.predicted ? Document(r.predicted->low) : Document(nullptr);
  out["high"] = r.predicted ? Document(r.predicted->high) : Document(nullptr);
  const bool open = r.predicted && r.predicted->most > 0;
  out["least"] = open ? Document(r.predicted->least) : Document(nullptr);
  out["most"] = open ? Document(r.predicted->most) : Document(nullptr);
  out["error"] = maybe(r.error);
  out["skipped_reason"] = r.skipped_reason.empty() ? Document(nullptr) : Document(r.skipped_reason);
  out["set"] = to_string(r.set);
  out["gpu"] = r.gpu;
  out["generation"] = r.generation;
  out["gpus"] = r.gpus > 0 ? Document(r.gpus) : Document(nullptr);
  out["model"] = r.model;
  out["framework"] = r.framework;
  out["task"] = r.task;
  out["source"] = r.source;
  out["citation"] = r.citation;
  out["precision"] = r.precision;
  out["binds"] = r.predicted ? r.predicted->binds : "";
  out["inferred_length"] = r.predicted ? maybe(r.predicted->inferred_length) : Document(nullptr);
  out["statement"] = r.statement;
  out["assumed"] = r.predicted ? Document(r.predicted->assumed) : Document::array();
  out["bound"] = r.bound;
  out["remark"] = r.remark;
  out["series"] = r.series;
  if (!r.anchor.empty()) out["anchor"] = r.anchor;
  out["used"] = r.used;
  out["mechanisms"] = Document::object();
  for (const auto& [mechanism, log_sigma] : r.mechanisms)
    out["mechanisms"][std::string{to_string(mechanism)}] = log_sigma;
  return out;
}

}  // namespace

std::string to_json_text(const ValidationReport& report) {
  Document out = {{"format", "rackcast-validation"}, {"version", 1}};
  out["left_out"] = report.left_out;
  if (report.anchors) {
    out["anchors"] = *report.anchors;
    out["without_anchor"] = report.without_anchor.value_or(0);
  }
  out["summary"] = document(report.summary);
  out["scored"] = document(report.scored);
  out["sets"] = document(report.sets);
  out["amendments"] = Document::array();
  for (const AmendmentEffect& effect : report.amendments) out["amendments"].push_back(document(effect));
  out["sets_as_published"] = document(report.sets_as_published);
  out["tables"] = Document::object();
  for (const ErrorTable& table : report.tables) out["tables"][table.by] = document(table.groups);
  out["skipped"] = Document::array();
  for (const SkipCount& skip : report.skipped)
    out["skipped"].push_back({{"reason", skip.reason}, {"n", skip.n}});
  out["worst"] = Document::array();
  for (const std::size_t i : report.worst) out["worst"].push_back(report.cases[i].id);
  out["cases"] = Document::array();
  for (const CaseResult& r : report.cases) out["cases"].push_back(document(r));
  // Text that is not UTF-8 cannot come out of the reader; replace rather than throw all the same.
  return out.dump(1, ' ', false, Document::error_handler_t::replace) + "\n";
}

}  // namespace rackcast
