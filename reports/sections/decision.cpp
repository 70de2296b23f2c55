/// The decision in one box, what it means for each workload, and what the reader must not overlook.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "reports/blocks/format.hpp"
#include "reports/sections/sections.hpp"
#include "reports/sentences/answer_sentences.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {
namespace {

constexpr std::size_t warnings_on_terminal = 4;

/// "8 × NVIDIA DGX-1V (64 GPUs)".
std::string cluster_title(const Answer& answer) {
  if (!answer.nodes) {
    return node_name(answer);
  }
  const std::string gpus = answer.gpus ? " (" + gpus_text(answer) + ")" : "";
  return fmt::format("{} × {}{}", nodes_text(*answer.nodes, answer.spares), node_name(answer), gpus);
}

/// A search without an answer.
bool no_answer(const ResultDocument& document) {
  return !document.answer.feasible && document.kind == ResultDocument::Kind::size;
}

std::string headline_title(const ResultDocument& document) {
  const bool limited = document.answer.binding_constraint == "limit";
  if (no_answer(document)) return limited ? "Not finished" : "No configuration within the limits";
  const std::string cluster = cluster_title(document.answer);
  return cluster.empty() && limited ? "Not finished" : cluster;
}

/// Which cluster the figures below are of, and what it breaks; nothing where the box has no figures.
std::optional<Fact> nearest_fact(const ResultDocument& document) {
  const Answer& answer = document.answer;
  if (!no_answer(document) || answer.nodes.value_or(0) == 0) {
    return std::nullopt;
  }
  std::string breaks;
  if (document.plan && document.plan->nearest) {
    const PlanCandidate& nearest = *document.plan->nearest;
    for (const std::string& limit : nearest.breaks) {
      const bool known = std::ranges::find(nearest.undecided, limit) == nearest.undecided.end();
      breaks += (breaks.empty() ? "" : ", ") + limit_title(limit) + (known ? "" : " (cannot be decided)");
    }
  }
  return Fact{"Nearest", cluster_title(answer),
              breaks.empty() ? "(all figures below are of this cluster)"
                             : "(all figures below are of this cluster; it breaks: " + breaks + ")"};
}

/// "90 % with 13 nodes".
std::string confident_text(const Answer& answer) {
  for (const Answer::Change& change : answer.changes) {
    if (change.input == "confidence in the deadline" && change.nodes) {
      return "(" + change.change + " with " + counted(*change.nodes, "node") + ")";
    }
  }
  return "(by the error of the model alone)";
}

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + ", " + b;
}

/// "2 racks"; empty: not known.
std::string racks_text(const Site& site) {
  return site.racks.count ? sum_text(counted(*site.racks.count, "rack"), !site.no_units.empty()) : "";
}

/// What the bill of materials comes to; empty where no row has a price.
std::string purchase_text(const Site& site) {
  const bool priced =
      std::ranges::any_of(site.bill, [](const auto& row) { return row.total_usd.has_value(); });
  return site.bill_total_usd && priced ? sum_text(to_text(Money{*site.bill_total_usd}), site.bill_is_open())
                                       : "";
}

/// How many nodes, in how many racks, at which price, how sure: "8 nodes in 2 racks cost 1.68 million USD to
/// buy and meet the deadline of 14 days with a probability of 60 %." Empty where nothing but the count is
/// known, and where there is no answer.
std::string answer_sentence(const ResultDocument& document) {
  const Answer& answer = document.answer;
  if (no_answer(document) || answer.nodes.value_or(0) == 0) return {};
  const bool one = *answer.nodes == 1 && answer.spares == 0;
  const std::string racks = document.site ? racks_text(*document.site) : "";
  const std::string price = document.site ? purchase_text(*document.site) : "";
  std::string does;
  if (!price.empty()) does = fmt::format(" {} {} to buy", one ? "costs" : "cost", price);
  if (document.deadline_s && answer.deadline_probability)
    does += fmt::format("{} {} the deadline of {} with a probability of {}", does.empty() ? "" : " and",
                        one ? "meets" : "meet", duration_text(*document.deadline_s),
                        percent_text(*answer.deadline_probability));
  if (racks.empty() && does.empty()) return {};
  std::string who = counted(*answer.nodes, "node");
  if (answer.spares > 0) who += " and " + counted(answer.spares, "spare");
  if (does.empty()) return fmt::format("{} {} {}. ", who, one ? "fills" : "fill", racks);
  return fmt::format("{}{}{}. ", who, racks.empty() ? "" : " in " + racks, does);
}

