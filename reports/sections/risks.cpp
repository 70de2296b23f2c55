/// Risks, read off the result: each row is a figure of the document that a decision should look at twice.
/// Nothing here is an opinion of the program; a result that gives no cause has no row.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/answer_sentences.hpp"
#include "reports/sentences/decision_sentences.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "reports/sentences/row_sentences.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

constexpr double wide_interval = 1.5;   ///< high over low of a 90 % interval
constexpr double close_to_limit = 0.9;  ///< share of a limit that is used
constexpr std::size_t most_names = 4;   ///< of assumptions in one row

/// Risks from the one that weighs most to the one that weighs least, where they are equally bad.
enum class Weight { limits, time, power, published, data, unmeasured, failures, change, cost, assumptions };

struct Risk {
  Weight weight = Weight::limits;
  std::string what, says;
  std::string size;  ///< how large it is, in a few words
  Tone tone = Tone::caution;
};
using Risks = std::vector<Risk>;

/// The largest part of ImageNet that a step took of a training which reached its accuracy, among the
/// project's cases: 86,016 images of 1,281,167, ResNet-50 on 2,048 GPUs (MLPerf Training v0.6, ABCI).
constexpr double largest_part = 86'016.0 / 1'281'167.0;

/// Weak scaling without bound: more GPUs than samples for them, or steps too few to learn from.
void add_batch(const ResultDocument& d, Risks& risks) {
  for (const WorkloadResult& w : d.workloads) {
    if (!w.global_batch || !w.samples) continue;
    const double part = *w.global_batch / *w.samples;
    if (part <= 1 && part > largest_part && w.batch && !w.batch->largest_useful) {
      risks.push_back(
          {Weight::time, "The batch may be too large to learn as fast",
           fmt::format("{}: a step takes {} of the data set's samples. Of the trainings of ImageNet that "
                       "this program "
                       "is compared with, none took more than {}. Use fewer GPUs, state \"global_batch\", or "
                       "state \"critical_batch\" if the largest useful batch is known.",
                       w.title, percent_text(part), percent_text(largest_part)),
           fmt::format("{} of the data set in a step", percent_text(part))});
    }
    if (part <= 1) continue;
    risks.push_back(
        {Weight::time, "A step takes more samples than the data set has",
         fmt::format("{}: a step takes {} samples and the data set has {}. Use fewer GPUs, or state "
                     "\"global_batch\".",
                     w.title, count_text(std::llround(*w.global_batch)),
                     count_text(std::llround(*w.samples))),
         fmt::format("{} of {}", count_text(std::llround(*w.global_batch)),
                     count_text(std::llround(*w.samples))),
         Tone::bad});
  }
}

void add_time(const ResultDocument& d, Risks& risks) {
  const auto& time = d.performance.time_to_train;
  if (!d.answer.feasible) {
    risks.push_back({Weight::limits, "The limits cannot be met", answer_text(d), "", Tone::bad});
  }
  if (!time || time->low <= 0) return;
  const bool late = d.answer.feasible && d.deadline_s && time->high > *d.deadline_s;
  if (!late && time->high / time->low <= wide_interval) return;
  std::string says = fmt::format("The 90 % interval of the time reaches from {} to {}, a factor of {:.2g}.",
                                 duration_text(time->low), duration_text(time->high), time->high / time->low);
  std::string size = fmt::format("90 % of the outcomes lie between {} and {}", duration_text(time->low),
                                 duration_text(time->high));
  if (late) {
    const std::string past = duration_text(time->high - *d.deadline_s);
    says += fmt::format(" Its end is {} past the deadline of {}.", past, duration_text(*d.deadline_s));
    size = fmt::format("up to {} late (90 % interval)", past);
  }
  risks.push_back({Weight::time, late ? "The deadline may be missed" : "The time is uncertain", says, size});
}

