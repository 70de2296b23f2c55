#include "scenarios/result/split_document.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "scenarios/splits/split_search.hpp"

namespace rackcast {
namespace {

/// The arithmetic of a step over what all GPUs could do in its time.
std::optional<double> mfu_of(const WorkloadResult& w, Duration step) {
  if (!w.utilisation || !(w.utilisation->peak > FlopRate{0}) || !(step > Duration{0})) return std::nullopt;
  const Utilisation& u = *w.utilisation;
  return w.global_batch * u.tokens_per_sample * u.model_flop_per_token / (w.run.ranks * u.peak * step);
}

doc::SplitSearch::Split split_document(const WorkloadResult& w, const JudgedSplit& one, bool simulated) {
  const Mesh& m = one.mesh;
  doc::SplitSearch::Split out;
  out.text = recipe_text(m);
  out.tensor = m.tensor;
  out.pipeline = m.pipeline;
  out.interleave = m.interleave;
  out.context = m.context;
  out.expert = m.expert;
  out.replicas = m.data;
  out.zero_stage = m.zero_stage;
  out.micro_batch = m.micro_batch;
  out.micro_batches = m.micro_batches;
  out.schedule = to_string(m.schedule);
  out.recompute = to_string(m.recompute);
  out.memory_bytes = one.memory.base();
  if (!simulated) return out;
  out.step_s = one.step.total.base();
  // A part that is what others leave of the total may round to less than nothing.
  out.bubble_s = std::max(0.0, one.step.pipeline_wait.base());
  out.exposed_exchange_s = std::max(0.0, one.step.network().base());
  out.mfu = mfu_of(w, one.step.total);
  return out;
}

/// In which part of a step the best gains most on the second.
doc::Reason why_it_wins(const JudgedSplit& best, const JudgedSplit& second) {
  std::optional<std::string> name;
  std::optional<double> gained;
  for (const StepPart& part : step_part_list) {
    const double less = (second.step.*part.time - best.step.*part.time).base();
    if (less <= gained.value_or(0)) continue;
    gained = less;
    name = part.name;
  }
  return doc::Reason{"split_wins",
                     {{"split", recipe_text(best.mesh)},
                      {"second", recipe_text(second.mesh)},
                      {"part", name.value_or("")},
                      {"step_s", best.step.total.base()},
                      {"second_s", second.step.total.base()},
                      {"part_s", gained}}};
}

}  // namespace

doc::SplitSearch split_search_document(const WorkloadResult& w) {
  const SplitFindings& found = w.split->found;
  doc::SplitSearch out;
  out.fits = w.split->fits();
  out.considered = static_cast<std::int64_t>(found.considered);
  out.not_fitting = static_cast<std::int64_t>(found.not_fitting);
  out.cut_off = static_cast<std::int64_t>(found.cut_off);
  out.simulated = static_cast<std::int64_t>(found.simulated);
  out.gpu_memory_bytes = w.split->available.base();
  for (const JudgedSplit& one : found.best) out.best.push_back(split_document(w, one, true));
  if (found.smallest) out.best.push_back(split_document(w, *found.smallest, false));
  for (const OtherSplit& o : w.split->others) {
    doc::SplitSearch::Other& row = out.others.emplace_back();
    row.key = split_key_names.at(static_cast<std::size_t>(o.key));
    row.value = o.value;
    if (o.needed) row.needed_bytes = o.needed->base();
    if (o.step) row.step_s = o.step->base();
  }
  if (found.best.size() > 1) out.why = why_it_wins(found.best[0], found.best[1]);
  return out;
}

}  // namespace rackcast
