/// What may go otherwise, read off the result: each row is a figure of the document that a decision should
/// look at twice. Nothing here is an opinion of the program; a result that gives no cause has no row.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/answer_sentences.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

constexpr double wide_interval = 1.5;   ///< high over low of a 90 % interval
constexpr double close_to_limit = 0.9;  ///< share of a limit that is used
constexpr std::size_t most_names = 4;   ///< of assumptions in one row

struct Risk {
  std::string what, says;
  Tone tone = Tone::caution;
};
using Risks = std::vector<Risk>;

void add_deadline(const ResultDocument& d, Risks& risks) {
  const auto& time = d.performance.time_to_train;
  if (!d.answer.feasible) {
    risks.push_back({"The limits cannot be met", answer_text(d), Tone::bad});
  }
  if (!time || time->low <= 0) return;
  if (d.answer.feasible && d.deadline_s && time->high > *d.deadline_s) {
    risks.push_back(
        {"The deadline may be missed",
         fmt::format("The expected time is {}; the 90 % interval ends at {}, {} past the deadline of {}.",
                     duration_text(time->value), duration_text(time->high),
                     duration_text(time->high - *d.deadline_s), duration_text(*d.deadline_s))});
  }
  if (time->high / time->low > wide_interval) {
    risks.push_back(
        {"The prediction is uncertain",
         fmt::format("The 90 % interval of the time reaches from {} to {}, a factor of {:.2g}.",
                     duration_text(time->low), duration_text(time->high), time->high / time->low)});
  }
}

void add_model(const ResultDocument& d, Risks& risks) {
  for (const Assumption& a : d.assumptions) {
    if (a.value.starts_with("borrowed from")) {
      risks.push_back({"No kernel was measured on this GPU", fmt::format("{}: {}.", a.name, a.value)});
    }
  }
  if (d.site && d.site->power.gpu_model.ends_with(", borrowed")) {
    risks.push_back({"No power was measured on this GPU",
                     fmt::format("Its power is that of the {}.", d.site->power.gpu_model)});
  }
  for (const WorkloadResult& w : d.workloads) {
    for (const PublishedComparison& row : w.published) {
      if (!row.predicted || (row.predicted->low <= row.published_s && row.published_s <= row.predicted->high))
        continue;
      risks.push_back({"A published number lies outside the interval",
                       fmt::format("{}, {}: published {}, predicted {}.", w.title, row.label,
                                   duration_text(row.published_s), prediction_text(*row.predicted))});
    }
  }
}

void add_assumptions(const ResultDocument& d, Risks& risks) {
  std::string names;
  std::int64_t flagged = 0;
  for (const Assumption& a : d.assumptions) {
    if (a.confidence != Assumption::Confidence::memory) continue;
    if (++flagged <= static_cast<std::int64_t>(most_names)) names += (names.empty() ? "" : "; ") + a.name;
  }
  if (flagged == 0) return;
  const std::int64_t more = flagged - static_cast<std::int64_t>(most_names);
  risks.push_back({"Assumptions that no document confirms",
                   fmt::format("{} of {}: {}{}.", flagged, d.assumptions.size(), names,
                               more > 0 ? fmt::format(" and {} more", more) : "")});
}

void add_data(const ResultDocument& d, Risks& risks) {
  for (const WorkloadResult& w : d.workloads) {
    if (!w.input || !w.input->required_bytes_per_s || w.input->available_bytes_per_s.value_or(0) <= 0)
      continue;
    const double used = *w.input->required_bytes_per_s / *w.input->available_bytes_per_s;
    if (used < close_to_limit) continue;
    risks.push_back(
        {"Storage is close to its limit",
         fmt::format("{} asks for {} in its coldest epochs, {} of what the storage delivers.", w.title,
                     to_text(Bandwidth{*w.input->required_bytes_per_s}), percent_text(used)),
         used > 1 ? Tone::bad : Tone::caution});
  }
  if (!d.growth) return;
  if (d.growth->full_day) {
    risks.push_back({"The storage runs full",
                     fmt::format("On day {:.0f} of the recording.", *d.growth->full_day), Tone::bad});
  }
  const auto late = std::ranges::count(d.growth->retraining, false, &DataGrowth::Retraining::in_time);
  if (late > 0) {
    risks.push_back({"Retraining falls behind", fmt::format("{} of {} are not done when the next begins.",
                                                            late, d.growth->retraining.size())});
  }
}

