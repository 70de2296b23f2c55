#pragma once
/// What both forms of fio's output say, and what becomes of it. Private to calibrate/import/fio*.cpp.
#include <string>
#include <vector>

#include "calibrate/import/importers.hpp"

namespace rackcast {

/// One direction of a job; 0: not measured.
struct FioSide {
  double bytes_per_s = 0, operations_per_s = 0, latency_s = 0;
};

/// Names of jobs and files are not kept: they name paths.
struct FioJob {
  std::string pattern;  ///< "randread"
  std::string engine;   ///< "libaio"
  double block = 0;     ///< bytes; 0: not said
  int depth = 1, jobs = 1;
  bool direct = false;
  FioSide read, write;
};

inline constexpr std::size_t most_fio_jobs = 10'000;

std::vector<FioJob> read_fio_json(const ImportSource& source, ImportOutput& out);
std::vector<FioJob> read_fio_text(const ImportSource& source, ImportOutput& out);

/// "4k", "1M", "128KiB", "4096B": with fio's binary prefixes (kb_base=1024). Nothing for anything else.
std::optional<double> fio_size(std::string_view text);

}  // namespace rackcast
