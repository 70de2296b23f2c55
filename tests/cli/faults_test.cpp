// What the machine may do to a command: kill it, give it no memory, no disk, no reader. A file that it was to
// write is then the one of before or the whole new one, and the exit code is one that is documented.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "sim/base/input_file.hpp"
#include "tests/small_disk.hpp"
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

/// Allocates nothing: another thread may hold the lock of the allocator.
[[noreturn]] void become(const std::vector<char*>& words, const Hardship& hardship,
                         const std::string& errors) {
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
  std::vector<char*> words{const_cast<char*>(RACKCAST_PROGRAM)};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) become(words, hardship, errors);
  int status = 0;
  pid_t ended = 0;
  if (hardship.killed_after) {
    const auto end = begin + *hardship.killed_after;
    while (ended == 0 && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::microseconds{200});
      ended = ::waitpid(child, &status, WNOHANG);
    }
    if (ended == 0) ::kill(child, SIGKILL);
  }
  if (ended == 0) ended = ::waitpid(child, &status, 0);
  REQUIRE(ended == child);
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
    {{"import", "tests/data/imports/nccl_tests_2.17.json", "-o"}, "json"},
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

TEST_CASE("on a disk without room the file of before stays, and with room it is written") {
  const std::optional<std::string> wrong = on_small_disk(2 << 20, [](const std::string& disk) {
    std::string out;
    const auto expect = [&](bool holds, const std::string& what) {
      if (!holds) out += what + "\n";
    };
    for (const Writer& writer : writers) {
      const std::string path = disk + "/out." + writer.ending, filler = disk + "/filler";
      const std::string name = writer.arguments.front() + " " + writer.ending + ": ";
      write(path, of_before);
      write(filler, std::string(4 << 20, 'x'));  // more than there is room for
      const End full = run_under({}, into(writer, path));
      expect(full.code == 3, name + "not exit code 3 on a full disk: " + full.errors);
      expect(has(full.errors, path), name + "the message does not name the file: " + full.errors);
      expect(read_file(path) == of_before, name + "the file of before is gone");
      std::filesystem::remove(filler);
      const End roomy = run_under({}, into(writer, path));
      expect(roomy.code == 0, name + "fails with room: " + roomy.errors);
      expect(read_file(path) != of_before, name + "was not written");
      std::filesystem::remove(path);
      expect(std::filesystem::is_empty(disk), name + "left files");
    }
    return out;
  });
  if (wrong) CHECK(*wrong == "");
}

TEST_CASE("a sweep whose disk fills goes on when there is room") {
  const TemporaryFolder folder;
  const auto sweep = [](const std::string& place) {
    return std::vector<std::string>{
        "sweep", "scenarios/saturn_v.json", "--vary", "cluster.nodes=1..40", "--threads", "1",
        "--db",  place + "/a.db",           "--csv",  place + "/a.csv"};
  };
  REQUIRE(run_under({}, sweep(folder.path())).code == 0);
  const std::string wanted = read_file(folder / "a.csv");
  const std::optional<std::string> wrong = on_small_disk(1 << 20, [&](const std::string& disk) {
    std::string out;
    for (const std::size_t room : {0UL, 8192UL, 32768UL}) {
      write(disk + "/filler", std::string(2 << 20, 'x'));
      std::filesystem::resize_file(disk + "/filler", std::filesystem::file_size(disk + "/filler") - room);
      const End full = run_under({}, sweep(disk));
      if (full.code != 0 && !has(full.errors, disk + "/a.")) out += "no file is named: " + full.errors + "\n";
      if (full.code == 0 && room == 0) out += "a sweep was written to a full disk\n";
      std::filesystem::remove(disk + "/filler");
      const End roomy = run_under({}, sweep(disk));
      if (roomy.code != 0) out += "fails with room: " + roomy.errors + "\n";
      if (read_file(disk + "/a.csv") != wanted) out += "other rows than those of an undisturbed sweep\n";
      std::filesystem::remove(disk + "/a.db");
      std::filesystem::remove(disk + "/a.csv");
    }
    return out;
  });
  if (wrong) CHECK(*wrong == "");
}

TEST_CASE("a file that is exchanged, cut and removed while commands read it is read whole or refused") {
  const TemporaryFolder folder;
  const std::string path = folder / "in.json";
  const std::string whole = read_file(std::string{RACKCAST_SOURCE_DIR} + "/tests/data/results/serving.json");
  const std::jthread other{[&](const std::stop_token& done) {
    for (std::size_t i = 0; !done.stop_requested(); ++i) {
      write(path,
            whole.substr(0, i % 3 == 0 ? whole.size() / 2 : whole.size()));  // not atomic: cut, then grown
      if (i % 3 == 2) std::filesystem::remove(path);
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }};
  for (int i = 0; i < 30; ++i) {
    const End end = run_under({}, {"report", path, "-o", folder / "out.txt"});
    INFO(end.errors);
    CHECK(end.signal == 0);
    CHECK((end.code == 0 || (end.code == 3 && has(end.errors, "in.json"))));
  }
}

TEST_CASE("a pipe is no input: a writer that never comes would be waited for without end") {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe.json";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const char* command : {"size", "report", "campaign"}) {
    const End end = run_under({.killed_after = Seconds{60}}, {command, pipe});
    CAPTURE(command);
    CHECK(end.signal == 0);
    CHECK(end.code == 3);
    CHECK(has(end.errors, "not a regular file"));
  }
}

TEST_CASE("two writers of one file leave the whole of one of them") {
  const TemporaryFolder folder;
  const std::string path = folder / "out.json";
  const std::vector<std::string> scenarios = {"scenarios/saturn_v.json", "scenarios/imagenet_mn1.json"};
  std::vector<std::string> wanted;
  for (const std::string& scenario : scenarios) {
    REQUIRE(run_under({}, {"simulate", scenario, "-o", path}).code == 0);
    wanted.push_back(read_file(path));
  }
  for (int i = 0; i < 5; ++i) {
    auto second = std::async(std::launch::async, [&] {
      return run_under({}, {"simulate", scenarios[1], "-o", path});
    });
    CHECK(run_under({}, {"simulate", scenarios[0], "-o", path}).code == 0);
    CHECK(second.get().code == 0);
    CHECK(std::ranges::count(wanted, read_file(path)) == 1);
    CHECK(files_in(folder) == 1);
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
                                {"size", "scenarios/power_limited_site.json", "--threads", threads});
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
