#include "scenarios/answer/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "models/frameworks/gpu_step.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/memory/memory.hpp"
#include "models/networks/workload.hpp"
#include "models/split/split_tables.hpp"
#include "models/split/split_training.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/global_batch.hpp"
#include "scenarios/format/parallelism.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/format/workload_choice.hpp"
#include "sim/base/error.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/fabrics/named_cluster.hpp"
#include "topologies/hardware/node_spec.hpp"

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
    Duration forward{0}, backward{0}, update{0};

    [[nodiscard]] Duration all() const { return forward + backward + update; }
  };
  std::map<std::string, Sums> families;
  for (const StepKernel& kernel : step.kernels) {
    Sums& sums = families[family_of(kernel)];
    (!kernel.op ? sums.update : kernel.pass == Pass::forward ? sums.forward : sums.backward) += kernel.time;
  }
  std::vector<std::pair<std::string, Sums>> sorted{families.begin(), families.end()};
  std::ranges::stable_sort(sorted, std::greater{}, [](const auto& row) { return row.second.all().base(); });
  TableDocument::Table table{
      "Kernel time by operator family",
      {{"family"}, {"forward", true}, {"backward", true}, {"update", true}, {"share of the step", true}},
      {}};
  const auto shown = [](Duration time) {
    return time > Duration{0} ? to_text(time) : std::string{};
  };
  for (const auto& [name, sums] : sorted) {
    table.rows.push_back({name, shown(sums.forward), shown(sums.backward), shown(sums.update),
                          fmt::format("{:.1f} %", 100 * (sums.all() / step.total))});
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
    table.rows.push_back({k->op ? k->op->name : "parameter update",
                          k->op ? std::string{to_string(k->pass)} : std::string{"update"},
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
  if (options.mesh) {
    add("buffers", to_text(use.buffers));
    add("waiting for sums over GPUs, and gaps", to_text(use.unusable));
  }
  add(options.mesh ? "driver, framework and communicators" : "driver and framework", to_text(use.reserve));
  add("in all", to_text(use.total()));
  add(fmt::format("{} has", gpu.name), to_text(available));
  add("verdict", use.total() <= available ? "fits" : "does not fit");
  if (options.mesh)
    add("odds that it fits", fmt::format("{:.0f} %", 100 * odds_of_fit(use.total(), available)));
  add(options.mesh ? "largest micro-batch that fits" : "largest batch that fits",
      grouped(largest_batch(workload, options, available)));
  if (!(use.tables > Bytes{0})) return table;
  const auto least = gpus_for_tables(workload, options, available);
  add("GPUs that the tables need at least",
      least ? fmt::format("{:.0f}", *least) : std::string{"the rest alone does not fit"});
  return table;
}

/// What a step of all GPUs waits for. `more_of(part)`: rows below that part.
template <class More>
TableDocument::Table parts_table(const TrainingRun& run, const More& more_of) {
  const StepParts& p = run.parts;
  TableDocument::Table table{
      fmt::format("The step on {} GPUs", run.ranks), {{"part"}, {"time", true}, {"share", true}}, {}};
  for (const StepPart& part : step_part_list) {
    const Duration time = p.*part.time;
    const bool shown = time > Duration{0} || (part.always && part.time != &StepParts::input_wait);
    if (shown) table.rows.push_back(share_row(std::string{part.name}, time, p.total));
    if (shown) more_of(part, table);
  }
  table.rows.push_back(share_row("in all", p.total, p.total));
  table.rows.push_back({"bound by " + run.binds, "", ""});
  return table;
}

/// The step on all GPUs of the scenario, with the vectors of split tables.
TableDocument::Table exchange_table(Evaluator& evaluator, const Question& q) {
  const TrainingRun& run = evaluator.run(q);
  const TableExchange exchange = evaluator.table_exchange(q);
  TableDocument::Table table = parts_table(run, [&](const StepPart& part, TableDocument::Table& rows) {
    if (part.time != &StepParts::table_exchange) return;
    rows.rows.back().front() += fmt::format(", {} of a GPU each way", to_text(exchange.vectors));
    if (!(exchange.between > Duration{0})) return;
    rows.rows.push_back(share_row("  of it inside nodes", exchange.inside, run.parts.total));
    rows.rows.push_back(
        share_row(fmt::format("  of it between nodes, {} from a node", to_text(exchange.sent_by_node)),
                  exchange.between, run.parts.total));
  });
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

using Tables = std::vector<TableDocument::Table>;

Tables kernel_tables(const StepTime& step, int top) {
  return {by_limit(step), by_family(step), top_operators(step, top)};
}

void add_tables(TableDocument& document, const std::string& head, Tables tables) {
  for (TableDocument::Table& table : tables) {
    table.caption = head + ": " + table.caption;
    document.tables.push_back(std::move(table));
  }
}

/// A network split over GPUs: a micro-batch on the stage that sets the pace, and the step of all.
void explain_split(Evaluator& evaluator, const Question& q, const FrameworkProfile& framework,
                   const GpuSpec& gpu, int top, TableDocument& document) {
  std::size_t number = 0;
  const StageKernels stage = evaluator.slowest_stage(q, &number);
  const TrainingRun& run = evaluator.run(q);
  const Workload& workload = evaluator.workload(q.workload);
  const Mesh& p = *q.workload.parallelism;
  const std::string head = fmt::format("{}, {}", workload.title, split_text(p));
  const std::string how =
      fmt::format("micro-batch {}, {}, {}", p.micro_batch, to_string(q.workload.precision), framework.title);
  add_tables(document, head, {parts_table(run, [](const StepPart&, TableDocument::Table&) {})});
  add_tables(document,
             p.pipeline > 1 ? fmt::format("{}, stage {}, {}", head, number + 1, how) : head + ", " + how,
             kernel_tables(stage.step, top));
  add_tables(document, head, {memory_table(workload, q.workload, gpu, framework, run.ranks)});
}

void explain_whole(Evaluator& evaluator, const Question& q, const FrameworkProfile& framework,
                   const NodeSpec& node, const GpuModelLibrary& kernels, int top, TableDocument& document) {
  const WorkloadSpec& spec = q.workload;
  const Workload& workload = evaluator.workload(spec);
  const bool split = spec.tables != TablePlacement::copied && has_split_tables(workload);
  const Workload local = split ? with_split_tables(workload) : workload;
  const GpuCostModel gpu = GpuCostModel::create(gpu_rates(node.gpu), framework.lowering(), kernels);
  StepOptions options;
  options.batch = spec.batch_per_gpu;
  options.precision = spec.precision;
  options.adam = optimizer_of(spec, workload) == Optimizer::adam;
  options.optimizer = spec.updates;
  Tables tables = kernel_tables(step_time(local, gpu, framework, options), top);
  const int ranks = q.gpus.value_or(q.cluster.nodes * used_in_node(q.cluster, node.gpus));
  tables.push_back(memory_table(workload, spec, node.gpu, framework, ranks));
  const bool fits = training_memory(workload, memory_options(spec, workload, framework, ranks)).total() <=
                    node.gpu.available_memory();
  if (split) tables.push_back(exchange_table(evaluator, q));
  add_tables(
      document,
      fmt::format("{}, batch {:.0f}, {}, {}{}", workload.title, options.batch, to_string(spec.precision),
                  framework.title, fits ? "" : ", as if it fitted the GPU's memory"),
      std::move(tables));
}

}  // namespace

std::string explain_step(const Scenario& scenario, const Catalog& catalog, std::string_view wanted, int top) {
  const ClusterSpec& cluster = scenario.cluster;
  const NodeSpec node =
      node_spec(catalog, with_ports({.node = cluster.node, .gpu = cluster.gpu}, cluster.fabric));
  GpuModelLibrary kernels = GpuModelLibrary::builtin();
  for (const Json& device : scenario.calibration.devices) kernels.add(device);
  Evaluator evaluator{catalog, {}, scenario};
  TableDocument document;
  document.title = fmt::format("One step on one {}", node.gpu.name);
  if (scenario.site && scenario.site->power.gpu_cap)
    document.title += fmt::format(", without its power cap of {}", to_text(*scenario.site->power.gpu_cap));
  document.subtitle = scenario.name;
  const int gpus = cluster.gpus_per_job.value_or(cluster.nodes * used_in_node(cluster, node.gpus));
  for (const WorkloadSpec& asked : scenario.workloads) {
    if (!wanted.empty() && wanted != asked.model) continue;
    if (const auto refusal = evaluator.precision_refusal(scenario.cluster, asked)) throw Error{*refusal};
    const FrameworkProfile framework = framework_profile(software_of(asked, node.gpu));
    if (asked.graph)
      throw Error{fmt::format("the step of {} is recorded, and its kernels have no model", asked.model),
                  asked.where, "`rackcast simulate --full` says where its time goes"};
    if (asked.parallelism) check_split(asked, gpus);
    const WorkloadSpec split = evaluator.with_split(question(scenario, asked)).workload;
    const Question q = question(scenario, on_gpus(split, evaluator.workload(asked), gpus));
    if (q.workload.parallelism) {
      explain_split(evaluator, q, framework, node.gpu, top, document);
    } else {
      explain_whole(evaluator, q, framework, node, kernels, top, document);
    }
  }
  if (document.tables.empty()) {
    std::string known;
    for (const WorkloadSpec& w : scenario.workloads) known += (known.empty() ? "" : ", ") + w.model;
    throw Error{fmt::format("the scenario has no workload \"{}\"", wanted), scenario.text.where(),
                "it has: " + known};
  }
  return document.json();
}

}  // namespace rackcast