/// Racks, power and money of the whole site.
void add_site(std::vector<Fact>& facts, const Site& site) {
  if (site.racks.count) {
    facts.push_back(
        {"Racks", racks_text(site), site.no_units.empty() ? "" : left_out_text(site.no_units, "height")});
  }
  if (site.power.nameplate_w) {
    const std::string it =
        site.power.it_w ? to_text(Power{*site.power.it_w}) + " while " + site.power.activity : "";
    const std::string all =
        site.power.facility_w ? ", " + to_text(Power{*site.power.facility_w}) + " with cooling" : "";
    const bool open = !site.no_power.empty();
    facts.push_back({"Power", sum_text(to_text(Power{*site.power.nameplate_w}) + " nameplate", open),
                     joined(it + all, open ? left_out_text(site.no_power, "power") : "")});
  }
  if (const std::string price = purchase_text(site); !price.empty()) {
    facts.push_back({"Purchase", price, site.no_price.empty() ? "" : left_out_text(site.no_price, "price")});
  }
  if (site.cost && site.cost->year_usd) {
    facts.push_back({"A year of owning", sum_text(to_text(Money{*site.cost->year_usd}), site.cost_is_open()),
                     site.cost->date.empty() ? "" : "prices of " + site.cost->date});
  }
}

/// When the work is done: a date where the scenario says when it starts.
Fact done_fact(const ResultDocument& document, const Prediction& time) {
  const auto& start = document.scenario.start;
  if (!start) {
    return {"Done", duration_text(time.value) + " after the start", "(the scenario gives no \"start\" date)"};
  }
  const std::string from = date_text(*start, time.low), to = date_text(*start, time.high);
  const std::string range = from == to ? "" : fmt::format("{} to {}, ", from, to);
  return {"Done", date_text(*start, time.value), fmt::format("({}started on {})", range, date_text(*start))};
}

/// "mixed", or where workloads differ "resnet50: mixed, vgg16: fp32".
std::string precision_of(const ResultDocument& document) {
  if (document.serving) return document.serving->precision;
  std::string each, first;
  bool alike = true;
  for (const WorkloadResult& w : document.workloads) {
    if (first.empty()) first = w.precision;
    alike = alike && w.precision == first;
    each += (each.empty() ? "" : ", ") + w.title + ": " + w.precision;
  }
  return alike ? first : each;
}

/// What a language model generates, and what that costs.
void add_tokens(std::vector<Fact>& facts, const Serving::Tokens& t, const std::optional<Site>& site) {
  facts.push_back({"Output", fmt::format("{} tokens/s in the busiest hour", number_text(t.peak_tokens_per_s)),
                   fmt::format("{} on average", number_text(t.tokens_per_s))});
  if (t.usd_per_million)
    facts.push_back(
        {"A million tokens",
         sum_text(fmt::format("{:.3g} USD, owned", *t.usd_per_million), site && site->cost_is_open()),
         {}});
}

/// "Time to train"; of several workloads, whose it is.
std::string time_label(const ResultDocument& document) {
  if (document.workloads.size() < 2) {
    return "Time to train";
  }
  return document.premise.adds_up ? "Time to train all" : "Time to train, slowest";
}

/// Facts of the box; `brief` leaves out what the table of workloads right below it says.
std::vector<Fact> headline_facts(const ResultDocument& document, bool brief) {
  std::vector<Fact> facts;
  if (const auto nearest = nearest_fact(document)) {
    facts.push_back(*nearest);
  } else if (no_answer(document)) {
    return facts;  // of which cluster would they be?
  }
  const auto add = [&](std::string label, const std::optional<Prediction>& value) {
    if (value) {
      facts.push_back({std::move(label), prediction_text(*value), {}});
    }
  };
  add(time_label(document), document.performance.time_to_train);
  if (!facts.empty() && !document.answer.feasible && document.answer.binding_constraint == "gpu_memory" &&
      document.performance.time_to_train)
    facts.back().detail = "(as if the memory of a GPU were enough)";
  // Workloads on their own have no common start unless the scenario states one.
  const bool one_start = document.workloads.size() < 2 || document.premise.adds_up;
  if (const auto& time = document.performance.time_to_train;
      time && document.answer.nodes && (one_start || document.scenario.start)) {
    facts.push_back(done_fact(document, *time));
    if (!one_start) facts.back().label = "Done, slowest";
  }
  if (const auto& rate = document.performance.samples_per_s; rate && !brief) {
    Prediction samples = *rate;
    samples.unit = "samples/s";
    add("Throughput", samples);
  }
  add("Scaling efficiency", document.performance.scaling_efficiency);
  if (const std::string precision = precision_of(document); !precision.empty()) {
    facts.push_back({"Precision", precision, {}});
  }
  if (!document.answer.binding_constraint.empty() && !brief) {
    facts.push_back({"What binds", limit_title(document.answer.binding_constraint), {}});
  }
  if (document.serving && document.serving->at_peak && document.serving->at_peak->latency_s) {
    const Serving& s = *document.serving;
    std::string latency = duration_text(*s.at_peak->latency_s);
    if (s.latency_low_s)
      latency += fmt::format(" ({} to {})", duration_text(*s.latency_low_s),
                             s.latency_high_s ? duration_text(*s.latency_high_s) : "overloaded");
    const auto within = [&](const char* what, const std::string& reached, const std::optional<double>& limit,
                            const std::optional<double>& percentile) {
      facts.push_back({fmt::format("{}, {:g} %", what, 100 * percentile.value_or(s.percentile)),
                       fmt::format("{} at {}/s{}", reached, number_text(s.peak_requests_per_s),
                                   limit ? "; the limit is " + duration_text(*limit) : ""),
                       {}});
    };
    if (s.tokens && s.at_peak->first_token_s && s.at_peak->token_s) {
      within("First token", duration_text(*s.at_peak->first_token_s), s.tokens->first_token_limit_s,
             s.tokens->first_token_percentile);
      within("Per output token", duration_text(*s.at_peak->token_s), s.tokens->token_limit_s,
             s.tokens->token_percentile);
    }
    within(s.tokens ? "Whole answer" : "Latency", latency, s.latency_s, s.percentile);
    if (s.tokens) add_tokens(facts, *s.tokens, document.site);
  }
  if (document.deadline_s && document.answer.deadline_probability) {
    facts.push_back({"Deadline",
                     duration_text(*document.deadline_s) + ", met with a probability of " +
                         percent_text(*document.answer.deadline_probability),
                     confident_text(document.answer)});
  }
  if (document.site) {
    add_site(facts, *document.site);
    return facts;
  }
  std::string room = document.answer.rack_units ? number_text(*document.answer.rack_units) + " RU" : "";
  if (document.answer.power_kw) {
    room += (room.empty() ? "" : ", ") + number_text(*document.answer.power_kw) + " kW";
  }
  if (!room.empty()) {
    facts.push_back({"Rack and power", room, {}});
  }
  return facts;
}

