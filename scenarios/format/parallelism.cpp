#include "scenarios/format/parallelism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "models/frameworks/framework.hpp"
#include "models/split/split_tables.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/format/workload_choice.hpp"
#include "scenarios/names/exchange_choice.hpp"
#include "scenarios/names/graph_spec.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

namespace {

TablePlacement read_tables(const Json& json) {
  const std::string& word = json.string();
  if (word == "split") return TablePlacement::split;
  if (word == "copied") return TablePlacement::copied;
  json.fail("unknown placement of tables \"" + word + "\"", "\"split\" or \"copied\"");
}

void read_gathering(ObjectReader& in, Mesh& p) {
  constexpr std::array<std::string_view, 2> ways{"layers", "tensors"};
  if (!in.has("gather")) return;
  p.gathers_tensors = in.choice("gather", ways) == 1;
  if (p.zero_stage < 3)
    in.require("gather").fail("weights that are not sharded are not gathered", "\"zero_stage\": 3");
}

}  // namespace

Recomputation read_recomputation(const Json& json) {
  if (json.kind() == JsonKind::boolean) return json.boolean() ? Recomputation::full : Recomputation::none;
  const auto* found = std::ranges::find(recomputation_names, json.string());
  if (found == recomputation_names.end())
    json.fail("unknown recomputation \"" + json.string() + "\"", "one of " + name_list(recomputation_names));
  return static_cast<Recomputation>(found - recomputation_names.begin());
}

namespace {

PipelineSchedule read_schedule(const Json& json, const Mesh& p, bool any_pipeline) {
  std::vector<std::string_view> names;
  for (const PipelineSchedule schedule : pipeline_schedules) {
    names.push_back(to_string(schedule));
    if (to_string(schedule) != json.string()) continue;
    if (schedule != PipelineSchedule::one_f_one_b && p.interleave > 1)
      json.fail("only the schedule 1F1B has interleaved parts", "leave \"interleave\" out");
    if (schedule != PipelineSchedule::one_f_one_b && p.pipeline == 1 && !any_pipeline)
      json.fail("there is no pipeline to have a schedule", "\"pipeline\": 2 or more");
    return schedule;
  }
  json.fail("unknown schedule \"" + json.string() + "\"", "one of " + name_list(names));
}

/// What DualPipe asks of the other members.
void check_both_ways(const Json& schedule, const Mesh& p, bool any_pipeline) {
  if (p.pipeline % 2 != 0 && !any_pipeline)
    schedule.fail(fmt::format("DualPipe goes through {} stages from both ends: an even number", p.pipeline),
                  "\"pipeline\": 2, 4, 6, ...");
  if (p.zero_stage >= 2)
    schedule.fail("gradients or weights sharded over replicas beside DualPipe have no model",
                  "\"zero_stage\": 0 or 1");
}

/// `any_pipeline`: a search chooses the number of stages.
Mesh read_mesh(ObjectReader& in, bool any_pipeline) {
  const Json& json = in.json();
  Mesh p;
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
  p.context = count("context", 1024);
  p.expert = count("expert", 4096);
  p.micro_batch = count("micro_batch", 1'000'000);
  p.micro_batches = count("micro_batches", 1'000'000);
  p.zero_stage = static_cast<int>(in.integer_or("zero_stage", 0, 0, 3));
  if (const Json* recompute = in.find("recompute")) p.recompute = read_recomputation(*recompute);
  read_gathering(in, p);
  if (in.has("sequence_parallel")) p.sequence_parallel = in.boolean_or("sequence_parallel", true);
  if (p.interleave > 1 && p.pipeline == 1 && !any_pipeline)
    in.require("interleave")
        .fail("parts of the network are interleaved in a pipeline only", "\"pipeline\": 2 or more");
  if (const Json* schedule = in.find("schedule")) {
    p.schedule = read_schedule(*schedule, p, any_pipeline);
    if (p.schedule == PipelineSchedule::dualpipe) check_both_ways(*schedule, p, any_pipeline);
  }
  if (in.has("overlap_gradients")) p.overlap_gradients = in.boolean_or("overlap_gradients", false);
  if (p.zero_stage >= 2 && p.overlap_gradients)
    in.require("overlap_gradients")
        .fail("sharded gradients always leave layer by layer", "leave it out, or \"zero_stage\": 0 or 1");
  if (const Json* group = in.find("shard_group")) {
    p.shard_group = static_cast<int>(in.integer("shard_group", 2, 1'000'000));
    if (p.zero_stage == 0)
      group->fail("nothing is sharded over the GPUs of a shard group", "\"zero_stage\": 1, 2 or 3");
    if (p.expert > 1)
      group->fail("shard groups beside experts split over GPUs have no model",
                  "leave \"shard_group\" or \"expert\" out");
  }
  if (p.zero_stage >= 2 && p.expert > 1)
    in.require("zero_stage")
        .fail("gradients or weights sharded over replicas beside experts split over GPUs have no model",
              "\"zero_stage\": 1, or no \"expert\"");
  in.finish();
  return p;
}

/// The members beside "auto", which is true.
void read_searched(const Json& json, WorkloadSpec& out) {
  ObjectReader in{json};
  const Json& word = in.require("auto");
  if (word.kind() != JsonKind::boolean || !word.boolean())
    word.fail("\"auto\" is true or left out", "without it the members say the whole split");
  for (const char* other : {"micro_batches", "tables"})
    if (const Json* found = in.find(other))
      found->fail(fmt::format("a search over splits has no \"{}\"", other),
                  other[0] == 'm' ? "\"global_batch\" of the workload gives their number"
                                  : "leave \"auto\" out: tables have no other split");
  AutoSplit search;
  search.where = json.where();
  for (std::size_t i = 0; i < search.fixed.size(); ++i)
    if (const Json* found = in.find(split_key_names.at(i))) search.fixed.at(i) = found->where();
  out.parallelism = read_mesh(in, !search.fixes(SplitKey::pipeline));
  out.split_search = std::make_shared<const AutoSplit>(std::move(search));
}

}  // namespace

