#include "scenarios/result_input.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/quantity_text.hpp"

namespace rackcast {

namespace {

using Document = nlohmann::ordered_json;

Document number_or_null(double value) {
  return std::isfinite(value) ? Document(value) : Document(nullptr);
}

Document or_null(const std::optional<int>& value) {
  return value ? Document(*value) : Document(nullptr);
}

double days(Duration d) {
  return d.base() / 86400;
}

std::string statement(const InputReport& r) {
  const Funnel& f = r.funnel;
  const FunnelStage& narrowest = f.stages.at(f.binds);
  std::string text = fmt::format("The narrowest stage of the coldest epochs is {} with {:.0f} samples/s",
                                 narrowest.what, narrowest.rate.base());
  if (f.next != f.binds)
    text +=
        fmt::format("; the next, {}, passes {:.3g} times as many", f.stages.at(f.next).what, f.headroom());
  if (r.required > Bandwidth{0})
    text += fmt::format(". Busy GPUs read {} from storage, which can deliver {}", to_text(r.required),
                        to_text(r.available));
  return text + ".";
}

}  // namespace

Document input_document(const InputReport& r) {
  Document out = {{"required_bytes_per_s", r.required.base()},
                  {"available_bytes_per_s", number_or_null(r.available.base())},
                  {"binds", r.funnel.stages.at(r.funnel.binds).what},
                  {"next", r.funnel.stages.at(r.funnel.next).what},
                  {"next_ratio", r.funnel.headroom()},
                  {"statement", statement(r)}};
  out["funnel"] = Document::array();
  for (const FunnelStage& s : r.funnel.stages) {
    out["funnel"].push_back({{"stage", s.what}, {"samples_per_s", s.rate.base()}});
    if (s.low < s.high) out["funnel"].back().update({{"low", s.low.base()}, {"high", s.high.base()}});
  }
  out["epochs"] = Document::array();
  double first = 0;
  for (const PhaseRun& p : r.phases) {
    const double rate = p.run.samples_per_step / p.run.parts.total.base();
    const EpochHits& h = p.phase.hits;
    out["epochs"].push_back({{"after", first},
                             {"epochs", p.phase.epochs},
                             {"page_cache", h.page_cache},
                             {"ssd_cache", h.ssd_cache},
                             {"storage", h.storage},
                             {"step_s", p.run.parts.total.base()},
                             {"samples_per_s", rate},
                             {"read_bytes_per_s", rate * h.storage * r.sample.base()},
                             {"binds", p.run.binds}});
    first += p.phase.epochs;
  }
  out["cache"] = {{"working_set_bytes", working_set(r.cache).base()},
                  {"page_cache_bytes", r.cache.page_cache.base()},
                  {"ssd_cache_bytes", r.cache.ssd_cache.base()},
                  {"sharding", to_string(r.cache.sharding)},
                  {"order", to_string(r.cache.order)}};
  if (r.checkpoint > Bytes{0} || r.writes.background > Bandwidth{0}) {
    out["write_back"] = {{"checkpoint_bytes", r.checkpoint.base()},
                         {"write_s", r.writes.write.base()},
                         {"stall_s", r.writes.stall.base()},
                         {"time_factor", r.writes.time_factor},
                         {"bytes_per_s", r.writes.background.base()}};
    if (r.checkpoint > Bytes{0} && r.writes.writers > 1) {
      out["write_back"]["writers"] = r.writes.writers;
      out["write_back"]["busiest_bytes"] = r.writes.busiest * r.checkpoint.base();
    }
  }
  return out;
}

Document growth_document(const GrowthReport& g) {
  Document out;
  out["capacity_bytes"] = g.capacity ? Document(g.capacity->base()) : Document(nullptr);
  out["full_day"] = g.full ? Document(days(*g.full)) : Document(nullptr);
  out["date_day"] = g.date ? Document(days(*g.date)) : Document(nullptr);
  out["series"] = Document::array();
  for (const GrowthPoint& p : g.series)
    out["series"].push_back({{"day", days(p.at)},
                             {"recorded_bytes", p.recorded.base()},
                             {"stored_bytes", p.stored.base()},
                             {"usable_bytes", p.usable.base()}});
  out["retraining"] = Document::array();
  for (const Retraining& t : g.retraining)
    out["retraining"].push_back({{"day", days(t.at)},
                                 {"samples", t.samples},
                                 {"time_to_train_s", t.time.base()},
                                 {"in_time", t.in_time}});
  out["plan"] = Document::array();
  for (const GrowthStep& p : g.plan)
    out["plan"].push_back({{"day", days(p.at)},
                           {"samples", p.samples},
                           {"bytes", p.bytes.base()},
                           {"storage", p.storage},
                           {"nodes", or_null(p.nodes)},
                           {"spares", p.spares},
                           {"nodes_low", or_null(p.least)},
                           {"nodes_high", or_null(p.most)},
                           {"asked", p.asked}});
  return out;
}

Document learning_document(const LearningSpec& l) {
  Document out = {{"a", l.curve.a},
                  {"b", l.curve.b},
                  {"c", l.curve.c},
                  {"target_error", l.target},
                  {"samples", l.needed.samples},
                  {"low", number_or_null(l.needed.low)},
                  {"high", number_or_null(l.needed.high)},
                  {"times_largest_point", l.needed.beyond}};
  out["points"] = Document::array();
  for (const LearningPoint& p : l.points)
    out["points"].push_back({{"samples", p.samples}, {"error", p.error}});
  return out;
}

}  // namespace rackcast
