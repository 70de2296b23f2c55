#include "sim/base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include "sim/base/error.hpp"
#include "sim/base/file_descriptor.hpp"

namespace rackcast {
namespace {

[[noreturn]] void fail(const std::string& path, std::string message, std::string hint = {}) {
  throw Error{std::move(message), Where{.file = path}, std::move(hint)};
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
}

[[noreturn]] void fail_to_write(const std::string& path, int code) {
  const std::string folder = folder_of(path).string();
  switch (code) {
    case ENOENT:
      fail(path, fmt::format("cannot write: there is no folder \"{}\"", folder), "make the folder first");
    case ENOTDIR:
      fail(path, fmt::format("cannot write: \"{}\" is not a folder", folder));
    case EACCES:
    case EPERM:
      fail(path, "cannot write: no permission", fmt::format("may you write in the folder \"{}\"?", folder));
    case EROFS:
      fail(path, "cannot write: the file system is read-only", "choose another folder");
    case ENOSPC:
    case EDQUOT:
      fail(path, "cannot write: the disk is full or the quota used up",
           "free some space or choose another folder");
    default:
      fail(path, "cannot write: " + std::generic_category().message(code));
  }
}

/// 0, or the errno of what went wrong.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void write_straight(const std::string& path, std::string_view bytes) {
  FileDescriptor file{::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY)};
  if (file.number() < 0) fail_to_write(path, errno);
  if (const int code = write_all(file.number(), bytes)) fail_to_write(path, code);
  if (!file.close()) fail_to_write(path, errno);
}

/// A new file beside `target`, its name in `name`. open() and not mkstemp(): the mode then follows the umask.
int open_temporary(const std::string& target, std::string& name) {
  constexpr int most_tries = 1000;  // names left over from a crash
  for (int i = 0; i < most_tries; ++i) {
    name = fmt::format("{}.tmp-{}-{}", target, ::getpid(), i);
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

/// Some file systems have no fsync; the rename is all they can promise.
int flush_to_disk(int descriptor) {
  return ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
}

void write_and_rename(const std::string& path, const std::string& target, std::string_view bytes,
                      std::optional<mode_t> mode) {
  std::string temporary;
  FileDescriptor file{open_temporary(target, temporary)};
  if (file.number() < 0) fail_to_write(path, errno);
  int code = write_all(file.number(), bytes);
  if (code == 0 && mode && ::fchmod(file.number(), *mode) != 0) code = errno;
  if (code == 0) code = flush_to_disk(file.number());
  if (!file.close() && code == 0) code = errno;
  if (code == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) code = errno;
  if (code == 0) return;
  ::unlink(temporary.c_str());
  fail_to_write(path, code);
}

/// Where and how a path is to be written.
struct Target {
  std::string path;                 ///< symbolic links followed
  bool regular = true;              ///< else a pipe or a device
  std::optional<mode_t> mode = {};  ///< of the file that exists
};

Target target_of(const std::string& path) {
  if (path.empty()) throw Error{"the name of the file to write is empty"};
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail_to_write(path, errno);
  if (exists && S_ISDIR(status.st_mode)) fail(path, "cannot write: this is a folder", "name a file in it");
  if (!exists) return {path};
  if (!S_ISREG(status.st_mode)) return {path, false};
  std::error_code failed;
  const std::string real = std::filesystem::canonical(path, failed).string();
  if (failed) fail_to_write(path, failed.value());
  return {real, true, status.st_mode & 07777};
}

}  // namespace

void write_file_atomically(const std::string& path, std::string_view bytes) {
  const Target target = target_of(path);
  if (!target.regular) return write_straight(path, bytes);
  write_and_rename(path, target.path, bytes, target.mode);
}

void check_writable(const std::string& path) {
  const Target target = target_of(path);
  if (!target.regular) return;
  std::string temporary;
  const FileDescriptor file{open_temporary(target.path, temporary)};
  if (file.number() < 0) fail_to_write(path, errno);
  ::unlink(temporary.c_str());
}

}  // namespace rackcast
