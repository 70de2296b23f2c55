#include "scenarios/evaluate/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "models/data_path/input_path.hpp"
#include "models/data_path/preprocess.hpp"
#include "models/data_path/storage.hpp"
#include "models/frameworks/framework.hpp"
#include "models/gpu/cost.hpp"
#include "models/networks/workload.hpp"
#include "models/split/split_tables.hpp"
#include "scenarios/document/fields/answer.hpp"
#include "scenarios/evaluate/question_input.hpp"
#include "scenarios/format/workload_choice.hpp"
#include "scenarios/names/defaults.hpp"
#include "scenarios/names/exchange_choice.hpp"
#include "topologies/catalog/plain_name.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

namespace {

std::string place(const Where& w) {
  return w.line ? fmt::format("{}:{}:{}", w.file, w.line, w.column) : w.file;
}

/// As the catalogue has it.
template <class T>
Assumption known(doc::Reason what, const Known<T>& fact) {
  return {std::move(what), fact.source, fact.fact, trust_in(fact.confidence)};
}

void note_link(Ledger& ledger, const std::string& node, const LinkSpec& link, std::optional<int> ports = {}) {
  ledger.note(known(doc::Reason{"link_rate",
                                {{"node", node},
                                 {"link", plain_name(link.id)},
                                 {"rate_bytes_per_s", link.achievable.value.base()},
                                 {"ports", ports}}},
                    link.achievable));
}

/// From the scenario, or else what is usual, by a source.
Assumption stated(bool given, doc::Reason what, std::string usual, const Where& where) {
  return {std::move(what), given ? std::string{} : std::move(usual), place(where),
          given ? Trust::scenario : Trust::defaulted};
}

}  // namespace

void Ledger::note(Assumption assumption) {
  if (std::ranges::find(assumptions_, assumption.what, &Assumption::what) == assumptions_.end())
    assumptions_.push_back(std::move(assumption));
}

void Ledger::warn(doc::Reason warning) {
  if (std::ranges::find(warnings_, warning) == warnings_.end()) warnings_.push_back(std::move(warning));
}

void Ledger::note_node(const NodeSpec& node) {
  if (node.gpu_link) note_link(*this, node.name, *node.gpu_link);
  note_link(*this, node.name, node.pcie_link);
  if (node.nic_link) note_link(*this, node.name, *node.nic_link, node.nics);
  if (node.cpu_cores)
    note(known(doc::Reason{"node_cores", {{"node", node.name}, {"cores", node.cpu_cores->value}}},
               *node.cpu_cores));
  if (node.rack_units)
    note(known(doc::Reason{"node_units", {{"node", node.name}, {"units", node.rack_units->value}}},
               *node.rack_units));
  if (node.max_power)
    note(known(doc::Reason{"node_power", {{"node", node.name}, {"rated_w", node.max_power->value.base()}}},
               *node.max_power));
}

void Ledger::note_gpu(const GpuSpec& gpu, const GpuCostModel& model, const Workload& workload,
                      Precision precision) {
  const auto peak = [&](const char* code, const std::optional<Known<FlopRate>>& fact) {
    if (fact)
      note(known(doc::Reason{code, {{"gpu", gpu.name}, {"peak_flop_per_s", fact->value.base()}}}, *fact));
  };
  peak("fp32_peak", gpu.peak.fp32);
  peak("tensor_peak", gpu.peak.fp16_tensor);
  note(known(doc::Reason{"memory_bandwidth",
                         {{"gpu", gpu.name}, {"memory_bytes_per_s", gpu.memory_bandwidth.value.base()}}},
             gpu.memory_bandwidth));
  // The operator with the most arithmetic speaks for the network.
  const auto heaviest = std::ranges::max_element(workload.operators, {}, &Operator::forward_flop);
  const std::string donor =
      heaviest == workload.operators.end() ? std::string{} : model.borrowed_from(*heaviest, precision);
  const std::string fits = "fits in models/data/gpu_models";
  if (donor.empty())
    return note({doc::Reason{"kernel_efficiencies", {{"gpu", gpu.name}}}, fits, "", Trust::fit});
  note({doc::Reason{"kernel_efficiencies", {{"gpu", gpu.name}, {"donor", donor}}}, fits, "", Trust::fit});
  warn(doc::Reason{"borrowed_kernels",
                   {{"gpu", gpu.name}, {"family", to_string(heaviest->family)}, {"donor", donor}}});
}

