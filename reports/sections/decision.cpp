/// The page to decide by: the recommendation and its odds in one box, what more certainty costs, the largest
/// risks, the assumptions that matter, and what the reader must not overlook.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/answer_sentences.hpp"
#include "reports/sentences/decision_sentences.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "reports/sentences/row_sentences.hpp"
#include "reports/sentences/split_sentences.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

constexpr std::size_t warnings_on_terminal = 4;

/// Which cluster the figures below are of, and what it breaks; nothing where the box has no figures.
std::optional<Fact> nearest_fact(const ResultDocument& document) {
  const Answer& answer = document.answer;
  if (!no_answer(document) || answer.nodes.value_or(0) == 0) {
    return std::nullopt;
  }
  std::string breaks, open;
  if (document.plan && document.plan->nearest) {
    const PlanCandidate& nearest = *document.plan->nearest;
    for (const std::string& limit : nearest.breaks) {
      const bool known = std::ranges::find(nearest.undecided, limit) == nearest.undecided.end();
      std::string& list = known ? breaks : open;
      list += (list.empty() ? "" : ", ") + limit_title(limit);
    }
  }
  std::string says = "all figures below are of this cluster";
  if (!breaks.empty()) says += "; it breaks: " + breaks;
  if (!open.empty()) says += "; cannot be decided: " + open;
  return Fact{"Nearest", cluster_title(answer), "(" + says + ")"};
}

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + ", " + b;
}

/// "2 racks"; empty: not known.
std::string racks_text(const Site& site) {
  return site.racks.count ? sum_text(counted(*site.racks.count, "rack"), !site.no_units.empty()) : "";
}

/// "precision: mixed", or where workloads differ "precision: resnet50 mixed, vgg16 fp32".
std::string precision_text(const ResultDocument& document) {
  std::string each;
  bool alike = true;
  for (const WorkloadResult& w : document.workloads) {
    alike = alike && w.precision == document.workloads.front().precision;
    each = joined(each, w.title + " " + w.precision);
  }
  if (document.workloads.empty() || document.workloads.front().precision.empty()) return {};
  return "precision: " + (alike ? document.workloads.front().precision : each);
}

/// GPUs and racks, power and money of the whole site. The price of an answer stands in its recommendation.
void add_site(std::vector<Fact>& facts, const ResultDocument& document) {
  const Site& site = *document.site;
  const bool shown = document.answer.nodes.value_or(0) > 0;
  const std::string gpus = document.answer.gpus && shown ? gpus_text(document.answer) : "";
  const std::string racks = racks_text(site);
  if (!racks.empty() || !gpus.empty())
    facts.push_back({"Size", joined(gpus, racks),
                     joined(precision_text(document),
                            site.no_units.empty() ? "" : left_out_text(site.no_units, "height")),
                     2});
  if (site.power.nameplate_w) {
    const std::string it = site.power.facility_w
                               ? fmt::format("{} with cooling while {}",
                                             to_text(Power{*site.power.facility_w}), site.power.activity)
                               : "";
    const bool open = !site.no_power.empty();
    facts.push_back({"Power", sum_text(to_text(Power{*site.power.nameplate_w}) + " nameplate", open),
                     joined(it, open ? left_out_text(site.no_power, "power") : "")});
  }
  // The recommendation has the price; what it leaves out stands here.
  const bool said = !no_answer(document) && site.no_price.empty();
  if (const std::string price = purchase_text(site); !price.empty() && !said)
    facts.push_back({"Purchase", price, site.no_price.empty() ? "" : left_out_text(site.no_price, "price")});
  if (site.cost && site.cost->year_usd) {
    facts.push_back({"A year of owning", sum_text(to_text(Money{*site.cost->year_usd}), site.cost_is_open()),
                     site.cost->date.empty() ? "" : "prices of " + site.cost->date, 1});
  }
  if (site.cost && site.cost->rent && site.cost->rent->year_usd) {
    const SiteCost::Rent& rent = *site.cost->rent;
    facts.push_back({"A year of renting", to_text(Money{*rent.year_usd}),
                     rent.break_even ? fmt::format("{}; owning is cheaper from {} use on", rent.instance,
                                                   percent_text(*rent.break_even))
                                     : rent.instance,
                     1});
  }
}

/// The day on which the work is done; nothing where the scenario does not say when it starts.
std::optional<Fact> done_fact(const ResultDocument& document, const Prediction& time) {
  const auto& start = document.scenario.start;
  if (!start) return std::nullopt;
  const std::string from = date_text(*start, time.low), to = date_text(*start, time.high);
  const std::string range = from == to ? "" : fmt::format("{} to {}, ", from, to);
  return Fact{"Done", date_text(*start, time.value),
              fmt::format("({}started on {})", range, date_text(*start))};
}