Mesh read_parallelism(const Json& json) {
  if (json.kind() == JsonKind::string || json.find("auto"))
    json.fail("only \"parallelism\" of a workload searches its split",
              "list splits, such as {\"tensor\": 8}");
  ObjectReader in{json};
  return read_mesh(in, false);
}

namespace {

/// What means something else, or nothing, for a network that is split over GPUs.
void refuse_with_split(ObjectReader& in, const WorkloadSpec& workload) {
  if (const Json* batch = in.find("batch_per_gpu"))
    batch->fail("a network split over GPUs has no batch of one GPU",
                workload.split_search
                    ? "write \"global_batch\" instead: the search finds what each GPU takes"
                    : "write \"micro_batch\" and \"micro_batches\" of a replica in \"parallelism\"");
  const ExchangeSpec exchange = exchange_named(workload.exchange);
  if (exchange.strategy != ExchangeStrategy::all_reduce || exchange.compression != "none")
    in.require("exchange").fail("replicas of a split network exchange gradients by all-reduce, uncompressed");
}

void read_split_of(const Json& json, WorkloadSpec& out) {
  if (json.kind() == JsonKind::string) {
    if (json.string() != "auto")
      json.fail("unknown split \"" + json.string() + "\"",
                R"("auto", or an object such as {"tensor": 8, "pipeline": 4})");
    out.parallelism = Mesh{};
    AutoSplit search;
    search.where = json.where();
    out.split_search = std::make_shared<const AutoSplit>(std::move(search));
    return;
  }
  if (json.kind() == JsonKind::object && json.find("auto")) {
    read_searched(json, out);
    return;
  }
  const Mesh spec = read_parallelism(json);
  out.tables = spec.tables;
  if (!spec.tables) out.parallelism = spec;
}

}  // namespace

