#include "reports/sentences/serving_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/blocks/format.hpp"
#include "reports/sentences/answer_sentences.hpp"
#include "reports/sentences/plan_sentences.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "sim/json/table_document.hpp"

namespace rackcast::reports {

namespace {

/// "within 12 ms (limit 20 ms)"; of a language model "with a time to the first token of 310 ms (limit 500 ms)
/// and a time per output token of ...".
std::string targets_text(const Serving& s) {
  std::string out;
  for (const Serving::Target& t : s.targets) {
    const bool first = out.empty();
    if (!first) out += " and ";
    out += s.tokens ? fmt::format("{}a {} of ", first ? "with " : "", t.limit) : "within ";
    out += fmt::format("{} (limit {}", duration_text(t.reached_s), duration_text(t.limit_s));
    out += first || t.percentile == s.targets.front().percentile
               ? ")"
               : fmt::format(", for {:g} %)", 100 * t.percentile);
  }
  return out;
}

/// Fleets that may cost less than the choice, if only what they lack were known.
std::string rivals_text(const ResultDocument& d) {
  if (!d.plan || d.plan->objective != "lowest-cost" || !d.plan->chosen || !d.plan->chosen->total_usd)
    return {};
  std::vector<OpenSum> sums;
  for (const Serving::Option& o : d.serving->options)
    if (o.feasible && o.total_usd)
      sums.push_back({fmt::format("{} x {} in {}", o.nodes, o.title, o.precision), *o.total_usd, &o.no_price,
                      &o.no_power, &o.no_units});
  return rivals_text(*d.plan->chosen->total_usd, sums);
}

std::string fleet_text(const ResultDocument& d) {
  const Serving& s = *d.serving;
  std::string out = fmt::format(
      "{} x {} ({}) {} {} requests/s of {} in {} at the busiest hour, {:g} % of them "
      "{}, bound by {}",
      d.answer.nodes.value_or(0), d.answer.node_title, gpus_text(d.answer),
      d.answer.nodes == 1 ? "answers" : "answer", rate_words(s.peak_requests_per_s), s.title, s.precision,
      s.targets.empty() ? 0 : 100 * s.targets.front().percentile, targets_text(s), s.binds);
  if (s.tokens)
    out += fmt::format(
        "; that is {} tokens/s of output, with a copy on {}", rate_words(s.tokens->peak_tokens_per_s),
        s.tokens->gpus_per_copy.value_or(1) == 1 ? std::string{"each GPU"}
                                                 : "every " + counted(*s.tokens->gpus_per_copy, "GPU"));
  return out + (s.spares > 0 ? fmt::format("; {} of the nodes may be down.", s.spares) : ".") +
         rivals_text(d);
}

}  // namespace

std::string rate_words(double rate) {
  return rate < 10 ? fmt::format("{:.3g}", rate) : grouped(std::round(rate));
}

std::string served_text(const ResultDocument& d) {
  if (d.answer.feasible) return fleet_text(d);
  const Serving& s = *d.serving;
  // The option that is nearest, as all of the answer is about it.
  const auto nearest = std::ranges::find_if(s.options, [&](const Serving::Option& o) {
    return o.node == d.answer.node && o.precision == s.precision;
  });
  std::string out;
  if (d.plan && d.plan->conflict_set.size() > 1) out += conflict_set_text(d.plan->conflict_set) + " ";
  if (d.kind == ResultDocument::Kind::size && s.options.size() > 1)
    out += fmt::format("None of the {} choices keeps all limits; the nearest is {} in {}. ", s.options.size(),
                       d.answer.node_title, s.precision);
  if (nearest != s.options.end() && !nearest->conflicts.empty())
    out += why_text(nearest->conflicts.front().why);
  else if (!d.answer.conflicts.empty())
    out += why_text(d.answer.conflicts.front().why);
  return out;
}

}  // namespace rackcast::reports