/// What a language model generates, and what that costs.
void add_tokens(std::vector<Fact>& facts, const Serving::Tokens& t, const std::optional<Site>& site) {
  facts.push_back({"Output", fmt::format("{} tokens/s in the busiest hour", number_text(t.peak_tokens_per_s)),
                   fmt::format("{} on average", number_text(t.tokens_per_s)), 1});
  if (t.usd_per_million)
    facts.push_back(
        {"A million output tokens",
         sum_text(fmt::format("{:.3g} USD, owned", *t.usd_per_million), site && site->cost_is_open()),
         {},
         1});
}

/// "Time to train"; of several workloads that run one after another, of all.
std::string time_label(const ResultDocument& document) {
  if (document.workloads.size() < 2) {
    return "Time to train";
  }
  return document.premise.adds_up ? "Time to train all" : "Time to train";
}

/// Time of everything, whose it is, and when it is done.
void add_time(std::vector<Fact>& facts, const ResultDocument& document) {
  const auto& time = document.performance.time_to_train;
  if (!time) return;
  const Answer& answer = document.answer;
  std::string detail;
  if (document.workloads.size() > 1 && !document.premise.adds_up)
    detail = title_of_model(document, answer.workload);
  if (!answer.feasible && answer.binding_constraint == "gpu_memory")
    detail += std::string{detail.empty() ? "" : " "} + "(as if the memory of a GPU were enough)";
  if (time->median)
    detail += fmt::format("{}as likely above {} as below it", detail.empty() ? "" : "; ",
                          duration_text(*time->median));
  facts.push_back({time_label(document), prediction_text(*time), detail});
  if (!answer.nodes) return;
  if (const auto done = done_fact(document, *time)) facts.push_back(*done);
}

/// The limit that sets the size, what a smaller one would take, and what a step waits for.
void add_limit(std::vector<Fact>& facts, const ResultDocument& document) {
  const Answer& answer = document.answer;
  if (!answer.feasible || answer.binding_constraint.empty()) return;
  std::string more;
  if (const auto& why = answer.why_not_fewer; why && why->time_to_train && !why->why)
    more = fmt::format("{} {} {}", counted(why->nodes, "node"), why->nodes == 1 ? "takes" : "take",
                       duration_text(why->time_to_train->value));
  const std::string& bottleneck = document.serving ? document.serving->binds : answer.binds;
  if (bottleneck == answer.binding_constraint && document.kind == ResultDocument::Kind::simulate) {
    facts.push_back({"Bottleneck", bottleneck, more});  // of a cluster that is given no limit sets the size
    return;
  }
  if (!bottleneck.empty() && bottleneck != answer.binding_constraint)
    more += (more.empty() ? "" : "; ") + ("bottleneck: " + bottleneck);
  facts.push_back({"What binds", limit_title(answer.binding_constraint), more});
}

/// Where memory binds, a change by which there would be an answer, or one with fewer nodes.
void add_fitting(std::vector<Fact>& facts, const ResultDocument& document) {
  const Answer& answer = document.answer;
  const Answer::Change* least = nullptr;
  for (const Answer::Change& change : answer.changes)
    if (change.less_memory && change.nodes && (!least || *change.nodes < *least->nodes)) least = &change;
  if (!least) return;
  facts.push_back({answer.feasible ? "Fewer nodes" : "Would fit",
                   fmt::format("{}: {}", least->input, least->change),
                   "on " + counted(*least->nodes, "node")});
}

/// "5 to 7 nodes do not deal it out evenly": the counts between the answer and the next smaller one, where a
/// batch that stays the same is why there is none between them.
std::string uneven_counts(const ResultDocument& document) {
  const Answer& answer = document.answer;
  const WorkloadResult& w = document.workloads.front();
  const auto& fewer = answer.why_not_fewer;
  if (!fewer || !w.global_batch || !w.parallelism.empty() || !answer.gpus || answer.gpus_in_nodes) return {};
  const std::int64_t first = fewer->nodes + 1, last = *answer.nodes - 1;
  if (first > last) return {};
  const double node = static_cast<double>(*answer.gpus) / static_cast<double>(*answer.nodes);
  for (std::int64_t nodes = first; nodes <= last; ++nodes)
    if (std::fmod(*w.global_batch, static_cast<double>(nodes) * node) == 0) return {};
  return first == last ? fmt::format("{} nodes do not deal it out evenly", first)
                       : fmt::format("{} to {} nodes do not deal it out evenly", first, last);
}