void Ledger::note_stragglers(const StragglerSpec& s, const Where& where) {
  note({doc::Reason{"slow_nodes",
                    {{"nodes", s.group.nodes},
                     {"compute", s.group.compute},
                     {"network", s.group.network},
                     {"epochs", s.epochs}}},
        "", place(where), Trust::scenario});
}

void Ledger::note_workload(const WorkloadSpec& spec, const Workload& workload) {
  note({doc::Reason{"operators",
                    {{"workload", workload.title}, {"forward_flop", workload.forward_flop().base()}}},
        workload.source, "models/data/workloads", Trust::verified});
  const std::string& title = workload.title;
  note(stated(!spec.epochs_is_default, doc::Reason{"epochs", {{"workload", title}, {"epochs", spec.epochs}}},
              defaults::fleet_table_source, spec.where));
  if (const auto& batch = spec.global_batch) {
    const auto positive = [](double value) {
      return value > 0 ? std::optional{value} : std::nullopt;
    };
    note(stated(true,
                doc::Reason{"global_batch",
                            {{"workload", title},
                             {"samples", positive(batch->samples)},
                             {"tokens", batch->samples > 0 ? std::nullopt : positive(batch->tokens)}}},
                "", spec.where));
  }
  if (!spec.global_batch || !spec.batch_is_default)
    note(stated(!spec.batch_is_default,
                doc::Reason{"batch_per_gpu", {{"workload", title}, {"samples", spec.batch_per_gpu}}},
                "TensorFlow 1.x benchmark runs, 2017", spec.where));
  note(stated(
      !spec.precision_is_default,
      doc::Reason{"training_precision", {{"workload", title}, {"precision", to_string(spec.precision)}}},
      "single precision", spec.where));
}

void Ledger::note_tables(const WorkloadSpec& spec, const Workload& workload) {
  if (!has_split_tables(workload)) return;
  doc::Reason what =
      spec.tables == TablePlacement::copied
          ? doc::Reason{"tables_copied", {{"workload", workload.title}}}
          : doc::Reason{"tables_split",
                        {{"workload", workload.title}, {"tables_bytes", table_memory(workload).base()}}};
  note(stated(spec.tables.has_value(), std::move(what), "Naumov et al., arXiv 1906.00091, section 4",
              spec.where));
}

void Ledger::note_convergence(const WorkloadSpec& spec, const Workload& workload) {
  const ConvergenceSpec& c = *spec.convergence;
  note({doc::Reason{"epochs_by_batch",
                    {{"workload", workload.title},
                     {"critical_batch", c.law.critical_batch},
                     {"reference_batch", c.law.reference_batch},
                     {"staleness_penalty", c.law.staleness_penalty}}},
        "McCandlish et al., An Empirical Model of Large-Batch Training, arXiv 1812.06162, 2018; its "
        "numbers: " +
            (c.source.empty() ? std::string{"the scenario"} : c.source),
        place(c.where), Trust::low});
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
  note({doc::Reason{"framework_profile",
                    {{"profile", profile.title}, {"names_none", spec.framework.empty() && spec.parallelism}}},
        std::move(source), place(spec.where),
        taken || spec.framework.empty() || lacks_profile(spec) ? Trust::defaulted : Trust::fit});
  if (lacks_profile(spec))
    warn(doc::Reason{"unknown_framework", {{"framework", spec.framework}, {"profile", profile.title}}});
  if (const auto named = profile.networks.find(spec.model); named != profile.networks.end())
    note({doc::Reason{"network_of_framework", {{"name", spec.model}, {"network", named->second}}}, "",
          place(spec.where), Trust::scenario});
}

