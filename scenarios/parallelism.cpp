#include "scenarios/parallelism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "models/framework.hpp"
#include "models/split_tables.hpp"
#include "models/split_training.hpp"
#include "scenarios/scenario.hpp"
#include "sim/error.hpp"

namespace rackcast {

std::string ParallelSpec::key() const {
  return fmt::format("{}x{}x{}/{}/{}/{}x{}/{}", tensor, pipeline, interleave, expert, zero_stage, micro_batch,
                     micro_batches, recompute);
}

namespace {

TablePlacement read_tables(const Json& json) {
  const std::string& word = json.string();
  if (word == "split") return TablePlacement::split;
  if (word == "copied") return TablePlacement::copied;
  json.fail("unknown placement of tables \"" + word + "\"", "\"split\" or \"copied\"");
}

}  // namespace

ParallelSpec read_parallelism(const Json& json) {
  ObjectReader in{json};
  ParallelSpec p;
  if (const Json* tables = in.find("tables")) {
    p.tables = read_tables(*tables);
    if (json.object().size() > 1)
      tables->fail("the tables of a recommender are not split together with the layers of a transformer",
                   "leave the other members of \"parallelism\" out");
    in.finish();
    return p;
  }
  const auto count = [&in](std::string_view key, int most) {
    return static_cast<int>(in.integer_or(key, 1, 1, most));
  };
  p.tensor = count("tensor", 1024);
  p.pipeline = count("pipeline", 1024);
  p.interleave = count("interleave", 256);
  p.expert = count("expert", 4096);
  p.micro_batch = count("micro_batch", 1'000'000);
  p.micro_batches = count("micro_batches", 1'000'000);
  p.zero_stage = static_cast<int>(in.integer_or("zero_stage", 0, 0, 3));
  p.recompute = in.boolean_or("recompute", false);
  if (p.interleave > 1 && p.pipeline == 1)
    in.require("interleave")
        .fail("parts of the network are interleaved in a pipeline only", "\"pipeline\": 2 or more");
  if (p.zero_stage >= 2 && p.pipeline > 1)
    in.require("zero_stage")
        .fail("gradients or weights sharded over replicas of a pipeline have no model",
              "\"zero_stage\": 1, or no pipeline");
  if (p.zero_stage >= 2 && p.expert > 1)
    in.require("zero_stage")
        .fail("gradients or weights sharded over replicas beside experts split over GPUs have no model",
              "\"zero_stage\": 1, or no \"expert\"");
  in.finish();
  return p;
}

void check_split(const WorkloadSpec& workload, int ranks) {
  if (!workload.parallelism) return;
  const ParallelSpec& p = *workload.parallelism;
  if (ranks % p.ways() != 0)
    throw Error{
        fmt::format("{} GPUs are no multiple of {} x {}, tensor x pipeline", ranks, p.tensor, p.pipeline),
        workload.where, "choose nodes, tensor or pipeline so that they are"};
  if (ranks / p.pipeline % p.expert != 0)
    throw Error{fmt::format("the {} GPUs of a stage are no multiple of the {} that share experts",
                            ranks / p.pipeline, p.expert),
                workload.where, "choose nodes, pipeline or expert so that they are"};
}

int split_unit(const WorkloadSpec& workload) {
  if (!workload.parallelism) return 1;
  const ParallelSpec& p = *workload.parallelism;
  return p.pipeline * std::lcm(p.tensor, p.expert);
}

ParallelSpec fitting(ParallelSpec p, int ranks) {
  while (p.pipeline > 1 && ranks % p.ways() != 0) --p.pipeline;
  while (p.tensor > 1 && ranks % p.ways() != 0) p.tensor /= 2;
  if (p.pipeline == 1) p.interleave = 1;
  while (p.expert > 1 && ranks / p.pipeline % p.expert != 0) p.expert /= 2;
  return p;
}

SplitSpec split_spec(const WorkloadSpec& workload, int ranks) {
  const ParallelSpec p = fitting(*workload.parallelism, ranks);
  SplitSpec out;
  out.tensor = p.tensor;
  out.pipeline = p.pipeline;
  out.interleave = p.interleave;
  out.expert = p.expert;
  out.zero_stage = p.zero_stage;
  out.micro_batch = p.micro_batch;
  out.micro_batches = p.micro_batches;
  out.precision = workload.precision;
  out.recompute = p.recompute;
  return out;
}

MemoryOptions memory_options(const WorkloadSpec& asked, const Workload& workload,
                             const FrameworkProfile& framework, int ranks) {
  const WorkloadSpec spec = on_gpus(asked, workload, ranks);
  MemoryOptions out;
  out.batch = spec.batch_per_gpu;
  out.precision = spec.precision;
  out.optimizer = usual_optimizer(workload);
  out.workspace = framework.workspace;
  out.fused_attention = framework.attention != AttentionKernel::unfused;
  if (spec.tables != TablePlacement::copied && has_split_tables(workload)) out.table_ways = ranks;
  if (!spec.parallelism) return out;
  const ParallelSpec p = fitting(*spec.parallelism, ranks);
  out.batch = p.micro_batch;
  out.optimizer = Optimizer::adam;
  out.ways = p.ways();
  if (p.expert > 1) out.expert_ways = static_cast<double>(p.pipeline) * p.expert;
  // 1F1B keeps as many micro-batches as there are stages, of its own layers.
  out.kept_micro_batches = std::min(p.pipeline, p.micro_batches);
  out.recompute = p.recompute;
  out.zero_stage = p.zero_stage;
  out.replicas = std::max(1.0, static_cast<double>(ranks) / p.ways());
  return out;
}

}  // namespace rackcast
