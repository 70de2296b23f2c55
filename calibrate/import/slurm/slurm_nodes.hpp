#pragma once
/// Nodes as Slurm lists them, and groups of equal ones. Private to calibrate/import/slurm.
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/import/importers.hpp"

namespace rackcast {

/// GPUs of one type: "gpu:h100:8(S:0-1)" is {"h100", 8, false}.
struct SlurmGpus {
  std::string type;     ///< as the administrator or the driver calls it; empty: not said
  int count = 0;        ///< GPUs, or slices of GPUs
  bool slices = false;  ///< the type is a MIG profile such as "1g.10gb"
  auto operator<=>(const SlurmGpus&) const = default;
};

/// A node of the cluster. Zero and empty members: the file does not state them. Views lie in the file.
struct SlurmNode {
  std::string_view name;  ///< tells nodes apart and is not copied
  std::string_view place;
  std::vector<SlurmGpus> gpus;  ///< sorted by type
  int cpus = 0;                 ///< what Slurm schedules: cores or hardware threads
  int sockets = 0, cores_per_socket = 0, threads_per_core = 0;
  double memory_mib = 0;
  std::string state;       ///< "idle", "down+drain": lower case
  bool in_service = true;  ///< the state lets jobs run
  std::set<std::string_view> partitions;
  std::optional<int> gpus_in_use;
};

struct SlurmGroup {
  SlurmNode node;  ///< the first of them
  int nodes = 0, in_service = 0;
  std::map<std::string, int> states, partitions;  ///< nodes in each
};

inline constexpr std::size_t most_slurm_nodes = 200'000;
inline constexpr double most_slurm_cpus = 65'536, most_slurm_memory_mib = 1e9;

/// Throws Error at a place that is broken, cut off or contradicts itself.
std::vector<SlurmNode> read_scontrol_nodes(const ImportSource& source);
/// Warns in `out` of GPUs that may be cut off.
std::vector<SlurmNode> read_sinfo_nodes(const ImportSource& source, ImportOutput& out);

enum class GresForm {
  scontrol,  ///< "gpu:h100:8(S:0-1),shard:32"
  sinfo,     ///< the same, but a type without a number is a field that was cut off
  tres       ///< "gres/gpu=8,gres/gpu:h100=8"
};

/// What to do about a table of sinfo whose columns are too narrow.
inline constexpr std::string_view sinfo_width_hint =
    "the field seems to be cut off: write it without a width or with a wide one, such as sinfo -o \"%N %G\" "
    "or -O Gres:100";

/// The GPUs that a field lists, sorted by type. Of a total beside its types only the GPUs of no type remain.
/// Throws Error at an entry for GPUs that is broken or has no sensible number.
std::vector<SlurmGpus> slurm_gpus(const ImportSource& source, std::string_view text, GresForm form);

/// Sets `state` and `in_service` from "IDLE+DRAIN", "DOWN*", or sinfo's "drng", "mix~".
void set_slurm_state(SlurmNode& node, std::string_view text);

/// Adds the scenario that another can extend: the cluster that the group with the most GPUs makes. Warns of
/// what it leaves out. Where no node of the catalogue is certain to be the same, the warnings say what to
/// write.
void add_slurm_cluster(const Catalog& catalog, const std::vector<SlurmGroup>& groups, ImportOutput& out);

/// "8 x h100", "2 x k80 + 1 x p100", "no GPU".
std::string slurm_gpus_in_words(const std::vector<SlurmGpus>& gpus);

}  // namespace rackcast
