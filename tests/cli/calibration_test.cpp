// Measuring and importing as a user does it: exit codes, messages, and input that nobody should trust.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "calibrate/measure/box.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/ordinary_user.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;
using namespace std::string_literals;

namespace {

namespace fs = std::filesystem;

struct BadFile {
  std::string name, words;  ///< some of the message
};

/// Files that are no input for anything. The huge one is sparse.
std::vector<BadFile> bad_files(const TemporaryFolder& folder) {
  write_file_atomically(folder / "empty", "");
  write_file_atomically(folder / "binary", "\x1f\x8b\x08\0\xff\xfe GPU0 busbw {"s);
  write_file_atomically(folder / "huge", "{");
  fs::resize_file(folder / "huge", std::uintmax_t{65} << 20);
  fs::create_directory(folder / "folder");
  return {{folder / "empty", "error: "},      {folder / "binary", "error: "},
          {folder / "huge", "more than the"}, {folder / "folder", "this is a folder"},
          {folder / "none", "no such file"},  {"/dev/zero", "not a regular file"}};
}

}  // namespace

TEST_CASE("a box is measured, checked, compared and, without a GPU, not fitted") {
  const TemporaryFolder folder;
  const std::string box = folder / "box.json";
  const Outcome out =
      run("calibrate run -o " + box + " --quick --time '2 s' --only cpu_gemm --only memory_bandwidth");
  CHECK(out.code == 0);
  CHECK(has(out, "measurements"));
  const Outcome check = run("calibrate check " + box);
  CHECK(check.code == 0);  // the CPU and its memory have no siblings that could disagree
  CHECK(has(check, "not measured"));
  const Outcome same = run("calibrate diff " + box + " " + box);
  CHECK(same.code == 0);
  CHECK(has(same, ": 0 differ"));
  const Outcome fit = run("calibrate fit " + box + " -o " + folder / "device.json");
  CHECK(fit.code == 3);
  CHECK(has(fit, "no GPU"));
  CHECK_FALSE(std::filesystem::exists(folder / "device.json"));
  CHECK(run("calibrate fit -o x --gpu t4").code == 2);
  CHECK(run("schema box").code == 0);
}

TEST_CASE("a link at half its rate is a fault of the box: exit code 5") {
  const TemporaryFolder folder;
  Box box;
  box.complete = true;
  for (const auto& [device, seconds] : {std::pair{"gpu0-gpu1", 0.01}, std::pair{"gpu0-gpu2", 0.02}}) {
    Measurement m;
    m.id = std::string{"gpu_peer_copy/"} + device + "/bytes268435456";
    m.kind = "gpu_peer_copy";
    m.device = device;
    m.amount = 268435456;
    m.amount_unit = "B";
    m.samples.assign(9, seconds);
    box.measurements.push_back(m);
  }
  write_file_atomically(folder / "box.json", box_text(box));
  const Outcome out = run("calibrate check " + folder / "box.json", 20);
  CHECK(out.code == 5);
  CHECK(has(out, "fault: gpu_peer_copy/gpu0-gpu2"));
  // Nameless devices once were looked for without end (issue 23, 38).
  for (Measurement& m : box.measurements) m.device.clear();
  write_file_atomically(folder / "box.json", box_text(box));
  const Outcome nameless = run("calibrate check " + folder / "box.json", 20);
  CHECK(nameless.code == 3);
  CHECK(has(nameless, "\"device\" must not be empty"));
}

TEST_CASE("what cannot be read ends every import and every look at a box with exit code 3") {
  const TemporaryFolder folder;
  std::vector<std::string> commands{"calibrate check ", "calibrate fit -o " + folder / "out.json" + " "};
  for (const char* kind : {"", "nccl-tests ", "fio ", "nvidia-smi-topo ", "nvidia-smi-xml ", "nccl-topo-xml ",
                           "ibnetdiscover ", "lstopo ", "mllog ", "slurm-nodes ", "power-log "})
    commands.push_back("import -o " + folder / "out.json" + " " + kind);
  for (const BadFile& bad : bad_files(folder))
    for (const std::string& command : commands) {
      const std::string line = command + "'" + bad.name + "'";
      CAPTURE(line);
      const Outcome out = run(line, 20);
      CHECK(out.code == 3);
      CHECK(has(out, bad.words));
      CHECK_FALSE(fs::exists(folder / "out.json"));
    }
}

