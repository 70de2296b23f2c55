#include "scenarios/result/result_input.hpp"

#include <cmath>

namespace rackcast {

namespace {

double days(Duration d) {
  return d.base() / 86400;
}

}  // namespace

doc::InputPath input_document(const InputReport& r) {
  doc::InputPath out;
  out.required_bytes_per_s = r.required.base();
  if (std::isfinite(r.available.base())) out.available_bytes_per_s = r.available.base();
  out.binds = r.funnel.stages.at(r.funnel.binds).what;
  out.next = r.funnel.stages.at(r.funnel.next).what;
  out.next_ratio = r.funnel.headroom();
  for (const FunnelStage& s : r.funnel.stages) {
    out.funnel.push_back({s.what, s.rate.base()});
    if (s.low < s.high) {
      out.funnel.back().low = s.low.base();
      out.funnel.back().high = s.high.base();
    }
  }
  double first = 0;
  for (const PhaseRun& p : r.phases) {
    const double rate = p.run.samples_per_step / p.run.parts.total.base();
    const EpochHits& h = p.phase.hits;
    out.epochs.push_back({first, p.phase.epochs, h.page_cache, h.ssd_cache, h.storage,
                          p.run.parts.total.base(), rate, rate * h.storage * r.sample.base(), p.run.binds});
    first += p.phase.epochs;
  }
  out.working_set_bytes = working_set(r.cache).base();
  out.page_cache_bytes = r.cache.page_cache.base();
  out.ssd_cache_bytes = r.cache.ssd_cache.base();
  out.sharding = to_string(r.cache.sharding);
  out.order = to_string(r.cache.order);
  if (r.checkpoint > Bytes{0} || r.writes.background > Bandwidth{0}) {
    out.write_back = {r.checkpoint.base(), r.writes.write.base(), r.writes.stall.base(), r.writes.time_factor,
                      r.writes.background.base()};
    if (r.checkpoint > Bytes{0} && r.writes.writers > 1) {
      out.write_back->writers = r.writes.writers;
      out.write_back->busiest_bytes = r.writes.busiest * r.checkpoint.base();
    }
  }
  return out;
}

doc::DataGrowth growth_document(const GrowthReport& g) {
  doc::DataGrowth out;
  if (g.capacity) out.capacity_bytes = g.capacity->base();
  if (g.full) out.full_day = days(*g.full);
  if (g.date) out.date_day = days(*g.date);
  for (const GrowthPoint& p : g.series)
    out.series.push_back({days(p.at), p.recorded.base(), p.stored.base(), p.usable.base()});
  for (const Retraining& t : g.retraining)
    out.retraining.push_back({days(t.at), t.samples, t.time.base(), t.in_time});
  for (const GrowthStep& p : g.plan)
    out.plan.push_back({.day = days(p.at),
                        .samples = p.samples,
                        .bytes = p.bytes.base(),
                        .storage = p.storage,
                        .nodes = p.nodes,
                        .low = p.least,
                        .high = p.most,
                        .asked = p.asked,
                        .spares = p.spares,
                        .limit = std::string{p.limit ? to_string(*p.limit) : ""}});
  return out;
}

doc::LearningNeed learning_document(const LearningSpec& l) {
  doc::LearningNeed out;
  out.a = l.curve.a;
  out.b = l.curve.b;
  out.c = l.curve.c;
  out.target_error = l.target;
  out.samples = l.needed.samples;
  if (std::isfinite(l.needed.low)) out.low = l.needed.low;
  if (std::isfinite(l.needed.high)) out.high = l.needed.high;
  out.times_largest_point = l.needed.beyond;
  for (const LearningPoint& p : l.points) out.points.push_back({p.samples, p.error});
  return out;
}

}  // namespace rackcast
