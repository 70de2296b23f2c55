#pragma once
/// Root reads and writes everything, so what lacks a permission is tried as another user.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace rackcast {

inline constexpr unsigned kNobody = 65534;  ///< of Debian's base-passwd; any user without rights would do

/// What `function` returns when it runs without root's rights: in a process of its own if we have them.
template <class Function>
std::string as_ordinary_user(Function function) {
  if (::geteuid() != 0) return function();
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const bool dropped = ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0;
    const std::string text = dropped ? function() : "cannot become another user";
    const bool written = ::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  std::string out;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    out.append(buffer, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  return out;
}

}  // namespace rackcast