TEST_CASE("issue 23, item 27: a file cut in the middle is refused at its place, or read with a warning") {
  const TemporaryFolder folder;
  // Of one log the first half holds a whole job; it lacks fio's summary.
  const std::set<std::string> read_with_a_warning{"fio_3.txt"};
  const std::string half = folder / "half", out_file = folder / "out.json";
  for (const auto& entry : fs::directory_iterator{std::string{RACKCAST_SOURCE_DIR} + "/tests/data/imports"}) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    const std::string good = read_file(entry.path().string());
    write_file_atomically(half, good.substr(0, good.size() / 2));
    const Outcome out = run("import " + half + " -o " + out_file, 20);
    CAPTURE(out.output);
    const bool read = read_with_a_warning.contains(name);
    CHECK(out.code == (read ? 0 : 3));
    if (read) {
      CHECK(has(out, "warning: the text ends before fio's summary"));
    } else {
      // "half:LINE:COLUMN: error: " and the line itself.
      const auto place = out.output.find(half + ":");
      REQUIRE(place == 0);
      const std::string after = out.output.substr(half.size() + 1);
      CHECK(std::regex_search(after, std::regex{"^[0-9]+:[0-9]+: error: "}));
    }
    CHECK(fs::exists(out_file) == read);
    fs::remove(out_file);
  }
  const std::string box = folder / "box.json";
  REQUIRE(run("calibrate run -o " + box + " --time '1 s' --only memory_bandwidth").code == 0);
  const std::string good = read_file(box);
  // Behind a quote: a half that ends inside a number has yet another message.
  write_file_atomically(half, good.substr(0, good.find('"', good.size() / 2) + 1));
  for (const std::string& command :
       {"check " + half, "diff " + box + " " + half, "fit " + half + " -o " + out_file}) {
    CAPTURE(command);
    const Outcome out = run("calibrate " + command, 20);
    CHECK(out.code == 3);
    CHECK(out.output.starts_with(half + ":"));
    CHECK((has(out, "the text ends inside") || has(out, "missing closing quote")));  // wherever the half ends
    CHECK_FALSE(fs::exists(out_file));
  }
}

TEST_CASE("an output that cannot be written is refused before anything is measured") {
  const TemporaryFolder folder;
  const Outcome out = run("calibrate run -o " + folder / "none/box.json", 20);
  CHECK(out.code == 3);
  CHECK(has(out, "there is no folder"));
  CHECK(run("calibrate run -o " + folder.path(), 20).code == 3);
  const Outcome path = run("calibrate run -o " + folder / "b.json" + " --path " + folder / "none", 20);
  CHECK(path.code == 2);
  CHECK_FALSE(fs::exists(folder / "b.json"));
}

TEST_CASE("issue 23, item 27: without permission to read or write") {
  const TemporaryFolder folder;
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  // Root reads and writes everything: another user asks, with a copy of the program that this user may run.
  const bool root = ::geteuid() == 0;
  fs::create_directory(folder / "own");
  fs::copy_file(RACKCAST_PROGRAM, folder / "program");
  fs::copy_file(std::string{RACKCAST_SOURCE_DIR} + "/tests/data/imports/fio_3.txt", folder / "fio.txt");
  const std::string user = std::to_string(kNobody);
  const std::string as = root ? "setpriv --reuid=" + user + " --regid=" + user + " --clear-groups " : "";
  if (root) REQUIRE(::chown((folder / "own").c_str(), kNobody, kNobody) == 0);
  const auto ask = [&](const std::string& arguments) {
    return run_program(folder / "program", "cd '" + folder / "own" + "'", arguments, 20, as);
  };
  write_file_atomically(folder / "closed", "{}");
  fs::create_directory(folder / "locked");
  REQUIRE(::chmod((folder / "closed").c_str(), 0) == 0);
  REQUIRE(::chmod((folder / "locked").c_str(), 0500) == 0);
  CHECK(ask("--version").code == 0);
  for (const char* command : {"import ", "import fio ", "calibrate check ", "calibrate fit -o x "}) {
    const Outcome out = ask(command + folder / "closed");
    CAPTURE(out.output);
    CHECK(out.code == 3);
    CHECK(has(out, "no permission to read"));
  }
  CHECK(ask("import " + folder / "fio.txt" + " -o a").code == 0);  // where it may
  for (const std::string& command :
       {"import " + folder / "fio.txt" + " -o " + folder / "locked/a",
        "calibrate run -o " + folder / "locked/a", "calibrate run -o b --path " + folder / "locked"}) {
    CAPTURE(command);
    const Outcome out = ask(command);
    CAPTURE(out.output);
    CHECK(out.code == 3);
    CHECK((has(out, "no permission") || has(out, "Permission denied")));
  }
}

