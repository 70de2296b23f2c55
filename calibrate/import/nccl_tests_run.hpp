#pragma once
/// What both forms of nccl-tests' output hold. Private to calibrate/import.
#include <set>
#include <string>
#include <vector>

#include "calibrate/import/importers.hpp"

namespace rackcast {

struct NcclTestsRow {
  double bytes = 0, time_us = 0, bus_gb_per_s = 0;
  std::string operation, root;  ///< "sum", "-1"
  bool wrong = false;
};

struct NcclTestsRun {
  std::vector<NcclTestsRow> rows;
  int ranks = 0;
  std::set<std::string> hosts, gpus;  ///< names: hosts are counted, not kept
  std::string test;                   ///< "all_reduce_perf", if the file says
  bool failed = false;
};

inline constexpr std::size_t most_nccl_tests_rows = 10'000;
inline constexpr int most_nccl_tests_ranks = 65'536;

/// The file that `-J FILE` writes. Throws Error at the place that is broken or missing.
NcclTestsRun read_nccl_tests_json(const ImportSource& source, ImportOutput& out);

}  // namespace rackcast
