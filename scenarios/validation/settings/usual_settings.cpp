#include "scenarios/validation/settings/usual_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "models/data_files.hpp"
#include "scenarios/validation/settings/open_settings.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

/// What a rule of the file may ask of a case.
std::string fact_of(const ValidationCase& c, std::string_view name) {
  if (name == "gpu") return c.system.gpu.value_or("");
  if (name == "node") return c.system.node.value_or("");
  if (name == "node_note") return c.system.node_note;
  if (name == "model") return c.workload.model;
  if (name == "framework") return c.workload.framework;
  if (name == "task") return c.workload.task;
  if (name == "metric") return c.metric;
  return text_in(c.workload.extra, name).value_or("");
}

/// Whether each fact begins with one of the words that the rule lists.
bool fits(const ValidationCase& c, const Json& when) {
  return std::ranges::all_of(when.object(), [&c](const auto& member) {
    const std::string fact = fact_of(c, member.first);
    return std::ranges::any_of(member.second.array(), [&fact](const Json& word) {
      return word.string().empty() ? fact.empty() : fact.starts_with(word.string());
    });
  });
}

/// The first rule that fits, or nullptr.
const Json* rule_for(const ValidationCase& c, const std::string& setting) {
  static const Json file = parse_model_data("benchmarks/usual_settings.json");
  const Json* rules = file.require("settings").find(setting);
  if (rules == nullptr) return nullptr;
  for (const Json& rule : rules->array())
    if (fits(c, rule.require("when"))) return &rule;
  return nullptr;
}

/// Of runs that give the numbers of their last epochs: whether the script counts from 0 or 1 is not known.
std::vector<ValidationCase> with_last_epoch(const ValidationCase& c) {
  const Json* last = member_in(c.workload.extra, "last_eval_epoch");
  if (last == nullptr || last->kind() != JsonKind::array || last->array().empty()) return {};
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Json& epoch : last->array()) {
    if (epoch.kind() != JsonKind::number) return {};
    low = std::min(low, epoch.number());
    high = std::max(high, epoch.number());
  }
  if (!(low > 0)) return {};
  std::vector<ValidationCase> out;
  for (const double epochs : {(low + high) / 2, (low + high) / 2 + 1})
    out.push_back(
        with_settings(c, parse_json(fmt::format(R"({{"workload.extra.epochs": {}}})", epochs), "usual")));
  return out;
}

}  // namespace

std::vector<ValidationCase> with_usual(const ValidationCase& c, const std::string& setting) {
  if (setting == "epochs") {
    if (std::vector<ValidationCase> stated = with_last_epoch(c); !stated.empty()) return stated;
  }
  std::vector<ValidationCase> out;
  if (const Json* rule = rule_for(c, setting))
    for (const Json& settings : rule->require("values").array()) out.push_back(with_settings(c, settings));
  return out;
}

bool knows_usual(const ValidationCase& c, const std::string& setting) {
  return rule_for(c, setting) != nullptr;
}

}  // namespace rackcast