/// The samples of a step, where they grow with the cluster: what a network learns from them may not.
void add_batch(std::vector<Fact>& facts, const ResultDocument& document) {
  if (document.workloads.size() != 1 || document.answer.nodes.value_or(0) < 2) return;
  const auto& batch = document.workloads.front().batch;
  if (!batch) return;
  if (batch->grows_with_gpus) {
    facts.push_back({"Batch", batch_text(batch->what), "grows with the GPUs"});
    return;
  }
  if (const std::string skipped = uneven_counts(document); !skipped.empty())
    facts.push_back({"Batch", batch_text(batch->what), skipped});
}

/// What requests take in the busiest hour, beside what they may take.
void add_latency(std::vector<Fact>& facts, const ResultDocument& document) {
  if (!document.serving || !document.serving->at_peak || !document.serving->at_peak->latency_s) return;
  const Serving& s = *document.serving;
  const auto with_ends = [](double time, const std::optional<double>& low,
                            const std::optional<double>& high) {
    if (!low) return duration_text(time);
    return fmt::format("{} ({} to {})", duration_text(time), duration_text(*low),
                       high ? duration_text(*high) : "overloaded");
  };
  const std::string latency = with_ends(*s.at_peak->latency_s, s.latency_low_s, s.latency_high_s);
  const auto of_target = [&](double time) {
    const auto target = std::ranges::find(s.targets, time, &Serving::Target::reached_s);
    return target == s.targets.end() ? duration_text(time) : with_ends(time, target->low_s, target->high_s);
  };
  const auto within = [&](const char* what, const std::string& reached, const std::optional<double>& limit,
                          const std::optional<double>& percentile) {
    facts.push_back({fmt::format("{}, {:g} %", what, 100 * percentile.value_or(s.percentile)), reached,
                     limit ? "the limit is " + duration_text(*limit) : ""});
  };
  if (s.tokens && s.at_peak->first_token_s && s.at_peak->token_s) {
    within("First token", of_target(*s.at_peak->first_token_s), s.tokens->first_token_limit_s,
           s.tokens->first_token_percentile);
    within("Per output token", of_target(*s.at_peak->token_s), s.tokens->token_limit_s,
           s.tokens->token_percentile);
  }
  within(s.tokens ? "Whole answer" : "Latency", latency, s.latency_s, s.percentile);
  if (s.tokens) add_tokens(facts, *s.tokens, document.site);
}

/// The split that a search found, where there is one workload.
void add_split(std::vector<Fact>& facts, const ResultDocument& document) {
  if (document.workloads.size() != 1 || !document.workloads.front().split_search) return;
  const SplitSearch& search = *document.workloads.front().split_search;
  if (!search.best.empty()) facts.push_back({"Split", search.best.front().text, split_rank_text(search)});
}

/// What a decision rests on; figures that explain it stand in their sections.
std::vector<Fact> headline_facts(const ResultDocument& document) {
  std::vector<Fact> facts;
  if (!document.answer.feasible) add_fitting(facts, document);
  if (const auto nearest = nearest_fact(document)) {
    facts.push_back(*nearest);
  } else if (no_answer(document)) {
    return facts;  // of which cluster would they be?
  }
  add_time(facts, document);
  add_limit(facts, document);
  if (document.answer.feasible) add_fitting(facts, document);
  add_batch(facts, document);
  add_split(facts, document);
  add_latency(facts, document);
  if (document.site) {
    add_site(facts, document);
    return facts;
  }
  std::string room = document.answer.rack_units ? number_text(*document.answer.rack_units) + " RU" : "";
  if (document.answer.power_kw) room = joined(room, number_text(*document.answer.power_kw) + " kW nameplate");
  if (document.answer.gpus && !no_answer(document)) room = joined(gpus_text(document.answer), room);
  if (!room.empty()) facts.push_back({"Size", room, joined("nodes alone", precision_text(document))});
  return facts;
}

Cell seconds_cell(const PlanCandidate& c) {
  if (!c.time_s) return {};
  return {.text = duration_text(*c.time_s),
          .value = c.time_s,
          .unit = "s",
          .low = c.time_low_s,
          .high = c.time_high_s};
}

Cell amount_cell(std::optional<double> value, const char* unit, std::string (*text)(double), bool open) {
  return value ? sum_cell(Cell{.text = text(*value), .value = value, .unit = unit}, open) : Cell{};
}

/// "+786,000 USD", "-5.05 days"; empty where one of them is not known. `open`: one of them leaves something
/// out.
Cell difference_cell(const Cell& from, const Cell& to, std::string (*text)(double), bool open) {
  if (!from.value || !to.value) return {};
  const double more = *to.value - *from.value;
  const std::string words = more == 0 ? "none" : (more < 0 ? "-" : "+") + text(std::abs(more));
  return {.text = words + (open ? " of what is known" : ""), .value = more, .unit = to.unit};
}

std::string money_words(double usd) {
  return to_text(Money{usd});
}

