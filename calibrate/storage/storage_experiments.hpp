#pragma once
/// The storage behind a folder: sequential and random reads at several queue depths, small files, metadata.
///
/// Queue depth is the number of threads that read at once, each with one request under way: what a data
/// loader does, and the same to the device as that many asynchronous requests. Cold reads go past the page
/// cache (O_DIRECT), or drop the file from it first where the file system refuses O_DIRECT. Reads of a cache
/// in the drive or on a server cannot be told from reads of its medium.
#include <memory>
#include <string>
#include <vector>

#include "calibrate/measure/experiment.hpp"
#include "sim/base/file_descriptor.hpp"

namespace rackcast {

struct StoragePlan {
  std::string folder;  ///< files are made below it and removed again
  std::string label;   ///< "path1": what the document calls it
  Bytes file_size{1 << 30};
  int files = 512;  ///< small ones
  std::uint64_t seed = 1;
};

/// The test files of one folder; removes them when the last owner goes. Those of a run that was killed are
/// removed by the next one of this host below the same folder.
class StorageArea {
 public:
  /// Writes the files. `interrupted` is asked between writes. Throws Error, with a hint, if the folder is
  /// missing, not writable or too full (a tenth of its free space is the most that is taken).
  static std::shared_ptr<StorageArea> create(const StoragePlan& plan,
                                             const std::function<bool()>& interrupted);
  ~StorageArea();
  StorageArea(const StorageArea&) = delete;
  StorageArea& operator=(const StorageArea&) = delete;

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string large_file() const;
  [[nodiscard]] std::string small_file(int index) const;
  [[nodiscard]] int small_files() const { return small_files_; }
  [[nodiscard]] const BoxPath& facts() const { return facts_; }

 private:
  StorageArea() = default;
  void write_files(const StoragePlan& plan, const std::function<bool()>& interrupted);

  std::string folder_;
  FileDescriptor lock_;  ///< of the folder; tells others that this process lives
  int small_files_ = 0;
  BoxPath facts_;
};

/// Small files are of this size: the mean of ImageNet's training images.
inline constexpr std::size_t small_file_bytes = 113'000;

/// All experiments share the area and keep it alive.
std::vector<Experiment> storage_experiments(const std::shared_ptr<StorageArea>& area, std::uint64_t seed);

}  // namespace rackcast