/// A fleet whose latency has a wide interval.
void add_latency(const ResultDocument& d, Risks& risks) {
  if (!d.serving || !d.serving->nodes_low) return;
  const Serving& s = *d.serving;
  const std::string most =
      s.nodes_high ? counted(*s.nodes_high, "node") : std::string{"more nodes than any count that was tried"};
  if (s.nodes_high && *s.nodes_high <= s.needed) return;
  risks.push_back({Weight::time, "The busiest hour may take more nodes",
                   fmt::format("At the slow end of the kernels' 90 % interval it takes {}; {} planned.", most,
                               s.needed == 1 ? "1 is" : fmt::format("{} are", s.needed)),
                   fmt::format("up to {}{}; {} planned", most, s.spares > 0 ? ", before spares" : "",
                               s.needed == 1 ? "1 is" : fmt::format("{} are", s.needed))});
}

/// Published figures that the prediction misses, in one row: each stands in its own section.
void add_published(const ResultDocument& d, Risks& risks) {
  std::size_t compared = 0, outside = 0;
  std::string rows;
  double furthest = 1;
  for (const WorkloadResult& w : d.workloads) {
    for (const PublishedComparison& row : w.published) {
      if (!row.predicted || row.published_s <= 0 || row.predicted->value <= 0) continue;
      // Times of another batch are of another training.
      if (row.global_batch && row.published_global_batch &&
          std::abs(*row.global_batch / *row.published_global_batch - 1) > 1e-6)
        continue;
      ++compared;
      if (row.predicted->low <= row.published_s && row.published_s <= row.predicted->high) continue;
      const double ratio = row.predicted->value / row.published_s;
      furthest = std::max({furthest, ratio, 1 / ratio});
      if (++outside > most_names) continue;
      rows += fmt::format("{}{}, {}: published {}, predicted {}", rows.empty() ? "" : "; ", w.title,
                          row.label, duration_text(row.published_s), prediction_text(*row.predicted));
    }
  }
  if (outside == 0) return;
  const std::string count = fmt::format("{} of {}", outside, compared);
  if (outside > most_names) rows += fmt::format("; and {} more", outside - most_names);
  risks.push_back({Weight::published, "Published figures outside the intervals", count + ": " + rows + ".",
                   fmt::format("{}, by up to a factor of {:.2g}", count, furthest)});
}

void add_model(const ResultDocument& d, Risks& risks) {
  for (const Assumption& a : d.assumptions) {
    if (a.what.code() == "kernel_efficiencies" && a.what.has("donor"))
      risks.push_back({Weight::unmeasured, "No kernel was measured on this GPU",
                       fmt::format("{}: {}.", name_of(a), value_of(a)), value_of(a)});
  }
  if (d.site && d.site->power.gpu_borrowed) {
    const std::string& other = d.site->power.gpu_model;
    const std::string stands_in =
        (other == "pooled" ? "all measured GPUs together stand" : "the " + other + " stands") + " in";
    risks.push_back({Weight::unmeasured, "No power was measured on this GPU",
                     "Its power is not its own: " + stands_in + ".", stands_in});
  }
}

void add_assumptions(const ResultDocument& d, Risks& risks) {
  std::string names;
  std::int64_t flagged = 0;
  for (const Assumption& a : d.assumptions) {
    if (a.confidence != Assumption::Confidence::memory) continue;
    if (++flagged <= static_cast<std::int64_t>(most_names)) names += (names.empty() ? "" : "; ") + name_of(a);
  }
  if (flagged == 0) return;
  const std::int64_t more = flagged - static_cast<std::int64_t>(most_names);
  risks.push_back({Weight::assumptions, "Assumptions that no document confirms",
                   fmt::format("{} of {}: {}{}.", flagged, d.assumptions.size(), names,
                               more > 0 ? fmt::format(" and {} more", more) : ""),
                   fmt::format("{} of {}", flagged, d.assumptions.size())});
}

/// More than half of the step: a faster GPU finds as little to do.
void add_host(const ResultDocument& d, Risks& risks) {
  for (const WorkloadResult& w : d.workloads) {
    if (!w.step || !(w.step->total_s > 0)) continue;
    const double share = w.step->host_wait_s / w.step->total_s;
    if (share < 0.5) continue;
    risks.push_back(
        {Weight::data, "The GPUs wait for the host",
         fmt::format("{}: in {} of a step the GPU has no kernel to run, as the host has not started "
                     "the next. A faster GPU gains little; a larger batch on each GPU, fused kernels "
                     "or CUDA graphs gain more.",
                     w.title, percent_text(share)),
         fmt::format("in {} of a step; a faster GPU gains little, a larger batch more",
                     percent_text(share))});
  }
}

