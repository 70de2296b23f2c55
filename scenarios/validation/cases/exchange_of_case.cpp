#include "scenarios/validation/cases/exchange_of_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/exchange/exchange_methods.hpp"
#include "models/frameworks/framework.hpp"
#include "scenarios/names/exchange_choice.hpp"
#include "sim/base/lower_case.hpp"

namespace rackcast {
namespace {

using ScenarioDocument = nlohmann::ordered_json;

/// A method by name, and what is laid over it.
struct Stated {
  std::string method;
  ScenarioDocument members = ScenarioDocument::object();

  [[nodiscard]] ExchangeSpec spec() const { return exchange_method(method); }
  [[nodiscard]] bool reduces() const { return spec().strategy == ExchangeStrategy::all_reduce; }
};

struct Facts {
  std::string framework, sync, library, algorithm, transport, update, variables_on, reduce_on, kvstore,
      gradient;
};

Facts facts_of(const ValidationCase& c) {
  const Json& extra = c.workload.extra;
  const auto text = [&](std::string_view key) {
    return text_in(extra, key).value_or("");
  };
  Facts f{c.workload.framework, c.workload.gradient_sync, text("library"),      text("algorithm"),
          text("transport"),    text("variable_update"),  text("variables_on"), text("reduce_on"),
          text("kvstore"),      text("gradient_dtype")};
  f.framework = lower_case(f.framework);
  return f;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool is_byteps(const Facts& f) {
  return f.framework == "byteps" || f.library == "byteps";
}

std::string algorithm_of(const std::string& name) {
  if (has(name, "torus")) return "torus_2d";
  if (has(name, "hierarchical") || name == "multi-ring") return "hierarchical";
  if (name == "halving-doubling") return "halving_doubling";
  if (name == "ring") return "ring";
  return "auto";
}

/// Parameter servers of several nodes, as many as the case says.
Stated servers_between_nodes(const ValidationCase& c, const Facts& f) {
  Stated x{f.framework == "mxnet" ? "ps_lite" : is_byteps(f) ? "byteps" : "grpc_servers"};
  if (f.framework == "mxnet") x.members["sums_on_gpu"] = has(f.kvstore, "device");
  if (const auto servers = number_in(c.workload.extra, "ps_servers"); servers && *servers >= 1)
    x.members["servers"] = static_cast<int>(*servers);
  if (f.update == "distributed_replicated") x.members["sums_in_node"] = true;
  return x;
}

Stated tensorflow(const ValidationCase& c, const Facts& f, int nodes, const std::string& usual) {
  const bool servers = f.sync == "parameter-server" || has(f.update, "parameter_server");
  if (nodes > 1 && (servers || has(f.update, "distributed"))) return servers_between_nodes(c, f);
  if (f.sync == "device-reduce") return {"servers_on_gpus"};
  if (f.sync == "parameter-server") {
    const bool on_gpus = f.variables_on == "gpu" || f.update == "distributed_replicated";
    return {on_gpus ? "servers_on_gpus" : "servers_on_host"};
  }
  if (f.update != "replicated") return {usual};
  return {c.workload.data == "real" ? "all_reduce_each_fed" : "all_reduce_each"};
}

/// NVIDIA's configurations of MLPerf from 2021 on: one group with 8 and 128 nodes, more with one and two
/// (models/data/exchanges.json). Where between them it changes was chosen with judged times in view
/// (docs/decisions/exchange_rules.md).
Stated recent_horovod(int nodes) {
  return {nodes >= 8 ? "horovod_one_group" : "horovod_groups"};
}

Stated mxnet(const ValidationCase& c, const Facts& f, int nodes, const std::string& usual) {
  const bool horovod = nodes > 1 && usual.starts_with("horovod");
  if (f.sync == "horovod-allreduce") return {"horovod_groups"};
  if (f.sync == "nccl-allreduce" || f.sync == "mpi-allreduce") {
    // What the recipes of 2021 and later call NCCL between nodes is Horovod's.
    return horovod ? recent_horovod(nodes) : Stated{"kvstore_nccl"};
  }
  // A distributed store goes through its servers on one node as well.
  if (nodes > 1 || f.kvstore.starts_with("dist"))
    return horovod && f.sync != "parameter-server" ? recent_horovod(nodes) : servers_between_nodes(c, f);
  return {f.kvstore == "local" || f.reduce_on == "cpu" ? "servers_on_host" : usual};
}

/// BERT of NVIDIA/DeepLearningExamples on TensorFlow: its scripts turn XLA on unless told otherwise, whose
/// clusters hand gradients to Horovod when they end (issue 156 there), and since the container of 19.08
/// optimization.py sends those of mixed precision in 16 bits.
bool is_ngc_bert(const ValidationCase& c, const Facts& f) {
  return f.framework == "tensorflow" && has(c.workload.framework_version, "NGC") &&
         c.workload.model.starts_with("bert");
}

/// The method; what follows from it is added to the facts.
Stated method_of(const ValidationCase& c, Facts& f, int nodes, const std::string& usual) {
  if (f.framework == "mxnet" || f.framework == "byteps") return mxnet(c, f, nodes, usual);
  if (is_byteps(f) && f.sync == "parameter-server" && nodes > 1) return servers_between_nodes(c, f);
  if (f.sync == "horovod-allreduce") {
    const bool clusters = flag_in(c.workload.extra, "xla").value_or(is_ngc_bert(c, f));
    const bool narrow = c.workload.precision == "mixed" && !has(c.workload.framework_version, "19.03");
    if (is_ngc_bert(c, f) && narrow && f.gradient.empty()) f.gradient = "fp16";
    return {clusters ? "horovod_after_backward" : "horovod"};
  }
  if (f.library == "powerai-ddl") return {"powerai_ddl"};
  if (f.framework == "tensorflow") return tensorflow(c, f, nodes, usual);
  if (usual == "chainermn" && f.gradient == "fp16") {
    // Whatever a later paper calls the algorithm: no other communicator sends 16 bits.
    f.algorithm = "ring";
    return {"chainermn_nccl"};
  }
  return {usual};
}

void set_library(Stated& x, const Facts& f) {
  if (!x.reduces()) return;
  if (f.library == "mpi") x.members["transport"] = f.reduce_on == "cpu" ? "mpi" : "mpi_cuda_aware";
  if (f.library == "baidu-ring-allreduce") x.members["transport"] = "mpi_cuda_aware";
  if (const std::string algorithm = algorithm_of(f.algorithm);
      x.spec().comm.algorithm == "auto" && algorithm != "auto")
    x.members["algorithm"] = algorithm;
}

/// Replicas of a split network sum their gradients, whatever the framework does with a whole one: what is
/// left is the library.
ScenarioDocument library_alone(const std::string& exchange) {
  const CommSpec comm = exchange_named(exchange).comm, usual;
  ScenarioDocument out = ScenarioDocument::object();
  if (comm.algorithm != usual.algorithm) out["algorithm"] = comm.algorithm;
  if (comm.transport != usual.transport) out["transport"] = comm.transport;
  if (comm.stack != usual.stack) out["stack"] = comm.stack == NetworkStack::tcp ? "tcp" : "rdma";
  if (comm.version != usual.version) out["nccl"] = comm.version;
  if (comm.in_network != usual.in_network) out["in_network"] = comm.in_network;
  return out.empty() ? ScenarioDocument{} : out;
}

}  // namespace

bool over_sockets(const ValidationCase& c) {
  const auto stated = text_in(c.workload.extra, "transport");
  if (stated) return *stated == "tcp" || *stated == "ipoib";
  constexpr std::array<std::string_view, 5> ports{"gbe10", "gbe25", "gbe40", "gbe50", "gbe100"};
  const std::string link = text_in(c.system.fabric, "link").value_or(""),
                    note = text_in(c.system.fabric, "note").value_or("");
  const bool rdma = has(note, "RoCE") || has(note, "EFA") || has(note, "RDMA");
  const std::string& sync = c.workload.gradient_sync;
  return std::ranges::find(ports, link) != ports.end() && !rdma &&
         (sync == "nccl-allreduce" || sync == "horovod-allreduce");
}

nlohmann::ordered_json exchange_document(const ValidationCase& c, const FrameworkProfile& profile, int nodes,
                                         bool split) {
  Facts f = facts_of(c);
  const std::string& usual = nodes > 1 ? profile.exchange_between_nodes : profile.exchange;
  Stated x = method_of(c, f, nodes, usual);
  if (!flag_in(c.workload.extra, "overlap").value_or(true)) {
    x.members["after_backward"] = true;
    if (x.reduces())  // in one piece
      x.members["bucket"] = fmt::format("{} B", exchange_method("after_backward").bucket.base());
  } else if (x.reduces() &&
             has(text_in(c.workload.extra, "bucketing").value_or(""), "one all-reduce per tensor")) {
    x.members["bucket"] = "0 B";
  }
  if (nodes > 1 ? over_sockets(c) : f.transport == "tcp" || f.transport == "ipoib")
    x.members["stack"] = "tcp";
  if (f.gradient == "fp16") x.members["compression"] = "fp16";
  if (f.gradient == "fp32") x.members["gradient"] = "4 B";  // of master weights, in mixed precision too
  if (const auto release = text_in(c.workload.extra, "nccl")) x.members["nccl"] = *release;
  set_library(x, f);
  ScenarioDocument out = x.method;
  if (!x.members.empty()) {
    out = {{"method", x.method}};
    out.update(x.members);
  }
  if (split) return library_alone(x.members.empty() ? x.method : out.dump());
  if (x.members.empty() && x.method == usual) return {};  // what the framework does by itself
  return out;
}

ExchangeSpec exchange_of_case(const ValidationCase& c, const FrameworkProfile& profile, int nodes) {
  const ScenarioDocument out = exchange_document(c, profile, nodes, false);
  if (out.is_null()) return exchange_on("", profile, nodes);
  return exchange_on(out.is_string() ? out.get<std::string>() : out.dump(), profile, nodes);
}

}  // namespace rackcast
