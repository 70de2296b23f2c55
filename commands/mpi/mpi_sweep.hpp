#pragma once
/// `mpirun rackcast sweep` of a build with MPI (RACKCAST_MPI): rank 0 keeps the file and hands out blocks of
/// points, the other ranks compute them and send the rows back. So a slow node holds up no more than its
/// block, and only rank 0 needs the folder of the file. Rows are those of one process: a point depends on
/// nothing but its values.
#include <string>

#include "scenarios/sweep/sweep.hpp"

namespace rackcast {

class Catalog;

/// MPI from here to the end of the scope.
class MpiRanks {
 public:
  MpiRanks();
  ~MpiRanks();
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

  /// Rank 0: computes what the file lacks, all in the other ranks. Ends early, `cancelled`, where
  /// spec.cancelled asks for it. Throws Error for a file that is not of this sweep, and that of a rank that
  /// fails; the others are told to end before.
  SweepSummary lead(const SweepSpec& spec, const std::string& database, const std::string& question);
  /// The other ranks: compute until rank 0 says that nothing is left.
  void follow(const SweepSpec& spec, const Catalog& catalog);

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace rackcast
