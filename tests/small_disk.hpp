#pragma once
/// A disk that can be full: a file system in memory that nobody else sees.
#include <doctest/doctest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "tests/unit/sim/temporary_folder.hpp"

namespace rackcast {

/// In a mount namespace of its own, which an ordinary user gets with a user namespace in which he is root.
inline bool mount_for_us_alone(const std::string& folder, std::size_t bytes) {
  const auto user = ::geteuid();
  const auto group = ::getegid();
  if (::unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0) return false;
  if (user != 0) {
    std::ofstream{"/proc/self/setgroups"} << "deny";
    std::ofstream{"/proc/self/uid_map"} << "0 " << user << " 1";
    std::ofstream{"/proc/self/gid_map"} << "0 " << group << " 1";
  }
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", folder.c_str(), "tmpfs", 0, ("size=" + std::to_string(bytes)).c_str()) == 0;
}

/// What `function(folder of the disk)` returns; nothing, with a message, where this machine lets nobody
/// mount. It runs in a process of its own, so it returns what is wrong instead of checking it.
template <class Function>
std::optional<std::string> on_small_disk(std::size_t bytes, Function function) {
  const TemporaryFolder disk, answers;
  const std::string answer = answers / "answer";
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (!mount_for_us_alone(disk.path(), bytes)) ::_exit(2);
    std::string wrong;
    try {
      wrong = function(disk.path());
    } catch (const std::exception& e) {
      wrong = e.what();
    } catch (...) {
      wrong = "a failed REQUIRE";
    }
    std::ofstream{answer, std::ios::binary} << wrong;
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) {
    MESSAGE("NOT TESTED: this machine lets nobody mount a file system");
    return std::nullopt;
  }
  std::ifstream in{answer, std::ios::binary};
  REQUIRE(in);
  return std::string{std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace rackcast
