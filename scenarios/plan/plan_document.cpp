#include "scenarios/plan/plan_document.hpp"

#include <nlohmann/json.hpp>

#include "models/site/cost.hpp"
#include "scenarios/plan/plan.hpp"
#include "scenarios/result_document.hpp"

namespace rackcast {

namespace {

using Document = nlohmann::ordered_json;

void put_text(Document& out, const char* key, const std::string& text) {
  if (!text.empty()) out[key] = text;
}

Document document(const PlanWorkload& w) {
  Document out = {
      {"model", w.model}, {"batch_per_gpu", w.batch_per_gpu}, {"precision", to_string(w.precision)}};
  put_text(out, "framework", w.framework);
  put_text(out, "exchange", w.exchange);
  put_text(out, "parallelism", w.parallelism);
  if (w.memory) out["memory_bytes_per_gpu"] = w.memory->base();
  return out;
}

Document document(const PlanCandidate& c) {
  Document out = {{"node", c.node}, {"node_title", c.node_title}};
  put_text(out, "network", c.network);
  put_text(out, "storage", c.storage);
  out["nodes"] = c.nodes;
  out["spares"] = c.spares;
  out["gpus"] = c.gpus;
  if (c.gpus_per_job) out["gpus_per_job"] = *c.gpus_per_job;
  out["time_s"] = c.time.base();
  if (c.low && c.high) out.update({{"time_low_s", c.low->base()}, {"time_high_s", c.high->base()}});
  if (c.energy) out["energy_j"] = c.energy->base();
  if (c.capex) out["capex_usd"] = c.capex->base();
  if (c.opex) out["opex_usd_per_year"] = (*c.opex * hours_of_year).base();
  if (c.total) out["total_usd"] = c.total->base();
  if (c.racks) out["racks"] = *c.racks;
  if (c.rack_units) out["rack_units"] = *c.rack_units;
  if (c.nameplate) out["nameplate_w"] = c.nameplate->base();
  if (!c.missing.none()) out["missing"] = missing_document(c.missing);
  out["breaks"] = c.breaks;
  out["workloads"] = Document::array();
  for (const PlanWorkload& w : c.workloads) out["workloads"].push_back(document(w));
  return out;
}

Document document(const PlanOption& o) {
  Document out = {{"node_title", o.node_title}};
  put_text(out, "network", o.network);
  put_text(out, "storage", o.storage);
  out["best"] = o.best ? document(*o.best) : Document(nullptr);
  out["conflict"] = o.conflict;
  return out;
}

Document document(const PlanRelaxation& r) {
  Document out = {{"limit", r.limit}, {"now", r.now}, {"relaxed", r.relaxed}};
  if (r.used) out["used"] = *r.used;
  out["binds"] = r.binds;
  out["answer"] = r.answer ? document(*r.answer) : Document(nullptr);
  out["statement"] = r.statement;
  return out;
}

Document document(const PlanConflict& c) {
  return {{"limit", c.limit},
          {"allowed", c.allowed},
          {"needed", c.needed},
          {"alone", c.alone},
          {"statement", c.statement}};
}

template <class T>
Document list(const std::vector<T>& items) {
  Document out = Document::array();
  for (const T& item : items) out.push_back(document(item));
  return out;
}

}  // namespace

Document plan_document(const PlanReport& p) {
  Document out = {{"objective", to_string(p.objective)},
                  {"statement", p.statement},
                  {"designs", p.designs},
                  {"variants", p.variants},
                  {"judged", p.judged},
                  {"simulated", p.simulated}};
  if (p.partial) out["partial"] = true;
  out["chosen"] = p.chosen ? document(*p.chosen) : Document(nullptr);
  out["smaller"] = p.smaller ? document(*p.smaller) : Document(nullptr);
  put_text(out, "smaller_statement", p.smaller_statement);
  if (p.nearest) out["nearest"] = document(*p.nearest);
  out["options"] = list(p.options);
  out["front"] = list(p.front);
  out["relaxations"] = list(p.relaxations);
  out["conflict_set"] = list(p.conflicts);
  out["refused"] = p.refused;
  return out;
}

}  // namespace rackcast
