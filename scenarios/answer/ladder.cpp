#include <fmt/format.h>

#include <algorithm>

#include "scenarios/answer/describe.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/names/count_text.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

std::vector<LadderRow> ladder(const Scenario& s, const WorkloadResult& w, Evaluator& evaluator) {
  std::vector<LadderRow> rows;
  const auto add = [&rows](std::string label, double value, std::string unit, std::string text,
                           std::string how) {
    rows.push_back({std::move(label), std::move(unit), std::move(text), std::move(how), value});
  };
  const DataSpec& d = s.data;
  std::string how = "given by the scenario";
  if (d.learning) {
    how = fmt::format(
        "an error of {:g} on the learning curve {:.3g} x samples^-{:.3g} + {:.3g}, {:.3g} times the largest "
        "point",
        d.learning->target, d.learning->curve.a, d.learning->curve.b, d.learning->curve.c,
        d.learning->needed.beyond);
  }
  if (d.fleet) {
    how = fmt::format("{:g} vehicles x {:g} TB/h x {:g} h x {:g} days x {:g} kept", d.fleet->vehicles,
                      d.fleet->capture_rate.base() * 3600 / 1e12, d.fleet->recording_per_day.base() / 3600,
                      d.fleet->days, d.fleet->kept);
    if (d.date) how = fmt::format("usable {} after the first recording day", to_text(*d.date));
  }
  add("Data set", d.size.base(), "B", to_text(d.size), how);
  add("Samples", d.samples, "1", grouped(d.samples),
      fmt::format("{} / {} per sample", to_text(d.size), to_text(d.bytes_per_sample)));
  Question one = question(s, w.spec);
  one.cluster.nodes = w.answer.nodes;
  const double epochs = evaluator.epochs(one), seen = d.samples * epochs;
  if (w.spec.convergence) {
    add("Epochs asked", w.spec.epochs, "1", fmt::format("{:g}", w.spec.epochs),
        fmt::format("at a global batch of {}", grouped(w.spec.convergence->law.reference_batch)));
    add("Epochs after the law", epochs, "1", fmt::format("{:.4g}", epochs),
        law_text(w.spec, w.global_batch) + "; the weakest link of the ladder, confidence low");
  }
  add("Samples seen", seen, "1", grouped(seen), fmt::format("{:g} epoch{}", epochs, epochs == 1 ? "" : "s"));
  const Flop work = 3 * seen * w.forward_flop;
  add("Arithmetic", work.base(), "FLOP", to_text(work),
      fmt::format("3 x {} forward per sample: forward, data gradient, weight gradient",
                  to_text(w.forward_flop)));
  one.cluster.nodes = 1;
  one.gpus = 1;
  const double rate = evaluator.run(one).samples_per_step / evaluator.run(one).parts.total.base();
  const Duration gpu_time{d.samples * evaluator.epochs(one) / rate};
  add("Time on one GPU", gpu_time.base(), "s", to_text(gpu_time),
      fmt::format(
          "{} samples/s, simulated on one GPU of the node, input path included{}{}",
          rate < 100 ? fmt::format("{:.3g}", rate) : fmt::format("{:.0f}", rate),
          w.spec.parallelism ? "; as if its memory held the whole network" : "",
          w.spec.convergence ? fmt::format("; {:.4g} epochs at its batch", evaluator.epochs(one)) : ""));
  add("Global batch", w.global_batch, "1", w.batch.text, w.batch.origin);
  add("Optimizer steps", w.steps, "1", grouped(w.steps),
      fmt::format("{} samples seen / {} in a step", grouped(seen), grouped(w.global_batch)));
  add("Time to train", w.prediction.time_to_train.value, "s",
      to_text(Duration{w.prediction.time_to_train.value}),
      fmt::format("{} steps x {}", grouped(w.steps), to_text(w.run.parts.total)));
  add("Nodes", w.answer.nodes, "1",
      w.answer.spares > 0 ? with_spares(w.answer.nodes, w.answer.spares) : count_of(w.answer.nodes, "node"),
      "given by the scenario");  // `size` says how it found its own
  return rows;
}

}  // namespace rackcast
