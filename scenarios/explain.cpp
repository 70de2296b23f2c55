#include "scenarios/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "models/gpu_rates_of.hpp"
#include "models/gpu_step.hpp"
#include "models/memory.hpp"
#include "models/split_tables.hpp"
#include "models/workload.hpp"
#include "scenarios/describe.hpp"
#include "scenarios/evaluator.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/workload_choice.hpp"
#include "sim/error.hpp"
#include "sim/quantity_text.hpp"
#include "sim/table_document.hpp"
#include "topologies/node_spec.hpp"

namespace rackcast {

namespace {

/// "12.3 ms" and "45 %" for a part of the step.
std::vector<std::string> share_row(std::string name, Duration part, Duration total) {
  return {std::move(name), to_text(part), fmt::format("{:.1f} %", 100 * (part / total))};
}

std::string family_of(const StepKernel& kernel) {
  return kernel.op ? std::string{to_string(kernel.op->family)} : "parameter update";
}

TableDocument::Table by_family(const StepTime& step) {
  struct Sums {
    Duration forward{0}, backward{0};
  };
  std::map<std::string, Sums> families;
  for (const StepKernel& kernel : step.kernels) {
    Sums& sums = families[family_of(kernel)];
    (kernel.pass == Pass::forward ? sums.forward : sums.backward) += kernel.time;
  }
  std::vector<std::pair<std::string, Sums>> sorted{families.begin(), families.end()};
  std::ranges::stable_sort(sorted, std::greater{},
                           [](const auto& row) { return (row.second.forward + row.second.backward).base(); });
  TableDocument::Table table{"Kernel time by operator family",
                             {{"family"}, {"forward", true}, {"backward", true}, {"share of the step", true}},
                             {}};
  for (const auto& [name, sums] : sorted) {
    table.rows.push_back({name, to_text(sums.forward), to_text(sums.backward),
                          fmt::format("{:.1f} %", 100 * ((sums.forward + sums.backward) / step.total))});
  }
  return table;
}

TableDocument::Table by_limit(const StepTime& step) {
  std::map<KernelCost::Limit, Duration> limits;
  for (const StepKernel& kernel : step.kernels) limits[kernel.limit] += kernel.time;
  TableDocument::Table table{"The step by what limits it", {{"limit"}, {"time", true}, {"share", true}}, {}};
  table.rows.push_back(share_row("arithmetic", limits[KernelCost::Limit::compute], step.total));
  table.rows.push_back(share_row("memory bandwidth", limits[KernelCost::Limit::memory], step.total));
  table.rows.push_back(share_row("kernel launch", limits[KernelCost::Limit::launch], step.total));
  table.rows.push_back(share_row("GPU waits for the host", step.total - step.gpu_busy, step.total));
  table.rows.push_back(share_row("in all", step.total, step.total));
  return table;
}

TableDocument::Table top_operators(const StepTime& step, int top) {
  std::vector<const StepKernel*> kernels;
  for (const StepKernel& kernel : step.kernels) kernels.push_back(&kernel);
  std::ranges::stable_sort(kernels, std::greater{}, [](const StepKernel* k) { return k->time.base(); });
  kernels.resize(std::min(kernels.size(), static_cast<std::size_t>(top)));
  TableDocument::Table table{
      "The longest kernels", {{"operator"}, {"pass"}, {"limit"}, {"time", true}, {"share", true}}, {}};
  for (const StepKernel* k : kernels) {
    table.rows.push_back({k->op ? k->op->name : "parameter update", std::string{to_string(k->pass)},
                          std::string{to_string(k->limit)}, to_text(k->time),
                          fmt::format("{:.1f} %", 100 * (k->time / step.total))});
  }
  return table;
}

TableDocument::Table memory_table(const Workload& workload, const WorkloadSpec& spec, const GpuSpec& gpu,
                                  const FrameworkProfile& framework, int ranks) {
  const MemoryOptions options = memory_options(spec, workload, framework, ranks);
  const MemoryUse use = training_memory(workload, options);
  const Bytes available = gpu.available_memory();
  TableDocument::Table table{"Device memory", {{"part"}, {"size", true}}, {}};
  const auto add = [&table](std::string part, std::string size) {
    table.rows.push_back({std::move(part), std::move(size)});
  };
  add("weights", to_text(use.weights));
  add("gradients", to_text(use.gradients));
  add(options.optimizer == Optimizer::adam ? "optimizer state (Adam)" : "optimizer state (momentum)",
      to_text(use.optimizer));
  if (use.tables > Bytes{0})
    add(fmt::format("tables, one of {:.0f} parts", options.table_ways), to_text(use.tables));
  add("activations", to_text(use.activations));
  add("convolution workspace", to_text(use.workspace));
  add("driver and framework", to_text(use.reserve));
  add("in all", to_text(use.total()));
  add(fmt::format("{} has", gpu.name), to_text(available));
  add("verdict", use.total() <= available ? "fits" : "does not fit");
  add("largest batch that fits", fmt::format("{:.0f}", largest_batch(workload, options, available)));
  if (!(use.tables > Bytes{0})) return table;
  const auto least = gpus_for_tables(workload, options, available);
  add("GPUs that the tables need at least",
      least ? fmt::format("{:.0f}", *least) : std::string{"the rest alone does not fit"});
  return table;
}

/// The step on all GPUs of the scenario, with the vectors of split tables.
TableDocument::Table exchange_table(Evaluator& evaluator, const Scenario& scenario,
                                    const WorkloadSpec& spec) {
  const Question q = question(scenario, spec);
  const TrainingRun& run = evaluator.run(q);
  const TableExchange exchange = evaluator.table_exchange(q);
  const StepParts& p = run.parts;
  TableDocument::Table table{
      fmt::format("The step on {} GPUs", run.ranks), {{"part"}, {"time", true}, {"share", true}}, {}};
  if (p.input_wait > Duration{0}) table.rows.push_back(share_row("waiting for input", p.input_wait, p.total));
  table.rows.push_back(share_row("forward", p.forward, p.total));
  table.rows.push_back(share_row("backward", p.backward, p.total));
  if (p.straggler_wait > Duration{0})
    table.rows.push_back(share_row("waiting for stragglers", p.straggler_wait, p.total));
  table.rows.push_back(share_row("all-reduce, exposed", p.exchange_wait, p.total));
  table.rows.push_back(
      share_row(fmt::format("exchange of table vectors, {} of a GPU each way", to_text(exchange.vectors)),
                p.table_exchange, p.total));
  if (exchange.between > Duration{0}) {
    table.rows.push_back(share_row("  of it inside nodes", exchange.inside, p.total));
    table.rows.push_back(
        share_row(fmt::format("  of it between nodes, {} from a node", to_text(exchange.sent_by_node)),
                  exchange.between, p.total));
  }
  table.rows.push_back(share_row("optimizer", p.optimizer, p.total));
  table.rows.push_back(share_row("in all", p.total, p.total));
  table.rows.push_back({"bound by " + run.binds, "", ""});
  if (q.storage.array == "none" || !(q.failures || q.input.checkpoint_every > Duration{0})) return table;
  const auto input = evaluator.input(q);
  if (!input || !(input->checkpoint > Bytes{0})) return table;
  const WriteCost& writes = input->writes;
  table.rows.push_back(
      {fmt::format("behind steps: a checkpoint of {}, {} of the busiest of {} nodes",
                   to_text(input->checkpoint), to_text(writes.busiest * input->checkpoint), writes.writers),
       to_text(writes.write), ""});
  return table;
}

}  // namespace

std::string explain_step(const Scenario& scenario, const Catalog& catalog, std::string_view wanted, int top) {
  const NodeSpec node =
      node_spec(catalog, NodeChoice{.node = scenario.cluster.node, .gpu = scenario.cluster.gpu});
  GpuModelLibrary kernels = GpuModelLibrary::builtin();
  for (const Json& device : scenario.calibration.devices) kernels.add(device);
  Evaluator evaluator{catalog, {}, scenario.calibration};
  TableDocument document;
  document.title = fmt::format("One step on one {}", node.gpu.name);
  document.subtitle = scenario.name;
  const int gpus = scenario.cluster.gpus_per_job.value_or(scenario.cluster.nodes * node.gpus);
  for (const WorkloadSpec& asked : scenario.workloads) {
    if (!wanted.empty() && wanted != asked.model) continue;
    if (const auto refusal = evaluator.precision_refusal(scenario.cluster, asked)) throw Error{*refusal};
    const Workload workload = network_of(asked);
    const WorkloadSpec spec = on_gpus(asked, workload, gpus);
    const bool split = spec.tables != TablePlacement::copied && has_split_tables(workload);
    const Workload local = split ? with_split_tables(workload) : workload;
    const FrameworkProfile framework = framework_profile(software_of(spec, node.gpu));
    const GpuCostModel gpu = GpuCostModel::create(gpu_rates(node.gpu), framework.lowering(), kernels);
    StepOptions options;
    options.batch = spec.parallelism ? spec.parallelism->micro_batch : spec.batch_per_gpu;
    options.precision = spec.precision;
    options.adam = usual_optimizer(workload) == Optimizer::adam;
    options.recompute = spec.parallelism && spec.parallelism->recompute;
    const StepTime step = step_time(local, gpu, framework, options);
    // A split network as one GPU would do it, one micro-batch; but its memory is that of the split.
    const std::string head = fmt::format("{}, {} {:.0f}, {}, {}: ", workload.title,
                                         spec.parallelism ? "unsplit, micro-batch" : "batch", options.batch,
                                         to_string(spec.precision), framework.title);
    std::vector<TableDocument::Table> tables = {by_limit(step), by_family(step), top_operators(step, top),
                                                memory_table(workload, spec, node.gpu, framework, gpus)};
    if (split) tables.push_back(exchange_table(evaluator, scenario, spec));
    for (TableDocument::Table& table : tables) {
      table.caption = head + table.caption;
      document.tables.push_back(std::move(table));
    }
  }
  if (document.tables.empty()) {
    throw Error{fmt::format("the scenario has no workload \"{}\"", wanted), scenario.text.where()};
  }
  return document.json();
}

}  // namespace rackcast