void Ledger::note_exchange(const WorkloadSpec& spec, const Workload& workload,
                           const FrameworkProfile& profile) {
  const doc::Reason::Fact name{"workload", workload.title};
  const auto exchange = [&](const std::string& one) {
    return doc::Reason{"gradient_exchange", {name, {"exchange", one}}};
  };
  const std::string settings = "models/data/exchanges.json, with the settings and their sources";
  if (!spec.exchange.empty() || profile.exchange == profile.exchange_between_nodes)
    return note(stated(!spec.exchange.empty(),
                       exchange(spec.exchange.empty() ? profile.exchange : spec.exchange), settings,
                       spec.where));
  note(stated(
      false,
      doc::Reason{"gradient_exchange",
                  {name, {"exchange", profile.exchange}, {"between_nodes", profile.exchange_between_nodes}}},
      settings, spec.where));
}

void Ledger::note_storage(const StorageFacts& s) {
  const Trust trust = s.from_memory ? Trust::memory : Trust::verified;
  note({doc::Reason{"array_read", {{"array", s.name}, {"read_bytes_per_s", s.read.base()}}}, s.read_source,
        s.read_fact, trust});
  if (s.capacity)
    note({doc::Reason{"array_capacity", {{"array", s.name}, {"capacity_bytes", s.capacity->base()}}},
          "capacity or raw sum of the drives", "storage/" + s.id, trust});
}

void Ledger::note_input(const InputContext& c, const InputPathFacts& host) {
  const InputOptions& in = c.question.input;
  if (c.workload.pixels > 0 && in.record == "jpeg" && in.decoder == Decoder::cpu) {
    note({doc::Reason{"image_decoding", {{"samples_per_s", host.decode_per_core.base()}}}, host.decode_source,
          "models/data/host/input_path.json", doc::value_of_word<Trust>(host.decode_confidence)});
  } else if (c.workload.pixels > 0 || in.record_given) {
    const RecordKind kind = record_kind(in.record);
    note({doc::Reason{"record_decoding",
                      {{"record", in.record},
                       {"of", kind.unit},
                       {"samples_per_s", kind.rate_per_core.base()},
                       {"reference", kind.reference}}},
          kind.source, "models/data/data_path/record_kinds.json",
          kind.from_memory ? Trust::memory : Trust::verified});
  }
  const bool decoded = c.workload.pixels > 0 || in.record_given;
  const std::string& node = c.node.name;
  if (decoded && in.decoder != Decoder::gpu_engine && cores_are_assumed(c)) {
    note({doc::Reason{"node_cores", {{"node", node}, {"cores", std::round(host_cores(c))}}},
          "lower quartile of the catalogue's nodes, by GPU", "models/data/host/input_path.json",
          Trust::defaulted});
    warn(doc::Reason{"assumed_cores", {{"node", node}, {"cores", host_cores(c)}}});
  }
  if (c.node.dram && in.page_cache)
    note(known(doc::Reason{"node_memory", {{"node", node}, {"memory_bytes", c.node.dram->value.base()}}},
               *c.node.dram));
  if (c.node.ssd && in.ssd_cache) {
    note(known(doc::Reason{"ssd_cache", {{"node", node}, {"ssd_bytes", c.node.ssd->value.base()}}},
               *c.node.ssd));
    if (c.node.ssd_read)
      note(known(
          doc::Reason{"ssd_read", {{"node", node}, {"read_bytes_per_s", c.node.ssd_read->value.base()}}},
          *c.node.ssd_read));
  }
  note(stated(in.where.line > 0,
              doc::Reason{"reading",
                          {{"order", to_string(in.order)},
                           {"sharding", to_string(in.sharding)},
                           {"records", to_string(in.format)}}},
              "shuffled packed records, a part drawn anew for each node and epoch", in.where));
}

}  // namespace rackcast
