#include "commands/print_pdf.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>
#include <vector>

#include "commands/scratch_folder.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"
#include "sim/base/input_file.hpp"

namespace rackcast {

namespace {

constexpr std::chrono::seconds kLongest{60};
constexpr const char* kNames[] = {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
                                  "chrome"};
constexpr const char* kHint = "write .html and print it from a browser, or choose .md or .xlsx";

/// The first Chromium of the search path; empty if there is none.
std::string find_browser() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    for (const char* name : kNames) {
      std::string candidate = fmt::format("{}/{}", rest.substr(0, end), name);
      if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

pid_t start(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_addopen(&streams, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&streams, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&streams, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // its helpers can be ended with it
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = -1;
  const int code = posix_spawn(&child, arguments[0], &streams, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  posix_spawnattr_destroy(&attributes);
  if (code != 0) throw Error{fmt::format("cannot start {}", command.front()), {}, kHint};
  return child;
}

/// True if the child ended by itself, with 0, in time.
bool ended_well(pid_t child) {
  const auto deadline = std::chrono::steady_clock::now() + kLongest;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::string print_pdf(const std::string& html) {
  const std::string browser = find_browser();
  if (browser.empty()) {
    throw Error{"a PDF is printed by Chromium, and none was found on the search path",
                {},
                fmt::format("install chromium, or {}", kHint)};
  }
  const ScratchFolder folder;
  const std::string page = folder.file("report.html"), pdf = folder.file("report.pdf");
  write_file_atomically(page, html);
  std::vector<std::string> command{
      browser,
      "--headless",
      "--disable-gpu",
      "--no-first-run",
      "--disable-extensions",
      "--disable-dev-shm-usage",
      "--no-pdf-header-footer",
      "--run-all-compositor-stages-before-draw",
      "--virtual-time-budget=10000",  // of the page's clock: its charts are drawn by then
      "--user-data-dir=" + folder.file("profile"),
      "--print-to-pdf=" + pdf};
  if (::geteuid() == 0)
    command.emplace_back("--no-sandbox");  // Chromium refuses root otherwise; the page is ours
  command.push_back("file://" + page);
  const std::string log = folder.file("log");
  const bool well = ended_well(start(command, log));
  if (!well || !std::filesystem::exists(pdf)) {
    throw Error{fmt::format("{} did not print the report", browser), {}, kHint};
  }
  return read_file(pdf);
}

}  // namespace rackcast