TEST_CASE("Ctrl-C keeps what was measured") {
  const TemporaryFolder folder;
  // After three seconds the test files (4 GiB) are being written, or have just been.
  const Outcome out = run("calibrate run --thorough -o " + folder / "a.json" + " --path " + folder.path(), 60,
                          "timeout --preserve-status -s INT 3 ");
  CHECK(out.code == 130);
  CHECK(has(out, "partial"));
  CHECK(run("calibrate check " + folder / "a.json").code == 0);
  CHECK(read_file(folder / "a.json").find("\"complete\": false") != std::string::npos);
  // The document is all that is left.
  CHECK(std::distance(fs::directory_iterator{folder.path()}, fs::directory_iterator{}) == 1);
  // However fast the machine, a thorough run is stopped between its first measurement and its last.
  for (const char* seconds : {"4", "8", "16", "32"}) {
    const Outcome later =
        run("calibrate run --thorough --only cpu_gemm --only jpeg_decode -o " + folder / "a.json", 60,
            std::string{"timeout --preserve-status -s INT "} + seconds + " ");
    CAPTURE(later.output);
    CHECK(later.code == 130);
    CHECK(has(later, "not measured, interrupted"));
    if (read_file(folder / "a.json").find("\"median\"") != std::string::npos) return;
  }
  FAIL("nothing was measured within half a minute");
}

TEST_CASE(
    "killed at any moment, a measurement goes on with what it has kept, and the document of before is "
    "whole") {
  const TemporaryFolder folder;
  const std::string box = folder / "a.json", growing = box + ".part";
  write_file_atomically(box, "of before");
  const std::string command =
      "calibrate run --quick --only cpu_gemm --only memory_bandwidth --only storage_read --path " +
      folder.path() + " -o " + box;
  // Before anything is measured, once something is kept, and soon after a run has gone on with it: however
  // fast the machine.
  run(command, 60, "timeout -s KILL 0.3 ");
  CHECK(read_file(box) == "of before");
  CHECK_FALSE(fs::exists(growing));
  const std::string once_kept = R"(sh -c 'part=$1; shift; "$@" & run=$!; )"
                                R"((until [ -e "$part" ]; do sleep 0.05; done; kill -KILL $run) & )"
                                R"(wait $run; ended=$?; kill $! 2>/dev/null; exit $ended' sh )";
  if (run(command, 300, once_kept + growing + " ").code == 0) {
    MESSAGE("not tried: all was measured before anything is kept");
    return;
  }
  CHECK(read_file(box) == "of before");
  REQUIRE(fs::exists(growing));
  const std::size_t measured = read_box_file(growing).measurements.size();
  REQUIRE(measured > 0);
  run(command + " --resume", 60, "timeout -s KILL 0.5 ");
  CHECK(read_file(box) == "of before");
  const Box part = read_box_file(growing);
  CHECK_FALSE(part.complete);
  CHECK(part.measurements.size() == measured);
  // Another effort measures otherwise.
  const Outcome other = run("calibrate run --thorough -o " + box + " --path " + folder.path() + " --resume");
  CHECK(other.code == 3);
  CHECK(has(other, "a.json.part: error: cannot resume: the document's effort is \"quick\""));
  const Outcome again = run(command);
  CHECK(again.code == 3);
  CHECK(has(again, "add --resume, or remove the file"));
  const Outcome last = run(command + " --resume --time 1ms");
  CAPTURE(last.output);
  CHECK(last.code == 0);
  CHECK(has(last, std::to_string(measured) + " measurements kept from "));
  const Box whole = read_box_file(box);
  for (std::size_t i = 0; i < measured; ++i) CHECK(whole.measurements[i] == part.measurements[i]);
  // The document is all that is left: no growing one, no test files of the runs that were killed.
  CHECK(std::distance(fs::directory_iterator{folder.path()}, fs::directory_iterator{}) == 1);
}

TEST_CASE("a measurement goes into a pipe, and with nothing to resume says so") {
  const TemporaryFolder folder;
  const std::string command = "calibrate run --quick --only cpu_gemm --time 1ms -o ";
  const Outcome piped = run(command + "/dev/stdout");
  CHECK(piped.code == 0);
  CHECK(has(piped, "\"rackcast-box\""));
  CHECK_FALSE(fs::exists("/dev/stdout.part"));
  const Outcome anew = run(command + folder / "a.json" + " --resume");
  CHECK(anew.code == 0);
  CHECK(has(anew, "nothing to resume: all was measured anew"));
}

TEST_CASE("processes of a launcher are not let loose on one document") {
  const TemporaryFolder folder;
  const auto with = [&](const std::string& variables, const std::string& arguments) {
    return run("calibrate run -o " + folder / "a.json" + " " + arguments, 20, "env " + variables + " ");
  };
  const std::string two = "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 ";
  CHECK(with(two, "").code == 2);
  CHECK(has(with(two, ""), "--leader"));
  CHECK(with("", "--leader localhost:1").code == 2);
  CHECK(with(two + "OMPI_COMM_WORLD_LOCAL_SIZE=2", "--leader localhost:1").code == 2);
  CHECK(with(two, "--leader nonsense").code == 2);
}