std::string power_words(double watts) {
  return to_text(Power{watts});
}

std::string broken_text(const PlanCandidate& c) {
  std::string out;
  for (const std::string& limit : c.breaks) out += (out.empty() ? "" : ", ") + limit_title(limit);
  return out.empty() ? "none" : out;
}

/// The answer beside the plan that is 90 % sure, with the money between them.
std::optional<Table> confident_table(const ResultDocument& document) {
  if (!document.plan || !document.plan->chosen || !document.plan->confident) return std::nullopt;
  const Plan::Confident& sure = *document.plan->confident;
  const auto chance = odds(document);
  if (!sure.at || !chance || sure.at->nodes == document.plan->chosen->nodes) return std::nullopt;
  PlanCandidate now = *document.plan->chosen;
  const PlanCandidate& then = *sure.at;
  if (const auto& time = document.performance.time_to_train; time && now.time_s) {
    now.time_low_s = time->low;
    now.time_high_s = time->high;
  }
  Table table;
  table.caption = "What more certainty costs";
  table.columns = {{""},
                   {counted(now.nodes + now.spares, "node"), Align::right},
                   {counted(then.nodes + then.spares, "node"), Align::right},
                   {"Difference", Align::right}};
  const auto add = [&](const char* what, Cell a, Cell b, std::string (*text)(double), bool open = false) {
    if (!a.value && !b.value) return;
    Cell difference = difference_cell(a, b, text, open);
    table.rows.push_back({text_cell(what), std::move(a), std::move(b), std::move(difference)});
  };
  Cell safe = percent_cell(sure.probability);
  if (sure.probability) safe.text = odds_text(*sure.probability);
  table.rows.push_back({text_cell("Odds"), {odds_text(*chance), chance, "1"}, std::move(safe), {}});
  if (now.time_s) add("Time to train", seconds_cell(now), seconds_cell(then), duration_text);
  add("Purchase", amount_cell(now.capex_usd, "USD", money_words, now.purchase_is_open()),
      amount_cell(then.capex_usd, "USD", money_words, then.purchase_is_open()), money_words,
      now.purchase_is_open() || then.purchase_is_open());
  if (now.racks != then.racks) add("Racks", count_cell(now.racks), count_cell(then.racks), number_text);
  add("Power", amount_cell(now.nameplate_w, "W", power_words, now.energy_is_open()),
      amount_cell(then.nameplate_w, "W", power_words, then.energy_is_open()), power_words,
      now.energy_is_open() || then.energy_is_open());
  if (!then.breaks.empty()) {
    Cell broken = text_cell(broken_text(then));
    broken.tone = Tone::bad;
    table.rows.push_back({text_cell("Limits that it breaks"), text_cell(broken_text(now)), broken, {}});
  }
  return table;
}

/// Where no number of nodes is 90 % sure.
std::string never_sure_text(const ResultDocument& document) {
  if (!document.plan || !document.plan->confident || document.plan->confident->at) return {};
  const Plan::Confident& sure = *document.plan->confident;
  return sure.most_nodes ? fmt::format("No count up to {} reaches odds of {}.",
                                       counted(*sure.most_nodes, "node"), percent_text(sure.aim))
                         : "";
}

void add_warnings(Blocks& blocks, const std::vector<doc::Reason>& warnings) {
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    const auto audience = i < warnings_on_terminal ? Audience::everyone : Audience::document;
    blocks.push_back({Note{Tone::caution, std::string{warning_title}, reason_text(warnings[i])}, audience});
  }
  if (warnings.size() > warnings_on_terminal) {
    const auto more = static_cast<std::int64_t>(warnings.size() - warnings_on_terminal);
    blocks.push_back(
        {Note{Tone::caution, "", counted(more, "more warning") + " in the full report"}, Audience::terminal});
  }
}

}  // namespace

Blocks decision_section(const ResultDocument& document) {
  Headline box;
  const Verdict judged = verdict(document);
  box.tone = judged.tone;
  box.kicker = document.kind == ResultDocument::Kind::size ? "Decision" : "Simulated";
  box.verdict = judged.words;
  box.title = recommendation(document);
  box.lead = lead_text(document);
  box.facts = headline_facts(document);
  Blocks blocks{{std::move(box)}};
  if (auto table = confident_table(document))
    blocks.push_back({std::move(*table)});
  else if (const std::string never = never_sure_text(document); !never.empty())
    blocks.push_back({Paragraph{never}});
  std::ranges::move(largest_risks(document), std::back_inserter(blocks));
  std::ranges::move(weighty_assumptions(document), std::back_inserter(blocks));
  add_warnings(blocks, document.warnings);
  return blocks;
}

}  // namespace rackcast::reports
