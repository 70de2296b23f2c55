#include <string>
#include <utility>

#include "scenarios/answer/describe.hpp"
#include "scenarios/evaluate/evaluator.hpp"

namespace rackcast {

namespace {

doc::Reason data_rung(const DataSpec& d) {
  const double bytes = d.size.base();
  if (d.fleet && d.date)
    return doc::Reason{"data_by_date", {{"data_bytes", bytes}, {"after_s", d.date->base()}}};
  if (d.fleet)
    return doc::Reason{"data_of_fleet",
                       {{"data_bytes", bytes},
                        {"vehicles", d.fleet->vehicles},
                        {"each_bytes_per_s", d.fleet->capture_rate.base()},
                        {"recorded_s", d.fleet->recording_per_day.base()},
                        {"days", d.fleet->days},
                        {"kept", d.fleet->kept}}};
  if (d.learning)
    return doc::Reason{"data_of_learning",
                       {{"data_bytes", bytes},
                        {"error", d.learning->target},
                        {"a", d.learning->curve.a},
                        {"b", d.learning->curve.b},
                        {"c", d.learning->curve.c},
                        {"beyond", d.learning->needed.beyond}}};
  return doc::Reason{"data_given", {{"data_bytes", bytes}}};
}

}  // namespace

std::vector<doc::LadderRung> ladder(const Scenario& s, const WorkloadResult& w, Evaluator& evaluator) {
  std::vector<doc::LadderRung> rungs;
  const auto add = [&rungs](doc::Reason what, double value, std::string unit = "1") {
    rungs.push_back({std::move(what), value, std::move(unit)});
  };
  const DataSpec& d = s.data;
  add(data_rung(d), d.size.base(), "B");
  add(doc::Reason{"samples",
                  {{"samples", d.samples},
                   {"data_bytes", d.size.base()},
                   {"sample_bytes", d.bytes_per_sample.base()}}},
      d.samples);
  Question one = question(s, w.spec);
  one.cluster.nodes = w.answer.nodes;
  const double epochs = evaluator.epochs(one), seen = d.samples * epochs;
  if (w.spec.convergence) {
    const ConvergenceLaw& law = w.spec.convergence->law;
    const double stale = staleness_of(w.spec, w.global_batch);
    const bool penalty = stale > 0 && law.staleness_penalty;
    add(doc::Reason{"epochs_asked", {{"epochs", w.spec.epochs}, {"reference_batch", law.reference_batch}}},
        w.spec.epochs);
    add(doc::Reason{"epochs_after_law",
                    {{"epochs", epochs},
                     {"batch", w.global_batch},
                     {"critical_batch", law.critical_batch},
                     {"reference_batch", law.reference_batch},
                     {"staleness_penalty", penalty ? law.staleness_penalty : std::nullopt},
                     {"stale_steps", penalty ? std::optional{stale} : std::nullopt}}},
        epochs);
  }
  add(doc::Reason{"samples_seen", {{"samples", seen}, {"epochs", epochs}}}, seen);
  const Flop work = 3 * seen * w.forward_flop;
  add(doc::Reason{"arithmetic", {{"work_flop", work.base()}, {"forward_flop", w.forward_flop.base()}}},
      work.base(), "FLOP");
  one.cluster.nodes = 1;
  one.gpus = 1;
  const double rate = evaluator.run(one).samples_per_step / evaluator.run(one).parts.total.base();
  const double epochs_of_one = evaluator.epochs(one), time_of_one = d.samples * epochs_of_one / rate;
  add(doc::Reason{"time_on_one_gpu",
                  {{"time_s", time_of_one},
                   {"rate_per_s", rate},
                   {"split", w.spec.parallelism.has_value()},
                   {"epochs", w.spec.convergence ? std::optional{epochs_of_one} : std::nullopt}}},
      time_of_one, "s");
  add(w.batch.what, w.global_batch);
  add(doc::Reason{"steps", {{"steps", w.steps}, {"samples", seen}, {"batch", w.global_batch}}}, w.steps);
  const double time = w.prediction.time_to_train.value;
  add(doc::Reason{"time_to_train",
                  {{"time_s", time}, {"steps", w.steps}, {"step_s", w.run.parts.total.base()}}},
      time, "s");
  // `size` says how it found its own count.
  add(doc::Reason{"nodes", {{"how", "given"}, {"nodes", w.answer.nodes}, {"spares", w.answer.spares}}},
      w.answer.nodes);
  return rungs;
}

}  // namespace rackcast