void add_data(const ResultDocument& d, Risks& risks) {
  for (const WorkloadResult& w : d.workloads) {
    if (!w.input || !w.input->required_bytes_per_s || w.input->available_bytes_per_s.value_or(0) <= 0)
      continue;
    const double used = *w.input->required_bytes_per_s / *w.input->available_bytes_per_s;
    if (used < close_to_limit) continue;
    const std::string asks =
        fmt::format("{} asks for {} in its first epoch, {} of what the storage delivers", w.title,
                    to_text(Bandwidth{*w.input->required_bytes_per_s}), percent_text(used));
    if (used <= 1)
      risks.push_back(
          {Weight::data, "Storage is close to its limit", asks + ".", percent_text(used) + " used"});
    else  // what it takes is in the time
      risks.push_back(
          {Weight::data, "The GPUs wait for storage", asks + "; the time counts the wait.",
           fmt::format("in the first epoch they ask for {} of what it delivers", percent_text(used))});
  }
  if (!d.growth) return;
  if (d.growth->full_day) {
    const std::string day = fmt::format("on day {:.0f} of the recording", *d.growth->full_day);
    risks.push_back({Weight::data, "The storage runs full", "O" + day.substr(1) + ".", day, Tone::bad});
  }
  const auto late = std::ranges::count(d.growth->retraining, false, &DataGrowth::Retraining::in_time);
  if (late > 0) {
    risks.push_back(
        {Weight::data, "Retraining falls behind",
         fmt::format("{} of {} are not done when the next begins.", late, d.growth->retraining.size()),
         fmt::format("{} of {}", late, d.growth->retraining.size())});
  }
}