void add_failures(const ResultDocument& d, Risks& risks) {
  const bool modelled =
      std::ranges::any_of(d.workloads, [](const auto& w) { return w.reliability.has_value(); });
  if (d.serving) {
    if (d.serving->spares == 0) {
      risks.push_back({"No spare node", fmt::format("Enough nodes are up {:.5g} % of the time.",
                                                    100 * d.serving->availability)});
    }
  } else if (!modelled) {
    risks.push_back({"Failures are not in the times",
                     "The scenario has no \"failures\": every node is assumed to work all the time."});
  }
  if (d.answer.nodes == 1)
    risks.push_back({"One node does everything", d.serving ? "While it is repaired nothing is answered."
                                                           : "While it is repaired nothing trains."});
  for (const WorkloadResult& w : d.workloads) {
    if (w.reliability && w.reliability->spares < w.reliability->spares_for_95) {
      risks.push_back(
          {"Few spare nodes",
           fmt::format("{}: {} planned; with {} the job has all its nodes at least 95 % of the time.",
                       w.title, w.reliability->spares, w.reliability->spares_for_95)});
    }
  }
  if (!d.site) return;
  if (const auto& network = d.site->network; network && d.answer.nodes.value_or(0) > 1) {
    for (const auto& s : network->switches) {
      if (s.count == 1) {
        risks.push_back({"A single point of failure",
                         fmt::format("One {} switch ({}) joins all nodes.", s.level, s.product)});
      }
    }
  }
  for (const auto& device : d.site->racks.devices) {
    if (device.kind == "storage" && device.count == 1) {
      risks.push_back({"A single point of failure", fmt::format("All data lie on one {}.", device.name)});
    }
  }
}

/// "The catalogue has no weight of A, B and 2 more devices."; nothing where it has everything.
std::string catalogue_gaps(const std::vector<SiteRacks::Device>& devices) {
  std::map<std::string, std::vector<std::string>> without;
  for (const auto& d : devices) {
    if (!d.unknown.empty()) without[d.unknown].push_back(d.name);
  }
  std::string text;
  for (auto& [what, names] : without) {
    if (names.size() > most_names) {
      const std::string rest = fmt::format("{} more devices", names.size() - most_names);
      names.resize(most_names);
      names.push_back(rest);
    }
    const std::string last = names.back();
    names.pop_back();
    text += fmt::format("{}The catalogue has no {} of {}{}{}.", text.empty() ? "" : " ", what,
                        fmt::join(names, "; "), names.empty() ? "" : " and ", last);
  }
  return text;
}

void add_site(const Site& site, Risks& risks) {
  const SiteRacks& racks = site.racks;
  double most = 0, by_rating = 0;
  for (const auto& g : racks.groups) {
    most = std::max(most, g.expected_w.value_or(0));
    by_rating = std::max(by_rating, g.nameplate_w.value_or(0));
  }
  if (racks.power_limit_w && by_rating > *racks.power_limit_w * (1 + 1e-9)) {
    risks.push_back(
        {"A rack's nameplate exceeds its supply",
         fmt::format("The fullest rack is rated {} at a limit of {}; it was packed by typical power.",
                     to_text(Power{by_rating}), to_text(Power{*racks.power_limit_w}))});
  }
  if (racks.power_limit_w && most > close_to_limit * *racks.power_limit_w) {
    risks.push_back(
        {"A rack draws close to its limit",
         fmt::format("The fullest draws {} of {} {}.", to_text(Power{most}),
                     to_text(Power{*racks.power_limit_w}), working_label(racks.activity, false))});
  }
  if (const std::string gaps = catalogue_gaps(racks.devices); !gaps.empty()) {
    risks.push_back({"Devices with facts that the catalogue lacks", gaps});
  }
  if (site.cost && !site.cost->missing.empty()) {
    std::vector<std::string> parts;
    std::ranges::transform(site.cost->missing, std::back_inserter(parts), reason_text);
    risks.push_back({"The cost is not complete",
                     fmt::format("{} left out: {}.",
                                 site.cost->missing.size() == 1
                                     ? "1 part is"
                                     : counted(std::ssize(site.cost->missing), "part") + " are",
                                 fmt::join(parts, "; "))});
  }
}

void add_changes(const ResultDocument& d, Risks& risks) {
  if (!d.answer.feasible) return;
  for (const Answer::Change& change : d.answer.changes) {
    if (change.nodes) continue;
    risks.push_back(
        {"A change that no number of nodes makes up for",
         fmt::format("{}, {}: {}", change.input, change.change, change_text(d, d.answer, change))});
  }
}

}  // namespace

Blocks risks_section(const ResultDocument& document) {
  Risks risks;
  add_deadline(document, risks);
  add_changes(document, risks);
  add_data(document, risks);
  add_failures(document, risks);
  if (document.site) add_site(*document.site, risks);
  add_model(document, risks);
  add_assumptions(document, risks);
  if (risks.empty()) return {};
  std::ranges::stable_sort(risks, {}, [](const Risk& risk) { return risk.tone != Tone::bad; });
  Table table;
  table.caption = "Risks that this result shows";
  table.columns = {{"Risk"}, {"What the result says"}};
  for (Risk& risk : risks) {
    Cell name = text_cell(std::move(risk.what));
    name.tone = risk.tone;
    table.rows.push_back({std::move(name), text_cell(std::move(risk.says))});
  }
  return {{std::move(table), Audience::document}};
}

}  // namespace rackcast::reports
