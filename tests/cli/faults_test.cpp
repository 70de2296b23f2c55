// What the machine may do to a command: kill it, give it no memory, no disk, no reader. A file that it was to
// write is then the one of before or the whole new one, and the exit code is one that is documented.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "sim/base/input_file.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

namespace {

using Seconds = std::chrono::duration<double>;

struct Hardship {
  std::optional<rlim_t> memory = {}, file_size = {};  ///< bytes
  std::optional<Seconds> killed_after = {};
  std::string standard_output = "/dev/null";
};

struct End {
  int code = -1, signal = 0;
  std::string errors;
  Seconds took{0};
};

void limit(int what, const std::optional<rlim_t>& most) {
  if (!most) return;
  const rlimit both{*most, *most};
  ::setrlimit(static_cast<__rlimit_resource>(what), &both);
}

[[noreturn]] void become(const std::vector<std::string>& arguments, const Hardship& hardship,
                         const std::string& errors) {
  std::vector<char*> words{const_cast<char*>(RACKCAST_PROGRAM)};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int out = ::open(hardship.standard_output.c_str(), O_WRONLY);
  const int err = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (::chdir(RACKCAST_SOURCE_DIR) != 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0) ::_exit(126);
  ::signal(SIGXFSZ, SIG_IGN);  // writing past the limit is then an error, as on a full disk
  limit(RLIMIT_FSIZE, hardship.file_size);
  limit(RLIMIT_AS, hardship.memory);
  ::execv(RACKCAST_PROGRAM, words.data());
  ::_exit(126);
}

void write(const std::string& path, const std::string& text) {
  std::ofstream{path, std::ios::binary} << text;
}

End run_under(const Hardship& hardship, const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  const std::string errors = folder / "errors";
  write(errors, "");  // the command may be killed before it opens the file
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) become(arguments, hardship, errors);
  if (hardship.killed_after) {
    std::this_thread::sleep_for(*hardship.killed_after);
    ::kill(child, SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  End out;
  out.took = std::chrono::steady_clock::now() - begin;
  if (WIFEXITED(status)) out.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) out.signal = WTERMSIG(status);
  out.errors = read_file(errors);
  return out;
}

std::ptrdiff_t files_in(const TemporaryFolder& folder) {
  return std::distance(std::filesystem::directory_iterator{folder.path()},
                       std::filesystem::directory_iterator{});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Kills of each command; RACKCAST_KILLS asks for more of them.
int kills() {
  const char* asked = std::getenv("RACKCAST_KILLS");
  return asked ? std::atoi(asked) : 8;
}

const std::string of_before = "the file of before\n";

struct Writer {
  std::vector<std::string> arguments;  ///< the file to write is added
  std::string ending;
};

const std::vector<Writer> writers = {
    {{"report", "tests/data/results/fleet_whole.json", "-o"}, "html"},
    {{"report", "tests/data/results/fleet_whole.json", "-o"}, "xlsx"},
    {{"report", "tests/data/results/serving.json", "-o"}, "txt"},
    {{"simulate", "scenarios/saturn_v.json", "-o"}, "json"},
    {{"campaign", "scenarios/gang_placement.json", "-o"}, "md"},
    {{"compare", "tests/data/results/fleet_feasible.json", "tests/data/results/fleet_whole.json", "-o"},
     "html"},
};

std::vector<std::string> into(const Writer& writer, const std::string& path) {
  std::vector<std::string> out = writer.arguments;
  out.push_back(path);
  return out;
}

}  // namespace

TEST_CASE("killed at any moment, a command leaves the file of before or the whole new one" *
          doctest::test_suite("long")) {
  std::minstd_rand random{1};
  for (const Writer& writer : writers) {
    const TemporaryFolder folder;
    const std::string path = folder / "out." + writer.ending;
    const std::vector<std::string> arguments = into(writer, path);
    INFO(arguments.front(), " ", writer.ending);
    const End whole = run_under({}, arguments);
    REQUIRE_MESSAGE(whole.code == 0, whole.errors);
    const std::string wanted = read_file(path);
    int left = 0;
    for (int i = 0; i < kills(); ++i) {
      write(path, of_before);
      const double part = std::uniform_real_distribution{0.0, 1.2}(random);
      run_under({.killed_after = part * whole.took}, arguments);
      const std::string found = read_file(path);
      CHECK((found == of_before || found == wanted));
      if (found == of_before) ++left;
    }
    CHECK(left > 0);  // some were killed before they had written
    CHECK(run_under({}, arguments).code == 0);
    CHECK(read_file(path) == wanted);
  }
}

TEST_CASE("a disk that is full at any byte leaves the file of before, and the message names the file" *
          doctest::test_suite("long")) {
  for (const Writer& writer : writers) {
    const TemporaryFolder folder;
    const std::string path = folder / "out." + writer.ending;
    const std::vector<std::string> arguments = into(writer, path);
    INFO(arguments.front(), " ", writer.ending);
    REQUIRE(run_under({}, arguments).code == 0);
    const std::string wanted = read_file(path);
    for (const double part : {0.0, 0.3, 0.9}) {
      write(path, of_before);
      const auto most = static_cast<rlim_t>(part * static_cast<double>(wanted.size()));
      const End end = run_under({.file_size = most}, arguments);
      INFO(end.errors, " ", most);
      CHECK(end.signal == 0);
      CHECK(end.code == 3);
      if (part > 0) CHECK(has(end.errors, "out." + writer.ending));  // else nor can the message be written
      CHECK(read_file(path) == of_before);
      CHECK(files_in(folder) == 1);
    }
  }
}

TEST_CASE("a sweep on a full disk ends with the name of its database, and goes on from there") {
  const TemporaryFolder folder;
  const auto sweep = [&](const std::string& name) {
    return std::vector<std::string>{
        "sweep", "scenarios/saturn_v.json", "--vary", "cluster.nodes=1..20",   "--threads", "1",
        "--db",  folder / (name + ".db"),   "--csv",  folder / (name + ".csv")};
  };
  REQUIRE(run_under({}, sweep("whole")).code == 0);
  int failed = 0;
  for (const rlim_t most : {rlim_t{1} << 12, rlim_t{1} << 14, rlim_t{1} << 15}) {
    const End end = run_under({.file_size = most}, sweep("full"));
    INFO(end.errors, " ", most);
    CHECK(end.signal == 0);
    CHECK((end.code == 0 || has(end.errors, "full.")));
    if (end.code != 0) ++failed;
  }
  CHECK(failed > 0);
  REQUIRE(run_under({}, sweep("full")).code == 0);
  CHECK(read_file(folder / "full.csv") == read_file(folder / "whole.csv"));
}

// The sanitizers need more addresses than these limits leave. Clang tells them by a feature, GCC by a macro.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RACKCAST_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define RACKCAST_ADDRESS_SANITIZER
#endif

#ifndef RACKCAST_ADDRESS_SANITIZER
TEST_CASE("with too little memory a command says so, and does not crash") {
  for (const char* threads : {"1", "2"}) {
    bool answered = false, said = false;
    for (const rlim_t mebibytes : {80UL, 112UL, 160UL, 224UL, 320UL, 1024UL}) {
      const End end = run_under({.memory = mebibytes << 20},
                                {"size", "scenarios/fleet_conservative.json", "--threads", threads});
      INFO(mebibytes, " MiB, ", threads, " threads: ", end.errors);
      CHECK(end.signal == 0);
      CHECK((end.code == 0 || (end.code == 1 && has(end.errors, "not enough memory"))));
      answered = answered || end.code == 0;
      said = said || end.code == 1;
    }
    CHECK(answered);
    CHECK(said);
  }
}
#endif

TEST_CASE("a standard output that takes nothing is an error") {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"size", "--help"},
                                                    {"--version"},
                                                    {"catalog", "list", "models"},
                                                    {"schema", "scenario"},
                                                    {"report", "tests/data/results/serving.json"},
                                                    {"simulate", "scenarios/saturn_v.json", "--json"}}) {
    CAPTURE(arguments.front());
    const End end = run_under({.standard_output = "/dev/full"}, arguments);
    CHECK(end.code == 1);
    CHECK(has(end.errors, "cannot write to standard output"));
  }
}
