#include "scenarios/launch/launch_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/frameworks/framework.hpp"
#include "models/networks/predicts_ahead.hpp"
#include "models/networks/workload.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/format/workload_choice.hpp"
#include "scenarios/plan/plan.hpp"
#include "scenarios/serving/service_result.hpp"
#include "scenarios/serving/token_server.hpp"
#include "scenarios/splits/split_search.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

/// An alias with a slash is the name under which the network is public.
std::string published_name(const std::string& model) {
  const auto name = find_workload(model);
  if (!name) return {};
  for (const WorkloadSummary& one : workload_list()) {
    if (one.name != *name) continue;
    const auto found = std::ranges::find_if(
        one.aliases, [](const std::string& alias) { return alias.find('/') != std::string::npos; });
    return found == one.aliases.end() ? std::string{} : *found;
  }
  return {};
}

/// Whether the scenario says on how many nodes it runs, and leaves nothing else to be chosen.
bool states_cluster(const Scenario& scenario) {
  return (scenario.cluster.nodes_given || !scenario.cluster.named.empty()) && !scenario.text.find("search");
}

Scenario chosen_scenario(const Scenario& asked, const Catalog& catalog, const RunControl& control) {
  Evaluator evaluator{catalog, control, asked};
  Scenario out = asked;
  // make_plan() writes the cluster, the storage and the splits of the choice into `out`.
  const PlanReport plan = make_plan(evaluator, asked, control, out);
  if (!plan.chosen)
    throw Error{"no cluster within the limits meets the goal, so there is nothing to start",
                asked.goal->where, "`rackcast size` says which limits are in the way", ErrorKind::infeasible};
  out.cluster.nodes = static_cast<int>(plan.chosen->nodes);
  return out;
}

/// Parts of a network that pretrain_gpt.py has no argument for; empty: it trains the network.
std::string not_of_gpt(const Workload& network) {
  if (!network.transformer) return "no transformer of equal layers";
  const TransformerShape& s = *network.transformer;
  if (!s.causal || s.mlm_head || s.token_types > 0 || s.post_norm) return "an encoder";
  if (s.mamba_layers > 0) return "a hybrid with state-space layers";
  if (s.shared_layers || s.embedding_width > 0) return "a network whose layers share weights";
  if (s.parallel_block) return "a network whose attention and MLP stand side by side";
  if (s.sandwich_norm) return "a network with norms behind attention and MLP";
  if (s.moe_latent > 0) return "a network whose experts work in another width";
  return {};
}

/// GPUs of the job as nodes with as many GPUs each, as torchrun starts them.
void set_machines(const ClusterSpec& cluster, int in_node, LaunchHead& out) {
  out.gpus_per_node = used_in_node(cluster, in_node);
  out.nodes = cluster.nodes;
  if (!cluster.gpus_per_job) return;
  const int job = std::min(*cluster.gpus_per_job, out.nodes * out.gpus_per_node);
  out.gpus_per_node = std::min(out.gpus_per_node, job);
  if (job % out.gpus_per_node != 0)
    throw Error{
        fmt::format("{} GPUs are no multiple of the {} of a node, and torchrun starts as many on each", job,
                    out.gpus_per_node),
        cluster.where, "another \"gpus_per_job\", or \"gpus_per_node\""};
  out.nodes = job / out.gpus_per_node;
}

