/// Figures of collective operations: time and bus bandwidth of one message.
#include <cmath>

#include "models/collectives/comm_model.hpp"
#include "models/step/straggler.hpp"
#include "scenarios/validation/cases/cluster_of_case.hpp"
#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

Collective operation_of(const ValidationCase& c) {
  const std::string name = text_in(c.workload.extra, "collective").value_or("all_reduce");
  for (const Collective op : {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather,
                              Collective::broadcast, Collective::all_to_all, Collective::send_recv}) {
    std::string known{to_string(op)};
    if (name == known) return op;
    std::erase(known, '_');
    if (name == known) return op;
  }
  throw Unpredictable{"collective \"" + name + "\" has no model"};
}

/// Where only the best rate is asked for, a message long enough to show it.
constexpr double long_message = 8e9;

Bytes payload_of(const ValidationCase& c) {
  auto bytes = number_in(c.workload.extra, "message_bytes");
  if (!bytes) bytes = number_in(c.workload.input, "bytes");
  if (bytes && !(*bytes > 0)) throw Unpredictable{"size of the message is not positive"};
  if (bytes) return Bytes{*bytes};
  if (c.metric == "busbw_gb_per_s") return Bytes{long_message};
  throw Unpredictable{"size of the message not stated", "message"};
}

std::string library_of(const ValidationCase& c) {
  const std::string library = text_in(c.workload.extra, "library").value_or(c.workload.framework);
  if (library == "openmpi") return "openmpi_cuda";
  if (library == "osu" || library == "osu-allreduce" || library == "baidu-ring-allreduce" || library == "mpi")
    return "mpi_cuda_aware";
  if (library == "gloo") return "gloo";
  return "nccl";
}

CommSpec comm_spec_of(const ValidationCase& c) {
  CommSpec spec;
  spec.transport = library_of(c);
  const Json& extra = c.workload.extra;
  const std::string algorithm = text_in(extra, "algorithm").value_or("");
  if (algorithm == "ring" || algorithm == "hierarchical") spec.algorithm = algorithm;
  spec.version =
      text_in(extra, "nccl").value_or(c.workload.framework == "nccl" ? c.workload.framework_version : "");
  if (text_in(extra, "transport") == "tcp") spec.stack = NetworkStack::tcp;
  spec.in_network = flag_in(extra, "in_network_reduction").value_or(true);
  return spec;
}

struct Measured {
  Duration time{0};
  Bytes payload{0};
  double bus = 1, log_sigma = 0;
};

Measured measured_run(PredictionContext& context, const ValidationCase& c) {
  const Cluster& cluster = context.cluster(c);
  CommModel comm{cluster, comm_spec_of(c)};
  Measured out;
  out.payload = payload_of(c);
  const Collective op = operation_of(c);
  out.time = comm.time(op, out.payload);
  out.bus = bus_factor(op, static_cast<int>(cluster.ranks.size()));
  out.log_sigma = comm.log_sigma(out.payload);
  return out;
}

}  // namespace

PredictedFigure predict_collective_time(PredictionContext& context, const ValidationCase& c) {
  const Measured run = measured_run(context, c);
  const double unit = c.metric == "collective_time_us" ? 1e6 : 1;
  return figure_of(run.time.base() * unit, run.log_sigma);
}

PredictedFigure predict_total_all_reduce(PredictionContext& context, const ValidationCase& c) {
  if (!c.workload.batch_per_gpu || !(*c.workload.batch_per_gpu > 0))
    throw Unpredictable{"batch per GPU not stated, so the number of steps is unknown"};
  const Cluster& cluster = context.cluster(c);
  const auto ranks = static_cast<double>(cluster.ranks.size());
  const double steps = length_of_run(c).all_samples() / (*c.workload.batch_per_gpu * ranks);
  CommModel comm{cluster, comm_spec_of(c)};
  constexpr double bytes = 4;  // of a gradient in fp32
  const Bytes payload{bytes * context.workload(c).parameters()};
  const Duration exchange = comm.time(Collective::all_reduce, payload);
  const double step = *c.workload.batch_per_gpu / predict_throughput(context, c).value;
  const double wait = step * step_jitter() * expected_maximum(ranks);
  return figure_of(steps * (exchange.base() + wait), comm.log_sigma(payload),
                   comm.slowest_part(Collective::all_reduce, payload));
}

PredictedFigure predict_bus_bandwidth(PredictionContext& context, const ValidationCase& c) {
  const Measured run = measured_run(context, c);
  return figure_of(run.bus * (run.payload / run.time).base() / 1e9, run.log_sigma);
}

PredictedFigure predict_peer_bandwidth(PredictionContext& context, const ValidationCase& c) {
  const Cluster& cluster = context.cluster(c);
  CommModel comm{cluster, {}};
  const Bytes payload{long_message};
  // Each way has links of its own.
  const double ways = c.metric == "p2p_bidirectional_gb_per_s" ? 2 : 1;
  const double rate = (payload / comm.time(Collective::send_recv, payload)).base() / 1e9;
  return figure_of(ways * rate, comm.log_sigma());
}

}  // namespace rackcast