void read_workload_split(ObjectReader& in, WorkloadSpec& workload) {
  const Json* split = in.find("parallelism");
  if (split) read_split_of(*split, workload);
  if (!split || !workload.parallelism) return;
  refuse_with_split(in, workload);
  if (workload.split_search && !workload.global_batch)
    split->fail("a search over splits needs the batch of all GPUs, which every split keeps",
                R"(add "global_batch": 1024 beside it, or "global_batch": {"tokens": 4194304})");
  if (workload.global_batch && split->kind() == JsonKind::object && split->find("micro_batches"))
    throw Error{"the global batch gives the number of micro-batches", workload.global_batch->where,
                "leave \"micro_batches\" out of \"parallelism\", or \"global_batch\""};
  workload.batch_per_gpu = workload.parallelism->batch() / workload.parallelism->gpus();
  workload.batch_is_default = false;
}

void refuse_listed_splits(const WorkloadSpec& workload) {
  if (workload.split_search)
    throw Error{"the search lists splits, and this workload has its own searched",
                workload.split_search->where, "leave \"auto\" out, or \"parallelism\" of \"search\""};
}

void check_micro_batches(const Mesh& mesh, double micro_batches, const Where& where) {
  if (takes_micro_batches(mesh.schedule, mesh.pipeline, micro_batches)) return;
  throw Error{
      fmt::format("DualPipe takes an even number of micro-batches in a step, at least two for each of "
                  "{} stages, and there are {:g}",
                  mesh.pipeline, micro_batches),
      where,
      fmt::format("\"micro_batches\" of {} or more, or a global batch of so many for each replica",
                  2 * mesh.pipeline)};
}

void check_split(const WorkloadSpec& workload, int ranks) {
  if (workload.graph && !takes_gpus(*workload.graph, ranks))
    throw Error{
        fmt::format("the recorded step is of {} ranks that do not all exchange with all, and the job has "
                    "{} GPUs",
                    workload.graph->step.world, ranks),
        workload.graph->where, "\"nodes\" or \"gpus_per_job\" of \"cluster\" say how many it has"};
  if (!workload.parallelism || workload.split_search) return;  // a search finds what divides them
  try {
    const Mesh mesh = on_gpus(*workload.parallelism, ranks);
    if (!workload.global_batch) check_micro_batches(mesh, mesh.micro_batches, workload.where);
  } catch (const Error& e) {
    throw Error{e.message(), workload.where, e.hint()};
  }
}

int split_unit(const WorkloadSpec& workload) {
  if (workload.graph && !workload.graph->data_parallel) return workload.graph->step.world;
  return workload.parallelism ? gpu_unit(*workload.parallelism) : 1;
}

MemoryOptions memory_options(const WorkloadSpec& asked, const Workload& workload,
                             const FrameworkProfile& framework, int ranks) {
  const WorkloadSpec spec = on_gpus(asked, workload, ranks);
  MemoryOptions out;
  out.batch = spec.batch_per_gpu;
  out.precision = spec.precision;
  out.optimizer = optimizer_of(spec, workload);
  out.workspace = framework.workspace;
  out.fused_attention = framework.attention != AttentionKernel::unfused;
  if (spec.tables != TablePlacement::copied && has_split_tables(workload)) out.table_ways = ranks;
  out.trainer = framework.memory;
  if (!spec.parallelism) return out;
  const Mesh p = fitting(*spec.parallelism, ranks);
  out.optimizer = spec.optimizer.value_or(Optimizer::adam);
  out.mesh = p;
  out.mesh->sequence_parallel = p.sequence_parallel.value_or(framework.sequence_parallel);
  out.wide_gradients = framework.gradient_sums != GradientSums::in_place &&
                       spec.precision != Precision::mixed && spec.precision != Precision::fp16;
  return out;
}

}  // namespace rackcast
