#include "child_run.hpp"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>

namespace rackcast::bench {

namespace {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

[[noreturn]] void work(const std::function<double()>& function, int out) {
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = cpu_seconds();
  std::array<double, 3> answer{};
  answer[0] = function();
  answer[1] = cpu_seconds() - cpu_start;
  answer[2] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const bool written = write(out, answer.data(), sizeof answer) == sizeof answer;
  _exit(written ? 0 : 1);
}

}  // namespace

ChildCost run_in_child(const std::function<double()>& function) {
  malloc_trim(0);  // what this process has freed would count as the child's
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no child process");
  if (child == 0) {
    close(ends[0]);
    work(function, ends[1]);
  }
  close(ends[1]);
  std::array<double, 3> answer{};
  const bool complete = read(ends[0], answer.data(), sizeof answer) == sizeof answer;
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (!complete || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error("the child process failed");
  }
  return {answer[0], answer[1], answer[2], static_cast<std::size_t>(usage.ru_maxrss) * 1024};
}

}  // namespace rackcast::bench