void add_failures(const ResultDocument& d, Risks& risks) {
  const bool modelled =
      std::ranges::any_of(d.workloads, [](const auto& w) { return w.reliability.has_value(); });
  if (d.serving) {
    if (d.serving->spares == 0 && !no_answer(d)) {
      const std::string up =
          fmt::format("enough nodes are up {:.5g} % of the time", 100 * d.serving->availability);
      risks.push_back({Weight::failures, "No spare node", "E" + up.substr(1) + ".", up});
    }
  } else if (!modelled) {
    risks.push_back({Weight::failures, "Failures are not in the times",
                     "The scenario has no \"failures\": every node is assumed to work all the time.",
                     "every node is assumed to work all the time"});
  }
  if (d.answer.nodes == 1)
    risks.push_back(
        {Weight::failures, "One node does everything",
         d.serving ? "While it is repaired nothing is answered." : "While it is repaired nothing trains.",
         d.serving ? "while it is repaired nothing is answered" : "while it is repaired nothing trains"});
  for (const WorkloadResult& w : d.workloads) {
    if (w.reliability && w.reliability->spares < w.reliability->spares_for_95) {
      risks.push_back(
          {Weight::failures, "Few spare nodes",
           fmt::format("{}: {} planned; with {} the job has all its nodes at least 95 % of the time.",
                       w.title, w.reliability->spares, w.reliability->spares_for_95),
           fmt::format("{} planned, {} needed for 95 % of the time", w.reliability->spares,
                       w.reliability->spares_for_95)});
    }
  }
  if (!d.site) return;
  if (const auto& network = d.site->network; network && d.answer.nodes.value_or(0) > 1) {
    for (const auto& s : network->switches) {
      if (s.count == 1) {
        risks.push_back({Weight::failures, "A single point of failure",
                         fmt::format("One {} switch ({}) joins all nodes.", s.level, s.product),
                         fmt::format("one {} switch joins all nodes", s.level)});
      }
    }
  }
  for (const auto& device : d.site->racks.devices) {
    if (device.kind == "storage" && device.count == 1) {
      risks.push_back({Weight::failures, "A single point of failure",
                       fmt::format("All data lie on one {}.", device.name),
                       "all data lie on one " + device.name});
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

struct RackLoad {
  double watts = 0, limit = 0;
  [[nodiscard]] double share() const { return watts / limit; }
};

/// The rack that uses most of what it may draw. A rack that comes with what stands in it has its own limit.
std::optional<RackLoad> fullest_rack(const SiteRacks& racks, std::optional<double> SiteRacks::Group::*draw) {
  std::optional<RackLoad> out;
  for (const SiteRacks::Group& g : racks.groups) {
    const RackLoad load{(g.*draw).value_or(0), g.power_limit_w.value_or(racks.power_limit_w.value_or(0))};
    if (load.limit > 0 && (!out || load.share() > out->share())) out = load;
  }
  return out;
}

void add_site(const Site& site, Risks& risks) {
  const SiteRacks& racks = site.racks;
  if (const auto full = fullest_rack(racks, &SiteRacks::Group::nameplate_w);
      full && full->share() > 1 + 1e-9) {
    risks.push_back(
        {Weight::power, "A rack's nameplate exceeds its supply",
         fmt::format("The fullest rack is rated {} at a limit of {}; it was packed by typical power.",
                     to_text(Power{full->watts}), to_text(Power{full->limit})),
         fmt::format("{} on a supply of {}", to_text(Power{full->watts}), to_text(Power{full->limit}))});
  }
  if (const auto full = fullest_rack(racks, &SiteRacks::Group::expected_w);
      full && full->share() > close_to_limit) {
    const std::string draws =
        fmt::format("{} of {}", to_text(Power{full->watts}), to_text(Power{full->limit}));
    risks.push_back({Weight::power, "A rack draws close to its limit",
                     fmt::format("The fullest draws {} {}.", draws, working_label(racks.activity, false)),
                     draws});
  }
  if (const std::string gaps = catalogue_gaps(racks.devices); !gaps.empty()) {
    risks.push_back({Weight::assumptions, "Devices with facts that the catalogue lacks", gaps, "see Risks"});
  }
  if (site.cost && !site.cost->missing.empty()) {
    std::vector<std::string> parts;
    std::ranges::transform(site.cost->missing, std::back_inserter(parts), reason_text);
    const std::string count = site.cost->missing.size() == 1
                                  ? "1 part is"
                                  : counted(std::ssize(site.cost->missing), "part") + " are";
    risks.push_back({Weight::cost, "The cost is not complete",
                     fmt::format("{} left out: {}.", count, fmt::join(parts, "; ")), count + " left out"});
  }
}

void add_changes(const ResultDocument& d, Risks& risks) {
  if (!d.answer.feasible) return;
  for (const Answer::Change& change : d.answer.changes) {
    if (change.nodes) continue;
    if (change.input == "precision" && change.why)
      continue;  // the GPU does not have it: nothing changes by itself
    const std::string changed = change.input + ", " + change.change;
    risks.push_back({Weight::change, "No cluster size fixes this change",
                     fmt::format("{}: {}", changed, change_text(d, d.answer, change)), changed});
  }
}

/// Bad ones first, then by weight.
Risks risks_of(const ResultDocument& document) {
  Risks risks;
  add_time(document, risks);
  add_batch(document, risks);
  add_latency(document, risks);
  if (document.site) add_site(*document.site, risks);
  add_published(document, risks);
  add_host(document, risks);
  add_data(document, risks);
  add_model(document, risks);
  add_failures(document, risks);
  add_changes(document, risks);
  add_assumptions(document, risks);
  std::ranges::stable_sort(risks, {}, [](const Risk& r) { return std::pair{r.tone != Tone::bad, r.weight}; });
  return risks;
}

}  // namespace

Blocks largest_risks(const ResultDocument& document) {
  constexpr std::size_t most = 3;
  List list;
  for (const Risk& risk : risks_of(document)) {
    // The verdict speaks of the limits, and what is assumed has its own list.
    if (risk.weight == Weight::limits || risk.weight == Weight::assumptions) continue;
    if (list.items.size() < most) list.items.push_back(risk.what + ": " + risk.size + ".");
  }
  if (list.items.empty()) return {};
  return {{Subheading{std::string{largest_risks_title}}}, {std::move(list)}};
}

Blocks risks_section(const ResultDocument& document) {
  Risks risks = risks_of(document);
  if (risks.empty()) return {};
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
