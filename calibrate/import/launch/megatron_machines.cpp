/// Nodes and GPUs of a run of Megatron-LM, from the options of torchrun, NeMo, #SBATCH and srun.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calibrate/import/launch/megatron_args.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

/// Commands inside of a job may take fewer nodes than the job has, so that #SBATCH counts before srun.
constexpr std::array<std::string_view, 6> node_options{"nnodes",      "num-nodes", "#SBATCH --nodes",
                                                       "#SBATCH --N", "nodes",     "N"};
constexpr std::array<std::string_view, 8> gpu_options{
    "nproc-per-node", "devices", "#SBATCH --gpus-per-node",   "#SBATCH --gres",
    "gpus-per-node",  "gres",    "#SBATCH --ntasks-per-node", "ntasks-per-node"};

/// Slurm's "gpu:h100:8(S:0-1),nvme:1" or "h100:8" as "8"; empty where it counts no GPUs.
std::string_view gpus_of_slurm(std::string_view text, bool named) {
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view entry = text.substr(0, comma);
    text.remove_prefix(std::min(text.size(), comma + 1));
    if (named && entry != "gpu" && !entry.starts_with("gpu:")) continue;
    if (entry == "gpu") return "1";
    entry = entry.substr(0, entry.find('('));
    return entry.substr(entry.rfind(':') + 1);
  }
  return {};
}

struct MachineCount {
  std::int64_t number = 0;
  bool assumed = false;
};

/// Nothing for a variable of the job, and for a word such as "auto" or "2:4".
std::optional<MachineCount> machine_count(const MegatronArguments& in, std::string_view name,
                                          std::int64_t most) {
  const LaunchArgument* argument = in.list().find(name);
  if (!argument || (!argument->values.empty() && argument->values.front().unknown)) return std::nullopt;
  if (argument->values.empty()) return MachineCount{in.list().count(name, 1, most).value_or(0)};  // throws
  const ArgumentWord& value = argument->values.front();
  std::string_view text = value.text;
  const bool gres = name.ends_with("gres"), slurm = gres || name.ends_with("gpus-per-node");
  if (slurm) text = gpus_of_slurm(text, gres);
  const bool plain = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  if (!plain && !text.starts_with('-')) return std::nullopt;
  if (!slurm || text == value.text)
    return MachineCount{in.list().count(name, 1, most).value_or(0), value.is_default};
  const double number = to_number(text).value_or(0);
  if (!(number >= 1 && number <= static_cast<double>(most)))
    in.list().fail(name,
                   fmt::format("{} GPUs in {}, but there must be between 1 and {}", in_quotes(text),
                               in_quotes(value.text), most),
                   "for example gpu:8");
  return MachineCount{static_cast<std::int64_t>(number), value.is_default};
}

struct Contradiction {
  std::string_view at;  ///< an option of the file
  std::string message, hint;
};

std::optional<Contradiction> contradiction_of(const MegatronArguments& in, const Mesh& mesh,
                                              const Machines& machines) {
  const std::int64_t gpus = machines.gpus(),
                     replica = std::int64_t{mesh.tensor} * mesh.pipeline * mesh.context;
  if (gpus % replica != 0)
    return Contradiction{machines.nodes_option,
                         fmt::format("{} GPUs are no multiple of the {} of a copy of the network ({})", gpus,
                                     replica, split_text(mesh)),
                         fmt::format("{} GPUs, or a smaller split", (gpus / replica + 1) * replica)};
  if ((gpus / mesh.pipeline) % mesh.expert != 0)
    return Contradiction{"expert-model-parallel-size",
                         fmt::format("the {} GPUs of a stage are no multiple of the {} that share experts",
                                     gpus / mesh.pipeline, mesh.expert),
                         "a divisor of the GPUs of a stage"};
  const std::int64_t copies = in.count("num-distributed-optimizer-instances", 1, 1'000'000).value_or(1),
                     same = gpus / (mesh.tensor * mesh.pipeline);
  if (mesh.zero_stage > 0 && same % copies != 0)
    return Contradiction{"num-distributed-optimizer-instances",
                         fmt::format("the {} GPUs with the same weights make no {} groups", same, copies),
                         "a divisor of these"};
  const std::int64_t piece = static_cast<std::int64_t>(mesh.micro_batch) * (gpus / replica);
  const auto batch = in.count("global-batch-size", 1, 1'000'000'000);
  if (batch && *batch % piece != 0)
    return Contradiction{
        "global-batch-size",
        fmt::format(
            "a batch of {} cannot be dealt out evenly to {} copies of the network with micro-batches of {}",
            *batch, gpus / replica, mesh.micro_batch),
        fmt::format("a multiple of {}", piece)};
  return std::nullopt;
}

}  // namespace

Machines machines_of(const MegatronArguments& in) {
  Machines out;
  bool variable = false;
  for (const std::string_view name : node_options) {
    variable = variable || in.list().has(name);
    if (out.nodes > 0) break;
    if (const auto found = machine_count(in, name, 100'000)) {
      out.nodes = found->number;
      out.nodes_assumed = found->assumed;
      out.nodes_option = name;
    }
  }
  for (const std::string_view name : gpu_options) {
    if (out.gpus_per_node > 0) break;
    if (const auto found = machine_count(in, name, 1024)) {
      out.gpus_per_node = found->number;
      out.gpus_assumed = found->assumed;
      out.gpus_option = name;
    }
  }
  if (out.nodes == 0 && variable)
    in.warn("the number of nodes is a variable of the job: --set cluster.nodes=N says it");
  return out;
}

Machines checked_machines(const MegatronArguments& in, const Mesh& mesh, Machines machines) {
  if (machines.gpus() == 0) return machines;
  const auto found = contradiction_of(in, mesh, machines);
  if (!found) return machines;
  if (!machines.nodes_assumed && !machines.gpus_assumed) {
    if (found->at == machines.nodes_option) in.list().fail(found->at, found->message, found->hint);
    in.fail(found->at, found->message, found->hint);
  }
  in.warn(
      fmt::format("the number of {} is the default of a variable, and left out: {}. Add --set cluster.{}=N",
                  machines.nodes_assumed ? "nodes" : "GPUs in a node", found->message,
                  machines.nodes_assumed ? "nodes" : "gpus_per_node"));
  if (machines.nodes_assumed) machines.nodes = 0;
  if (machines.gpus_assumed) machines.gpus_per_node = 0;
  return machines;
}

}  // namespace rackcast
