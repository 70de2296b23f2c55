#include "scenarios/evaluate/single_gpu.hpp"

namespace rackcast {

Question on_one_gpu(const Question& question) {
  Question single = question;
  single.cluster.nodes = 1;
  single.cluster.fabric.choice.gang.clear();
  single.cluster.stragglers.clear();
  single.gpus = 1;
  return single;
}

double work_of_gpu(const Question& question, const TrainingRun& whole, const TrainingRun& alone) {
  if (!question.workload.parallelism) return 1;
  return whole.samples_per_step / whole.ranks / alone.samples_per_step;
}

}  // namespace rackcast
