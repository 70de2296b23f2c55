// The test files of one folder.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "calibrate/storage/storage_experiments.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file_descriptor.hpp"
#include "sim/base/random.hpp"

namespace rackcast {
namespace {

constexpr std::size_t chunk = 1 << 20;
constexpr std::string_view large_name = "large", small_name = "small";
constexpr std::size_t unique_letters = 6;  ///< of mkdtemp(3)

struct FileSystemName {
  unsigned long magic;
  std::string_view name;
};
/// Magic numbers of statfs(2).
constexpr FileSystemName file_systems[] = {
    {0xef53, "ext4"},       {0x58465342, "xfs"},       {0x9123683e, "btrfs"},  {0x01021994, "tmpfs"},
    {0x6969, "nfs"},        {0x794c7630, "overlayfs"}, {0x0bd00bd0, "lustre"}, {0x47504653, "gpfs"},
    {0x19830326, "beegfs"}, {0x00c36400, "ceph"},      {0x65735546, "fuse"},   {0x2fc12fc1, "zfs"},
    {0xf2f52010, "f2fs"},   {0xff534d42, "cifs"},
};

std::string file_system(const std::string& folder) {
  struct statfs info {};
  if (statfs(folder.c_str(), &info) != 0) return "unknown";
  const auto magic = static_cast<unsigned long>(info.f_type) & 0xffffffffUL;
  for (const FileSystemName& known : file_systems)
    if (known.magic == magic) return std::string{known.name};
  return fmt::format("0x{:x}", magic);
}

double free_bytes(const std::string& folder) {
  struct statvfs info {};
  if (statvfs(folder.c_str(), &info) != 0) return 0;
  return static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize);
}

/// Bytes that no drive can compress or deduplicate.
void fill(std::vector<std::uint64_t>& words, RandomStream& random) {
  for (std::uint64_t& word : words) word = random.next();
}

void write_file(const std::string& path, std::size_t bytes, RandomStream& random,
                const std::function<bool()>& interrupted) {
  FileDescriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
  if (file.number() < 0) throw Error{fmt::format("cannot write test files: {}", std::strerror(errno))};
  std::vector<std::uint64_t> words(chunk / sizeof(std::uint64_t));
  for (std::size_t done = 0; done < bytes;) {
    if (interrupted()) throw Error{"interrupted"};
    fill(words, random);
    const ssize_t written = ::write(file.number(), words.data(), std::min(chunk, bytes - done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      throw Error{fmt::format("cannot write test files: {}", std::strerror(errno)), {}, "is the disk full?"};
    done += static_cast<std::size_t>(written);
  }
  ::fdatasync(file.number());
}

bool direct_works(const std::string& path) {
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC)};
  return file.number() >= 0;
}

namespace fs = std::filesystem;

/// Locked by this process as long as the result lives. -1: someone else has the lock, or the file system
/// knows no such locks.
FileDescriptor lock_folder(const std::string& path, int how) {
  FileDescriptor folder{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (folder.number() < 0 || ::flock(folder.number(), how | LOCK_NB) != 0) return FileDescriptor{};
  return folder;
}

/// What names of test folders begin with. A lock is seen by all processes of one kernel, and perhaps by no
/// other of a shared file system: so the kernel's boot is in the name. Empty if it is not known.
std::string folder_begin() {
  std::ifstream file{"/proc/sys/kernel/random/boot_id"};
  std::string boot;
  file >> boot;
  return boot.size() < 8 ? "" : fmt::format(".rackcast-test-{}-", boot.substr(0, 8));
}

std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::vector<fs::directory_entry> out;
  std::error_code error;
  for (fs::directory_iterator it{folder, error}; !error && it != fs::directory_iterator{};
       it.increment(error))
    out.push_back(*it);
  return out;
}

bool is_plain_file(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.symlink_status(error).type() == fs::file_type::regular;
}

/// Whether the folder holds what StorageArea writes and nothing else.
bool holds_test_files_alone(const fs::path& folder) {
  return std::ranges::all_of(entries_of(folder), [](const fs::directory_entry& entry) {
    std::error_code error;
    if (entry.path().filename() == large_name) return is_plain_file(entry);
    return entry.path().filename() == small_name &&
           entry.symlink_status(error).type() == fs::file_type::directory &&
           std::ranges::all_of(entries_of(entry.path()), is_plain_file);
  });
}

/// Removes the test files of runs that were killed: nobody holds the lock of their folders.
void remove_left_folders(const std::string& below, const std::string& begin) {
  for (const fs::directory_entry& entry : entries_of(below)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(begin) || name.size() != begin.size() + unique_letters) continue;
    const FileDescriptor lock = lock_folder(entry.path().string(), LOCK_EX);
    std::error_code error;
    if (lock.number() >= 0 && holds_test_files_alone(entry.path())) fs::remove_all(entry.path(), error);
  }
}

