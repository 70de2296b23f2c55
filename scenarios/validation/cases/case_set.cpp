#include <algorithm>
#include <array>

#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/cases/split_of_case.hpp"
#include "scenarios/validation/report.hpp"

namespace rackcast {

std::string_view to_string(CaseSet set) {
  constexpr std::array<std::string_view, 8> names{"judged",  "fit",   "derived",    "approximate",
                                                  "assumed", "bound", "not scored", "chosen in view"};
  return names[static_cast<std::size_t>(set)];
}

namespace {

/// A quality mark is `true` or a sentence that says what is odd.
bool marked(const Json& extra, std::string_view key) {
  const Json* mark = member_in(extra, key);
  return mark != nullptr && !(mark->kind() == JsonKind::boolean && !mark->boolean());
}

/// Precision, lengths and batch of MLPerf Inference are not in its results but in rules and configurations.
bool rests_on_rules(const ValidationCase& c) {
  return text_in(c.workload.extra, "benchmark") && text_in(c.workload.extra, "scenario") &&
         !c.workload.precision;
}

}  // namespace

CaseSet case_set(const ValidationCase& c, const ProvenanceRegistry& registry) {
  const Json& extra = c.workload.extra;
  if (c.kind == "projection" || marked(extra, "suspect") || marked(extra, "superseded") ||
      marked(extra, "duplicate_of"))
    return CaseSet::not_scored;
  // A bound can only be violated, so no fit uses one.
  if (marked(extra, "bound")) return CaseSet::bound;
  // The row from which the length of its table's runs is taken says nothing of the prediction.
  if (registry.user_of(c) != nullptr || text_in(c.json, "length_from") == c.id) return CaseSet::fit;
  if (c.kind == "derived") return CaseSet::derived;
  if (marked(extra, "approximate")) return CaseSet::approximate;
  if (c.system.gpu_assumed || flag_in(c.system.fabric, "assumed").value_or(false) ||
      flag_in(extra, "drive_assumed").value_or(false) || flag_in(extra, "script_assumed").value_or(false) ||
      member_in(c.json, "usual") != nullptr || rests_on_rules(c) || precision_is_taken(c) ||
      (c.workload.task == "training" && split_is_taken(c)))
    return CaseSet::assumed;
  return CaseSet::judged;
}

}  // namespace rackcast
