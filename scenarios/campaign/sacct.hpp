#pragma once
/// Recorded workloads: what Slurm's accounting printed.
///
///   sacct --allusers --parsable2 --format=JobID,User,Submit,Start,End,ElapsedRaw,TimelimitRaw,NNodes,State
///
/// The first line names the columns, in any order; further columns are ignored. Needed are JobID, Submit,
/// NNodes and one of ElapsedRaw, Elapsed, and Start with End. Steps of a job (a JobID with a dot) and jobs
/// that never ran are left out.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/units/quantity.hpp"

namespace rackcast {

struct RecordedJob {
  std::string id, user;
  Duration submit{0};  ///< since the first submission of the file
  Duration elapsed{0};
  std::optional<Duration> limit;   ///< none: unlimited or not recorded
  std::optional<Duration> waited;  ///< from submission to start, as it was
  int nodes = 1;
};

struct RecordedWorkload {
  std::vector<RecordedJob> jobs;  ///< by submission, then as in the file
  std::size_t steps = 0;          ///< lines left out: steps of jobs
  std::size_t never_ran = 0;      ///< lines left out: jobs without a run
};

/// Throws Error with line and column for a missing column, a short line, a line that is there twice, or a
/// field that is not what its column says.
RecordedWorkload read_sacct(std::string_view text, const std::string& file);

}  // namespace rackcast
