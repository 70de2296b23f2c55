#include "models/split/mesh.hpp"

#include <fmt/format.h>

#include <numeric>

#include "sim/base/error.hpp"

namespace rackcast {

Mesh on_gpus(Mesh mesh, int gpus) {
  if (mesh.tensor < 1 || mesh.pipeline < 1 || mesh.context < 1 || gpus % mesh.gpus() != 0) {
    const bool context = mesh.context > 1;
    throw Error{fmt::format("{} GPUs are no multiple of {} x {}{}, tensor x pipeline{}", gpus, mesh.tensor,
                            mesh.pipeline, context ? fmt::format(" x {}", mesh.context) : std::string{},
                            context ? " x context" : ""),
                {},
                fmt::format("choose nodes, tensor{} pipeline{} so that they are", context ? "," : " or",
                            context ? " or context" : "")};
  }
  mesh.data = gpus / mesh.gpus();
  if (mesh.expert < 1 || mesh.stage_gpus() % mesh.expert != 0)
    throw Error{fmt::format("the {} GPUs of a stage are no multiple of the {} that share experts",
                            mesh.stage_gpus(), mesh.expert),
                {},
                "choose nodes, pipeline or expert so that they are"};
  if (mesh.shard_group < 0 || (mesh.shard_group > 0 && mesh.copies() % mesh.shard_group != 0))
    throw Error{fmt::format("the {} GPUs with the same weights are no multiple of the {} of a shard group",
                            mesh.copies(), mesh.shard_group),
                {},
                "choose nodes or shard_group so that they are"};
  return mesh;
}

Mesh fitting(Mesh mesh, int gpus) {
  const bool both_ways = mesh.schedule == PipelineSchedule::dualpipe;
  while (mesh.pipeline > 1 && (gpus % mesh.gpus() != 0 || (both_ways && mesh.pipeline % 2 != 0)))
    --mesh.pipeline;
  while (mesh.context > 1 && gpus % mesh.gpus() != 0) mesh.context /= 2;
  while (mesh.tensor > 1 && gpus % mesh.gpus() != 0) mesh.tensor /= 2;
  if (mesh.pipeline == 1) {
    mesh.interleave = 1;
    mesh.schedule = PipelineSchedule::one_f_one_b;
  }
  mesh.data = gpus / mesh.gpus();
  while (mesh.expert > 1 && mesh.stage_gpus() % mesh.expert != 0) mesh.expert /= 2;
  if (mesh.shard_group > 0) mesh.shard_group = std::gcd(mesh.shard_group, mesh.copies());
  return mesh;
}

int gpu_unit(const Mesh& mesh) {
  const int replica = std::lcm(mesh.tensor * mesh.context, mesh.expert);
  return mesh.pipeline * std::lcm(replica, mesh.tensor * std::max(1, mesh.shard_group));
}

std::string split_text(const Mesh& mesh) {
  std::string out = fmt::format("tensor {} x pipeline {}", mesh.tensor, mesh.pipeline);
  if (mesh.interleave > 1) out += fmt::format(" in {} parts", mesh.interleave);
  if (mesh.schedule != PipelineSchedule::one_f_one_b)
    out += fmt::format(", schedule {}", to_string(mesh.schedule));
  if (mesh.context > 1) out += fmt::format(", context {}", mesh.context);
  if (mesh.expert > 1) out += fmt::format(", {} GPUs to the experts", mesh.expert);
  if (mesh.shard_group > 0) out += fmt::format(", shards over {} GPUs", mesh.shard_group);
  return out;
}

std::string recipe_text(const Mesh& mesh) {
  std::string out = split_text(mesh) + fmt::format(", micro-batch {:g}", mesh.micro_batch);
  if (mesh.zero_stage > 0) out += fmt::format(", ZeRO {}", mesh.zero_stage);
  if (mesh.recompute != Recomputation::none)
    out += fmt::format(", {} recomputation", to_string(mesh.recompute));
  return out;
}

}  // namespace rackcast