/// The lock of the folder below which test folders are made: between the making of one and its lock nobody
/// may take it for a left one. Nothing after a second of waiting.
FileDescriptor lock_parent(const std::string& folder) {
  for (int i = 0; i < 100; ++i) {
    FileDescriptor lock = lock_folder(folder, LOCK_EX);
    if (lock.number() >= 0) return lock;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return FileDescriptor{};
}

}  // namespace

std::string StorageArea::large_file() const {
  return fmt::format("{}/{}", folder_, large_name);
}

std::string StorageArea::small_file(int index) const {
  return fmt::format("{}/{}/{:05}", folder_, small_name, index);
}

std::shared_ptr<StorageArea> StorageArea::create(const StoragePlan& plan,
                                                 const std::function<bool()>& interrupted) {
  if (!std::filesystem::is_directory(plan.folder))
    throw Error{fmt::format("\"{}\" is not a folder", plan.folder),
                {},
                "--path takes an existing folder",
                ErrorKind::usage};
  std::shared_ptr<StorageArea> area{new StorageArea};
  {
    const FileDescriptor starting = lock_parent(plan.folder);
    const std::string begin = folder_begin();
    if (starting.number() >= 0 && !begin.empty()) remove_left_folders(plan.folder, begin);
    std::string pattern = fmt::format("{}/{}{}", plan.folder, begin.empty() ? ".rackcast-test-" : begin,
                                      std::string(unique_letters, 'X'));
    if (!::mkdtemp(pattern.data()))
      throw Error{fmt::format("cannot create a folder in \"{}\": {}", plan.folder, std::strerror(errno)),
                  {},
                  "choose a folder that you may write to"};
    area->folder_ = pattern;
    area->lock_ = lock_folder(pattern, LOCK_SH);
  }
  area->write_files(plan, interrupted);
  return area;
}

void StorageArea::write_files(const StoragePlan& plan, const std::function<bool()>& interrupted) {
  const double room = free_bytes(folder_) / 10;
  const double small = static_cast<double>(plan.files) * static_cast<double>(small_file_bytes);
  const double size = std::min(plan.file_size.base(), room - small);
  if (size < 16e6)
    throw Error{fmt::format("\"{}\" has too little free space to measure it", plan.folder),
                {},
                "free ten times the 16 MB (and the small files) that the smallest test takes"};
  facts_.label = plan.label;
  facts_.filesystem = file_system(folder_);
  const std::size_t chunks = static_cast<std::size_t>(size) / chunk;
  facts_.file_size = Bytes{static_cast<double>(chunks * chunk)};
  RandomStream random{plan.seed, "calibrate/storage"};
  write_file(large_file(), static_cast<std::size_t>(facts_.file_size.base()), random, interrupted);
  facts_.direct = direct_works(large_file());
  std::filesystem::create_directory(fmt::format("{}/{}", folder_, small_name));
  for (; small_files_ < plan.files; ++small_files_)
    write_file(small_file(small_files_), small_file_bytes, random, interrupted);
}

StorageArea::~StorageArea() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace rackcast
