#include "scenarios/evaluate/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/data_path/input_path.hpp"
#include "models/data_path/preprocess.hpp"
#include "models/data_path/storage.hpp"
#include "models/frameworks/framework.hpp"
#include "models/gpu/cost.hpp"
#include "models/networks/workload.hpp"
#include "models/split/split_tables.hpp"
#include "scenarios/evaluate/question_input.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/names/defaults.hpp"
#include "scenarios/names/exchange_choice.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/catalog/plain_name.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

namespace {

std::string place(const Where& w) {
  return w.line ? fmt::format("{}:{}:{}", w.file, w.line, w.column) : w.file;
}

template <class T>
void note_known(Ledger& ledger, const std::string& name, std::string value, const Known<T>& known) {
  ledger.note({name, std::move(value), known.source, std::string(to_string(known.confidence)), known.fact});
}

void note_link(Ledger& ledger, const std::string& owner, const LinkSpec& link) {
  note_known(ledger, fmt::format("{}: {} per direction, achievable", owner, plain_name(link.id)),
             to_text(link.achievable.value), link.achievable);
}

}  // namespace

void Ledger::note(Assumption assumption) {
  if (seen_.insert(assumption.name + "=" + assumption.value).second)
    assumptions_.push_back(std::move(assumption));
}

void Ledger::warn(doc::Reason warning) {
  if (std::ranges::find(warnings_, warning) == warnings_.end()) warnings_.push_back(std::move(warning));
}

void Ledger::note_node(const NodeSpec& node) {
  if (node.gpu_link) note_link(*this, node.name, *node.gpu_link);
  note_link(*this, node.name, node.pcie_link);
  if (node.nic_link)
    note_link(*this, fmt::format("{}: {}", node.name, count_of(node.nics, "port")), *node.nic_link);
  if (node.cpu_cores) {
    note_known(*this, node.name + ": CPU cores", fmt::format("{}", node.cpu_cores->value), *node.cpu_cores);
  }
  if (node.rack_units) {
    note_known(*this, node.name + ": rack units", fmt::format("{:g}", node.rack_units->value),
               *node.rack_units);
  }
  if (node.max_power) {
    note_known(*this, node.name + ": rated power", to_text(node.max_power->value), *node.max_power);
  }
}

void Ledger::note_gpu(const GpuSpec& gpu, const GpuCostModel& model, const Workload& workload,
                      Precision precision) {
  if (gpu.peak.fp32)
    note_known(*this, gpu.name + ": fp32 peak", to_text(gpu.peak.fp32->value), *gpu.peak.fp32);
  if (gpu.peak.fp16_tensor) {
    note_known(*this, gpu.name + ": tensor-core peak", to_text(gpu.peak.fp16_tensor->value),
               *gpu.peak.fp16_tensor);
  }
  note_known(*this, gpu.name + ": memory bandwidth", to_text(gpu.memory_bandwidth.value),
             gpu.memory_bandwidth);
  // The operator with the most arithmetic speaks for the network.
  const auto heaviest = std::ranges::max_element(workload.operators, {}, &Operator::forward_flop);
  const std::string donor =
      heaviest == workload.operators.end() ? std::string{} : model.borrowed_from(*heaviest, precision);
  note({gpu.name + ": kernel efficiencies",
        donor.empty() ? "fitted on measured kernels of its architecture" : "borrowed from " + donor,
        "fits in models/data/gpu_models", "fit", ""});
  if (!donor.empty()) {
    warn(doc::Reason{"borrowed_kernels",
                     {{"gpu", gpu.name}, {"family", to_string(heaviest->family)}, {"donor", donor}}});
  }
}

void Ledger::note_stragglers(const StragglerSpec& s, const Where& where) {
  note({fmt::format("{} slow {}", s.group.nodes, s.group.nodes == 1 ? "node" : "nodes"),
        fmt::format("compute x {:g}, network x {:g}, {}", s.group.compute, s.group.network,
                    s.epochs ? fmt::format("the last {:g} epochs", *s.epochs) : "always"),
        "the scenario", "scenario", place(where)});
}

void Ledger::note_workload(const WorkloadSpec& spec, const Workload& workload) {
  note({workload.title + ": operators",
        fmt::format("{} forward per sample", to_text(workload.forward_flop())), workload.source, "verified",
        "models/data/workloads"});
  const auto input = [&](const char* name, std::string value, bool is_default, const char* source) {
    note({fmt::format("{}: {}", workload.title, name), std::move(value), is_default ? source : "the scenario",
          is_default ? "default" : "scenario", place(spec.where)});
  };
  input("epochs", fmt::format("{:g}", spec.epochs), spec.epochs_is_default, defaults::fleet_table_source);
  if (spec.global_batch)
    input("global batch",
          spec.global_batch->samples > 0 ? grouped(spec.global_batch->samples) + " samples"
                                         : grouped(spec.global_batch->tokens) + " tokens",
          false, "");
  if (!spec.global_batch || !spec.batch_is_default)
    input("batch per GPU", fmt::format("{:g}", spec.batch_per_gpu), spec.batch_is_default,
          "TensorFlow 1.x benchmark runs, 2017");
  input("precision", std::string(to_string(spec.precision)), spec.precision_is_default, "single precision");
}

void Ledger::note_tables(const WorkloadSpec& spec, const Workload& workload) {
  if (!has_split_tables(workload)) return;
  const bool copied = spec.tables == TablePlacement::copied;
  note({workload.title + ": large tables",
        copied ? "whole on every GPU, gradients reduced like others"
               : fmt::format("{} split over the GPUs, vectors exchanged, sparse gradients",
                             to_text(table_memory(workload))),
        spec.tables ? "the scenario" : "Naumov et al., arXiv 1906.00091, section 4",
        spec.tables ? "scenario" : "default", place(spec.where)});
}