/// With what the framework's recipes have where the scenario is silent, and with replicas and micro-batches.
Mesh launched_mesh(const WorkloadSpec& asked, const Workload& network, const GpuSpec& gpu, int gpus) {
  if (asked.parallelism) (void)on_gpus(*asked.parallelism, gpus);  // the sizes as asked, or an Error
  const WorkloadSpec sized = on_gpus(asked, network, gpus);
  Mesh out = sized.parallelism.value_or(Mesh{});
  if (!sized.parallelism) {
    if (sized.batch_per_gpu != std::floor(sized.batch_per_gpu) || sized.batch_per_gpu < 1)
      throw Error{fmt::format("{:g} sequences to a GPU are no micro-batch", sized.batch_per_gpu), sized.where,
                  "a whole \"batch_per_gpu\", or \"parallelism\" with \"context\""};
    out.micro_batch = sized.batch_per_gpu;
    out.micro_batches = sized.accumulation;
    out.recompute = sized.recompute;
  }
  out = on_gpus(out, gpus);
  const FrameworkProfile framework = framework_profile(software_of(asked, gpu));
  out.sequence_parallel = out.tensor > 1 && out.sequence_parallel.value_or(framework.sequence_parallel);
  if (!out.overlap_gradients) out.overlap_gradients = framework.overlaps_gradients || out.zero_stage >= 2;
  return out;
}

/// Megatron-LM trains experts beside tensor parallelism only with sequence parallelism (its moe_layer.py).
void divide_tokens(TrainingLaunch& out) {
  if (out.shape.experts == 0 || out.mesh.tensor == 1 || out.mesh.sequence_parallel == true) return;
  out.mesh.sequence_parallel = true;
  out.left_out.emplace_back(
      "the split without sequence parallelism: Megatron-LM trains experts beside tensor parallelism only "
      "with it");
}

/// Megatron-LM's distributed optimizer, which its FSDP needs as well, is for Adam (its distrib_optimizer.py).
void keep_states_whole(TrainingLaunch& out) {
  if (out.optimizer != Optimizer::momentum || out.mesh.zero_stage == 0) return;
  if (out.mesh.zero_stage >= 2)
    throw Error{"Megatron-LM shards gradients and weights with Adam only, and the optimizer is momentum",
                out.split_where, "\"zero_stage\": 0, or \"optimizer\": \"adam\""};
  out.mesh.zero_stage = out.mesh.shard_group = 0;
  out.left_out.emplace_back(
      "states of the optimizer sharded over replicas: Megatron-LM's distributed optimizer is for Adam, and "
      "this is momentum");
}

/// With the split that a search finds, if it is searched.
WorkloadSpec with_fitting_split(Evaluator& evaluator, const Question& q) {
  const auto choice = evaluator.split_choice(q);
  if (choice && !choice->fits())
    throw Error{fmt::format("no split of {} fits the memory of these GPUs, so there is nothing to start",
                            evaluator.workload(q.workload).title),
                q.workload.split_search->where, "`rackcast simulate` says what the smallest split needs",
                ErrorKind::infeasible};
  return evaluator.with_split(q).workload;
}

/// The place of the workload's "parallelism", or of the workload where the text does not have it there.
Where place_of_split(const Scenario& scenario, const WorkloadSpec& spec) {
  const Json* list = scenario.text.find("workloads");
  if (!list || list->kind() != JsonKind::array) return spec.where;
  for (const Json& one : list->array())
    if (one.kind() == JsonKind::object && one.where().pointer == spec.where.pointer)
      if (const Json* split = one.find("parallelism")) return split->where();
  return spec.where;
}

std::vector<std::string> left_out_of(const Scenario& scenario, const WorkloadSpec& spec, const Mesh& mesh) {
  std::vector<std::string> out;
  if (mesh.schedule != PipelineSchedule::one_f_one_b)
    out.push_back(
        fmt::format("the schedule {} of the pipeline: Megatron-LM runs 1F1B", to_string(mesh.schedule)));
  if (spec.adapters.rank > 0) out.emplace_back("low-rank adapters: pretrain_gpt.py trains all weights");
  if (!spec.exchange.empty()) out.emplace_back("the exchange of gradients, which is NCCL's all-reduce");
  if (!spec.updates) out.emplace_back("steps without an update");
  if (!scenario.cluster.stragglers.empty()) out.emplace_back("stragglers");
  return out;
}

}  // namespace

