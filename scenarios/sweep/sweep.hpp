#pragma once
/// `rackcast sweep`: one scenario at many points, on all cores, into a file that can be resumed.
///
/// Each point is what `simulate` would give without intervals: the time of all workloads one after another,
/// or of the slowest on its own, on the cluster of the point. A point depends on nothing but the scenario and
/// its values, so the rows are the same for any number of threads, shards and interruptions.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/sweep/axes.hpp"
#include "scenarios/sweep/store.hpp"

namespace rackcast {

class Catalog;

struct SweepSpec {
  std::string scenario;  ///< file
  std::vector<std::string> sets;
  std::vector<SweepAxis> axes;
  int threads = 0;            ///< 0: one per core
  int shard = 1, shards = 1;  ///< only every `shards`-th point, from the `shard`-th on
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  ///< from one thread at a time
  std::function<bool()> cancelled;                                        ///< asked between points
};

/// What the file of this sweep must hold: the scenario's text with its sets, the axes, the program's version.
std::string sweep_question(const SweepSpec& spec);

struct SweepSummary {
  std::uint64_t points = 0;    ///< of this shard
  std::uint64_t computed = 0;  ///< now; the rest was there
  bool cancelled = false;
};

/// What is left of a sweep.
struct SweepWork {
  std::uint64_t points = 0;  ///< of this shard
  std::uint64_t block =
      1;  ///< points to take at a time, and to commit together: neighbours share simulations
  std::vector<std::uint64_t> todo;  ///< that `store` lacks, ascending
};
/// Throws Error for axes that make no sweep.
SweepWork sweep_work(const SweepSpec& spec, const SweepStore& store);

/// Computes points one after the other; remembers what neighbours share. Both must outlive it.
class SweepWorker {
 public:
  SweepWorker(const SweepSpec& spec, const Catalog& catalog);
  ~SweepWorker();
  SweepWorker(const SweepWorker&) = delete;
  SweepWorker& operator=(const SweepWorker&) = delete;

  SweepRow at(std::uint64_t index);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Computes what `store` lacks. A point that cannot be (a fabric too small, a batch that does not fit) is a
/// row with the reason; a scenario that cannot be read is an Error.
SweepSummary run_sweep(const SweepSpec& spec, const Catalog& catalog, SweepStore& store);

/// All rows of a file as CSV with a header, by index.
std::string sweep_csv(const SweepStore& store);

/// "2/8" as shard and shards. Throws Error (usage).
void read_shard(const std::string& text, SweepSpec& spec);

/// A job array for Slurm that computes `command` in `shards` parts and merges them.
std::string slurm_script(const std::string& command, const std::string& database, int shards);

}  // namespace rackcast
