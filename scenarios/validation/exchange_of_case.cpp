#include "scenarios/validation/exchange_of_case.hpp"

#include <algorithm>

#include "scenarios/validation/predictor.hpp"

namespace rackcast {
namespace {

constexpr double mebi = 1024.0 * 1024;

struct Facts {
  std::string framework, sync, library, algorithm, transport, update, variables_on, reduce_on, kvstore;
};

Facts facts_of(const ValidationCase& c) {
  const Json& extra = c.workload.extra;
  const auto text = [&](std::string_view key) {
    return text_in(extra, key).value_or("");
  };
  Facts f{c.workload.framework, c.workload.gradient_sync, text("library"),
          text("algorithm"),    text("transport"),        text("variable_update"),
          text("variables_on"), text("reduce_on"),        text("kvstore")};
  std::ranges::transform(f.framework, f.framework.begin(), [](unsigned char ch) { return std::tolower(ch); });
  return f;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string algorithm_of(const std::string& name) {
  if (has(name, "torus")) return "torus_2d";
  if (has(name, "hierarchical") || name == "multi-ring") return "hierarchical";
  if (name == "halving-doubling") return "halving_doubling";
  if (name == "ring") return "ring";
  return "auto";
}

/// HOROVOD_FUSION_THRESHOLD, HOROVOD_CYCLE_TIME of Horovod 0.11 to 0.18; a tick's negotiation over MPI.
void horovod(ExchangeSpec& x) {
  x.bucket = Bytes{64 * mebi};
  x.cycle = Duration{5e-3};
  x.per_bucket = Duration{2e-4};
}

/// Variables on the host or the GPUs of one node, arrays by themselves: tf_cnn_benchmarks, KVStore.
void servers_in_node(ExchangeSpec& x, bool on_gpus) {
  x.strategy = ExchangeStrategy::parameter_server;
  x.bucket = Bytes{0};
  x.per_bucket = Duration{3e-5};
  x.servers.on_gpus = on_gpus;
  x.servers.count = on_gpus ? 0 : 1;
}

void servers_between_nodes(ExchangeSpec& x, const ValidationCase& c, const Facts& f) {
  x.strategy = ExchangeStrategy::parameter_server;
  x.bucket = Bytes{0};
  x.servers.count = static_cast<int>(number_in(c.workload.extra, "ps_servers").value_or(0));
  if (f.framework == "mxnet" || f.framework == "byteps") {
    // ps-lite over ZeroMQ; arrays above MXNET_KVSTORE_BIGARRAY_BOUND = 1e6 elements are cut over the servers.
    x.comm.transport = "sockets";
    x.servers.split = Bytes{4e6};
  } else {
    x.comm.transport = "grpc";
    x.comm.stack = NetworkStack::tcp;
    x.servers.sums_in_node = f.update == "distributed_replicated";
  }
}

void tensorflow(ExchangeSpec& x, const ValidationCase& c, const Facts& f, int nodes) {
  if (nodes > 1 &&
      (f.sync == "parameter-server" || has(f.update, "parameter_server") || has(f.update, "distributed")))
    return servers_between_nodes(x, c, f);
  if (f.sync == "parameter-server" || f.sync == "device-reduce")
    return servers_in_node(
        x, f.variables_on == "gpu" || f.sync == "device-reduce" || f.update == "distributed_replicated");
  // tf_cnn_benchmarks `replicated`: an NCCL operation for each gradient.
  if (f.update == "replicated") {
    x.bucket = Bytes{0};
    x.per_bucket = Duration{1e-4};
    return;
  }
  horovod(x);
}

void mxnet(ExchangeSpec& x, const ValidationCase& c, const Facts& f, int nodes) {
  if (f.sync == "horovod-allreduce") return horovod(x);
  // Ampere came when MXNet's recipes had left KVStore for Horovod between nodes.
  if (f.sync != "parameter-server" && nodes > 1 && c.system.gpu && !c.system.gpu->starts_with("v100") &&
      !c.system.gpu->starts_with("k80") && !c.system.gpu->starts_with("p100"))
    return horovod(x);
  if (nodes > 1 && f.sync != "nccl-allreduce" && f.sync != "mpi-allreduce")
    return servers_between_nodes(x, c, f);
  if (f.sync == "nccl-allreduce" || f.sync == "mpi-allreduce") {
    x.bucket = Bytes{4 * mebi};  // KVStore nccl batches small arrays
    return;
  }
  servers_in_node(x, f.kvstore != "local" && f.reduce_on != "cpu");
}

void set_library(ExchangeSpec& x, const Facts& f) {
  if (x.strategy == ExchangeStrategy::parameter_server) return;
  if (f.library == "mpi") x.comm.transport = f.reduce_on == "cpu" ? "mpi" : "mpi_cuda_aware";
  if (f.library == "baidu-ring-allreduce") x.comm.transport = "mpi_cuda_aware";
  if (x.comm.algorithm == "auto") x.comm.algorithm = algorithm_of(f.algorithm);
}

}  // namespace

ExchangeSpec exchange_of_case(const ValidationCase& c, int nodes) {
  const Facts f = facts_of(c);
  ExchangeSpec x;
  if (f.transport == "tcp" || f.transport == "ipoib") x.comm.stack = NetworkStack::tcp;
  const auto dtype = text_in(c.workload.extra, "gradient_dtype");
  if (dtype == "fp16" && c.workload.precision == "fp32") x.compression = "fp16";
  if (dtype == "fp32") x.gradient = Bytes{4};  // of master weights, in mixed precision too
  if (f.sync == "horovod-allreduce" && f.framework != "mxnet") {
    horovod(x);
  } else if (f.framework == "tensorflow") {
    tensorflow(x, c, f, nodes);
  } else if (f.framework == "mxnet" || f.framework == "byteps") {
    mxnet(x, c, f, nodes);
  } else if (f.framework == "chainer") {
    x.after_backward = true;  // ChainerMN packs all gradients after back-propagation
    x.bucket = Bytes{1e12};
    x.comm.algorithm = "hierarchical";
  } else if (f.library == "powerai-ddl") {
    x.bucket =
        Bytes{16 * mebi};  // Cho et al., arXiv:1708.02188: gradients leave while back-propagation goes on
  } else if (f.framework == "torch7" || (has(f.framework, "caffe") && f.framework != "caffe2")) {
    x.after_backward = true;
    x.bucket = Bytes{1e12};
  } else if (f.framework == "caffe2") {
    x.bucket = Bytes{0};
    x.per_bucket = Duration{3e-5};
    if (nodes > 1) x.comm.algorithm = "hierarchical";
  }
  set_library(x, f);
  return x;
}

}  // namespace rackcast