void Ledger::note_convergence(const WorkloadSpec& spec, const Workload& workload) {
  const ConvergenceSpec& c = *spec.convergence;
  std::string value = fmt::format("samples x (1 + B/{0:g}) / (1 + {1:g}/{0:g}), B the global batch",
                                  c.law.critical_batch, c.law.reference_batch);
  if (c.law.staleness_penalty)
    value += fmt::format("; x (1 + {:g} x steps of staleness)", *c.law.staleness_penalty);
  note({workload.title + ": convergence law (weakest link)", std::move(value),
        "McCandlish et al., An Empirical Model of Large-Batch Training, arXiv 1812.06162, 2018; its "
        "numbers: " +
            (c.source.empty() ? std::string{"the scenario"} : c.source),
        "low", place(c.where)});
  warn(doc::Reason{"convergence_law", {{"workload", workload.title}}});
  if (!c.law.staleness_penalty && staleness_steps(exchange_named(spec.exchange)) > 0)
    warn(doc::Reason{"stale_gradients", {{"workload", workload.title}}});
}

void Ledger::note_framework(const WorkloadSpec& spec, const std::string& version,
                            const FrameworkProfile& profile) {
  const bool taken = !spec.framework.empty() && version != spec.framework_version &&
                     version != "NGC " + spec.framework_version;
  std::string source = "models/data/frameworks, fitted on the cases named there";
  if (taken) source += "; version " + version + ", of the GPU's first years";
  if (spec.framework.empty() && spec.parallelism)
    source += "; the scenario names none, and trainers like it split networks over GPUs";
  note({"Framework overheads", profile.title, std::move(source),
        taken || spec.framework.empty() ? "default" : "fit", place(spec.where)});
  if (!spec.framework.empty() && spec.framework != "generic" &&
      profile.title == framework_profile(FrameworkQuery{.name = "generic"}).title)
    warn(doc::Reason{"unknown_framework", {{"framework", spec.framework}}});
  if (const auto named = profile.networks.find(spec.model); named != profile.networks.end())
    note({spec.model + ": network", spec.model,
          fmt::format("the scenario; the framework's own scripts run {} under this name", named->second),
          "scenario", place(spec.where)});
}

void Ledger::note_exchange(const WorkloadSpec& spec, const Workload& workload,
                           const FrameworkProfile& profile) {
  const std::string name = workload.title + ": exchange of gradients";
  if (!spec.exchange.empty())
    return note({name, spec.exchange, "the scenario", "scenario", place(spec.where)});
  const bool same = profile.exchange == profile.exchange_between_nodes;
  note({name,
        same
            ? profile.exchange
            : fmt::format("{} in a node, {} between nodes", profile.exchange, profile.exchange_between_nodes),
        "what the framework does by itself; models/data/exchanges.json has the settings and their sources",
        "default", place(spec.where)});
}

void Ledger::note_storage(const StorageFacts& s) {
  note({s.name + ": read rate of one", to_text(s.read), s.read_source, s.from_memory ? "memory" : "verified",
        s.read_fact});
  if (s.capacity) {
    note({s.name + ": capacity of one", to_text(*s.capacity), "capacity or raw sum of the drives",
          s.from_memory ? "memory" : "verified", "storage/" + s.id});
  }
}

void Ledger::note_input(const InputContext& c, const InputPathFacts& host) {
  const InputOptions& in = c.question.input;
  if (c.workload.pixels > 0 && in.record == "jpeg" && in.decoder == Decoder::cpu) {
    note({"Image decoding and augmentation per CPU core",
          fmt::format("{:g} samples/s", host.decode_per_core.base()), host.decode_source,
          host.decode_confidence, "models/data/host/input_path.json"});
  } else if (c.workload.pixels > 0 || in.record_given) {
    const RecordKind kind = record_kind(in.record);
    note({fmt::format("Decoding of {} per CPU core", in.record),
          fmt::format("{:g} samples/s at {:g} {}", kind.rate_per_core.base(), kind.reference, kind.unit),
          kind.source, kind.from_memory ? "memory" : "verified", "models/data/data_path/record_kinds.json"});
  }
  const bool decoded = c.workload.pixels > 0 || in.record_given;
  if (decoded && in.decoder != Decoder::gpu_engine && cores_are_assumed(c)) {
    note({c.node.name + ": CPU cores", fmt::format("{:.0f} CPU cores in a node", host_cores(c)),
          "lower quartile of the catalogue's nodes, by GPU", "default", "models/data/host/input_path.json"});
    warn(doc::Reason{"assumed_cores", {{"node", c.node.name}, {"cores", host_cores(c)}}});
  }
  if (c.node.dram && in.page_cache) {
    note_known(*this, c.node.name + ": DRAM, of which the page cache takes what the job leaves",
               to_text(c.node.dram->value), *c.node.dram);
  }
  if (c.node.ssd && in.ssd_cache) {
    note_known(*this, c.node.name + ": local SSD cache", to_text(c.node.ssd->value), *c.node.ssd);
    if (c.node.ssd_read)
      note_known(*this, c.node.name + ": local SSD read rate", to_text(c.node.ssd_read->value),
                 *c.node.ssd_read);
  }
  note({"Reading order and sharding",
        fmt::format("{}, {} parts, {} records", to_string(in.order), to_string(in.sharding),
                    to_string(in.format)),
        in.where.line ? "the scenario" : "shuffled packed records, a part drawn anew for each node and epoch",
        in.where.line ? "scenario" : "default", place(in.where)});
}

}  // namespace rackcast