Table workload_table(const ResultDocument& document) {
  Table table;
  const bool adds_up = document.premise.adds_up;
  table.caption = adds_up ? "Each workload, and all one after another" : "Each workload on its own";
  table.columns = {{"Workload"},
                   {"Nodes", Align::right},
                   {"GPUs", Align::right, 2},
                   {"Time to train", Align::right},
                   {"Samples/s", Align::right, 3},
                   {"Efficiency", Align::right, 4},
                   {"Binds", Align::left, 1}};
  for (const WorkloadResult& workload : document.workloads) {
    const Answer& answer = workload.answer;
    // Without an answer the row is about the cluster that comes nearest.
    Cell nodes = answer.nodes ? nodes_cell(answer.nodes, answer.spares) : no_answer_cell();
    nodes.tone = answer.feasible ? Tone::plain : Tone::bad;
    Cell rate, efficiency;
    if (const auto& p = workload.performance.samples_per_s) {
      rate = number_cell(p->value, "1/s");
    }
    if (const auto& p = workload.performance.scaling_efficiency) {
      efficiency = percent_cell(p->value);
    }
    // What binds is the sum, so it stands in the last row.
    table.rows.push_back({text_cell(workload.title), nodes, count_cell(answer.gpus),
                          prediction_cell(workload.performance.time_to_train), rate, efficiency,
                          text_cell(adds_up ? "" : limit_title(answer.binding_constraint))});
  }
  if (adds_up) {
    const Answer& all = document.answer;
    const auto& kept = document.performance.scaling_efficiency;
    Cell nodes = all.nodes ? nodes_cell(all.nodes, all.spares) : no_answer_cell();
    nodes.tone = all.feasible ? Tone::plain : Tone::bad;
    table.rows.push_back({text_cell("All, one after another"),
                          nodes,
                          count_cell(all.gpus),
                          prediction_cell(document.performance.time_to_train),
                          {},
                          kept ? percent_cell(kept->value) : Cell{},
                          text_cell(limit_title(all.binding_constraint))});
  }
  return table;
}

void add_warnings(Blocks& blocks, const std::vector<doc::Reason>& warnings) {
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    const auto audience = i < warnings_on_terminal ? Audience::everyone : Audience::document;
    blocks.push_back({Note{Tone::caution, "Warning", reason_text(warnings[i])}, audience});
  }
  if (warnings.size() > warnings_on_terminal) {
    const auto more = static_cast<std::int64_t>(warnings.size() - warnings_on_terminal);
    blocks.push_back(
        {Note{Tone::caution, "", counted(more, "more warning") + " in the full report"}, Audience::terminal});
  }
}

}  // namespace

std::string node_name(const Answer& answer) {
  return answer.node_title.empty() ? answer.node : answer.node_title;
}

Blocks decision_section(const ResultDocument& document) {
  const Answer& answer = document.answer;
  Headline box;
  const auto& time = document.performance.time_to_train;
  const bool late = document.deadline_s && time && time->value > *document.deadline_s;
  box.tone = !answer.feasible ? Tone::bad : late ? Tone::caution : Tone::good;
  box.kicker = document.kind == ResultDocument::Kind::size ? "Decision" : "Simulated";
  box.title = headline_title(document);
  // The answer first, then what binds it, then what was assumed of several workloads.
  box.lead = answer_sentence(document) + answer_text(document);
  if (const std::string premise = premise_text(document); !premise.empty()) box.lead += " " + premise;
  const bool several = document.workloads.size() > 1;
  box.facts = headline_facts(document, several);
  Blocks blocks{{box, Audience::terminal}};
  box.facts = headline_facts(document, false);
  blocks.push_back({std::move(box), Audience::document});
  if (several) {
    blocks.push_back({workload_table(document)});
  }
  add_warnings(blocks, document.warnings);
  return blocks;
}

}  // namespace rackcast::reports
