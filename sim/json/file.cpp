#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "sim/base/file_descriptor.hpp"
#include "sim/base/input_file.hpp"
#include "sim/base/near_matches.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

constexpr std::size_t most_neighbours = 1000;  ///< names looked at for a "did you mean"

[[noreturn]] void cannot_read(const std::string& path, std::string message, std::string hint = {}) {
  throw Error{std::move(message), Where{.file = path}, std::move(hint)};
}

std::string hint_for_missing(const std::string& path) {
  const std::filesystem::path wanted{path};
  const std::filesystem::path folder = wanted.has_parent_path() ? wanted.parent_path() : ".";
  std::error_code failed;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator entry{folder, failed}, end; !failed && entry != end;
       entry.increment(failed)) {
    if (names.size() == most_neighbours) break;
    names.push_back(entry->path().filename().string());
  }
  if (failed) return fmt::format("there is no folder \"{}\" to read", folder.string());
  std::vector<std::string> near =
      near_matches(wanted.filename().string(), std::span<const std::string>{names});
  if (near.empty())
    return fmt::format("check the path; the folder \"{}\" has no file of a similar name", folder.string());
  return fmt::format("did you mean \"{}\"?",
                     wanted.has_parent_path() ? (folder / near.front()).string() : near.front());
}

[[noreturn]] void fail_to_open(const std::string& path, int code) {
  if (code == ENOENT || code == ENOTDIR) cannot_read(path, "no such file", hint_for_missing(path));
  if (code == EACCES || code == EPERM)
    cannot_read(path, "no permission to read this file", "check its owner and mode");
  cannot_read(path, "cannot read this file: " + std::generic_category().message(code));
}

/// Looked at before it is opened: opening a device or a FIFO may already do something.
void require_regular(const std::string& path, const struct stat& status) {
  if (S_ISREG(status.st_mode)) return;
  if (S_ISDIR(status.st_mode)) cannot_read(path, "this is a folder", "name a file in it");
  cannot_read(path, "this is not a regular file",
              "pipes and devices are not read; save the text in a file first");
}

std::string read_all(const std::string& path, int descriptor, std::size_t most) {
  std::string text;
  std::size_t have = 0;
  for (;;) {
    text.resize(std::max<std::size_t>(have * 2, 1u << 16));
    const ssize_t got = ::read(descriptor, text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_to_open(path, errno);
    have += static_cast<std::size_t>(got);
    if (have > most) cannot_read(path, fmt::format("the file is larger than the {} bytes allowed", most));
    if (got == 0) break;
  }
  text.resize(have);
  return text;
}

}  // namespace

std::string read_file(const std::string& path, std::size_t max_bytes) {
  if (path.empty()) throw Error{"the file name is empty"};
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) fail_to_open(path, errno);
  require_regular(path, status);
  const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  if (file.number() < 0) fail_to_open(path, errno);
  if (::fstat(file.number(), &status) != 0) fail_to_open(path, errno);
  require_regular(path, status);
  if (status.st_size > 0 && static_cast<std::uintmax_t>(status.st_size) > max_bytes) {
    cannot_read(path,
                fmt::format("the file has {} bytes, more than the {} allowed", status.st_size, max_bytes));
  }
  return read_all(path, file.number(), max_bytes);
}

Json parse_json_file(const std::string& path, JsonLimits limits) {
  return parse_json(read_file(path, limits.max_bytes), path, limits);
}

}  // namespace rackcast
