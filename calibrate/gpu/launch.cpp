// What mpirun and srun tell the processes that they start.
#include <fmt/format.h>

#include <array>

#include "calibrate/gpu/node_group.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

std::optional<int> whole(const char* text) {
  if (!text || !*text) return std::nullopt;
  int value = 0;
  for (const char* at = text; *at; ++at) {
    if (*at < '0' || *at > '9' || value > 1'000'000) return std::nullopt;
    value = 10 * value + (*at - '0');
  }
  return value;
}

}  // namespace

std::optional<LaunchedAs> launched_as(const std::function<const char*(const char*)>& variable) {
  struct Launcher {
    const char *rank, *size, *local_size;
  };
  // Slurm sets SLURM_NTASKS in the batch script too, SLURM_STEP_NUM_TASKS only in what srun starts.
  constexpr std::array<Launcher, 3> launchers{
      {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
       {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
       {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE"}}};
  for (const Launcher& launcher : launchers) {
    const auto rank = whole(variable(launcher.rank)), size = whole(variable(launcher.size));
    if (!rank || !size) continue;
    if (*rank >= *size)
      throw Error{fmt::format("{} is {} and {} is {}", launcher.rank, *rank, launcher.size, *size),
                  {},
                  "start the processes with mpirun or srun, which set both",
                  ErrorKind::usage};
    // "1(x4)" of Slurm: the tasks of four nodes.
    std::string local = variable(launcher.local_size) ? variable(launcher.local_size) : "1";
    local = local.substr(0, local.find_first_not_of("0123456789"));
    return LaunchedAs{*rank, *size, whole(local.c_str()).value_or(1)};
  }
  return std::nullopt;
}

}  // namespace rackcast