TrainingLaunch training_launch(const Json& text, const std::string& file, const Catalog& catalog,
                               const std::string& workload, const RunControl& control) {
  Scenario scenario = read_scenario(text, file);
  const NodesFrom from = states_cluster(scenario) ? NodesFrom::scenario
                         : scenario.goal          ? NodesFrom::size
                                                  : NodesFrom::nobody;
  scenario = resolve_clusters(std::move(scenario), catalog);
  if (from == NodesFrom::size) scenario = chosen_scenario(scenario, catalog, control);
  Evaluator evaluator{catalog, control, scenario};
  const WorkloadSpec spec =
      with_fitting_split(evaluator, question(scenario, workload_named(scenario, workload)));
  const Workload network = network_of(spec);
  if (const std::string why = not_of_gpt(network); !why.empty())
    throw Error{
        fmt::format("{} is {}, which Megatron-LM's pretrain_gpt.py does not train", network.title, why),
        spec.where, "this command writes launch files of language models"};
  if (spec.graph)
    throw Error{"a recorded step does not say how it was started", spec.where, "leave \"graph\" out"};

  const NodeFacts node = evaluator.node(scenario.cluster);
  TrainingLaunch out;
  out.scenario = scenario.name;
  out.network = network.title;
  out.published = published_name(spec.model);
  out.node = node.title;
  out.nodes_from = from;
  out.precision = spec.precision;
  set_machines(scenario.cluster, node.gpus, out);
  out.shape = *network.transformer;
  out.mesh = launched_mesh(spec, network, gpu_spec(catalog, node.gpu_id), out.nodes * out.gpus_per_node);
  out.split_where = place_of_split(scenario, spec);
  out.optimizer = optimizer_of(spec, network);
  out.samples = question(scenario, spec).samples * spec.epochs;
  out.left_out = left_out_of(scenario, spec, out.mesh);
  divide_tokens(out);
  keep_states_whole(out);
  return out;
}

ServingLaunch serving_launch(const Json& text, const std::string& file, const Catalog& catalog,
                             const RunControl& control) {
  const Scenario scenario = read_serving_scenario(text, file);
  const ServiceSpec& service = *scenario.serving;
  if (!service.tokens)
    throw Error{"a network that answers in one pass has no server of language models", service.model_where,
                "\"prompt\" and \"output\" say that it answers token by token"};
  const bool states = states_cluster(scenario);
  const ServiceResult result =
      states ? simulate_service(scenario, catalog) : size_service(scenario, catalog, control);
  const ServiceOption& option = result.chosen;
  const TokenServer* server = option.server ? option.server->tokens() : nullptr;
  if (!server || !server->refused().empty() || (!states && !option.feasible()))
    throw Error{"no node serves this load within the limits, so there is nothing to start", service.where,
                "`rackcast size` says which limits are in the way", ErrorKind::infeasible};
  const Workload network = load_workload(service.model);
  ServingLaunch out;
  out.scenario = scenario.name;
  out.network = network.title;
  out.published = published_name(service.model);
  out.node = option.server->title();
  out.nodes = states ? result.scenario.cluster.nodes : option.nodes();
  out.gpus_per_node = option.server->node().gpus;
  out.nodes_from = states ? NodesFrom::scenario : NodesFrom::size;
  out.precision = option.server->precision();
  if (const Json* framework = text.require("serving").find("framework"))
    out.server = framework->require("name").string();
  out.gpus_per_copy = server->gpus_per_copy();
  out.requests = server->most_in_flight();
  out.prompt = service.tokens->prompt;
  out.output = service.tokens->output;
  out.longest_context = network.transformer ? longest_context(*network.transformer) : 0;
  out.drafts = service.tokens->drafts;
  out.predicts_ahead = out.drafts > 0 && predicts_ahead(service.model);
  out.precision_where = service.precision_where;
  return out;
}

}  // namespace rackcast
