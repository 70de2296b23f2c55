// The command that lays results beside each other: every format, and what it refuses.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/ordinary_user.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

namespace {

const std::string kResults = std::string{RACKCAST_SOURCE_DIR} + "/tests/data/results/";
const std::string kA = kResults + "fleet_whole.json", kB = kResults + "fleet_feasible.json";

}  // namespace

TEST_CASE("results are compared in every format, the same bytes each time") {
  const TemporaryFolder folder;
  std::string outputs;
  for (const char* ending : {"html", "md", "txt", "csv", "xlsx", "json"})
    outputs += " -o " + folder / "c." + ending;
  const Outcome out = run("compare " + kA + " " + kB + outputs);
  CHECK(out.code == 0);
  CHECK(has(out, "B less A"));
  CHECK(read_file(folder / "c.html").starts_with("<!doctype html>"));
  CHECK(read_file(folder / "c.md").find("| Time to train |") != std::string::npos);
  CHECK(read_file(folder / "c-figures.csv").starts_with("Figure,A,"));
  CHECK(std::filesystem::file_size(folder / "c.xlsx") > 2000);
  CHECK(read_file(folder / "c.json").find("\"rackcast-comparison\"") != std::string::npos);
  CHECK(run("compare " + kA + " " + kB).output == run("compare " + kA + " " + kB).output);
}

TEST_CASE("scenarios are answered first, three of them if need be, and beside results") {
  const TemporaryFolder folder;
  const std::string power = "scenarios/power_limited_site.json";
  const std::string looser = folder / "looser.json";
  write_file_atomically(looser, "{\"extends\": \"" + std::string{RACKCAST_SOURCE_DIR} + "/" + power +
                                    "\", \"goal\": {\"deadline\": \"2 days\"}}");
  const Outcome out = run("compare " + power + " " + looser);
  CHECK(out.code == 0);
  CHECK_MESSAGE(has(out, "/goal/deadline"), out.output);
  CHECK(has(out, "nodes fewer"));
  const Outcome three = run("compare " + power + " " + looser + " " + kA);
  CHECK(three.code == 0);
  CHECK(has(three, "C less A"));
}

TEST_CASE("what cannot be compared is exit code 3 with its reason, and leaves no file") {
  const TemporaryFolder folder;
  const auto written = [&](const char* name, const std::string& text) {
    write_file_atomically(folder / name, text);
    return folder / name;
  };
  const std::string whole = read_file(kA);
  const auto refused = [&](const std::string& files, const std::string& why) {
    CAPTURE(files);
    const Outcome out = run("compare " + files + " -o " + folder / "out.html", 60);
    CHECK(out.code == 3);
    CHECK_MESSAGE(has(out, why), out.output);
    CHECK_FALSE(std::filesystem::exists(folder / "out.html"));
  };
  refused(kA, "nothing to compare it with");
  refused(kA + " " + kA, "are the same file");
  refused(kA + " " + kResults + "../results/fleet_whole.json", "are the same file");
  refused(kA + " " + folder / "missing.json", "missing.json");
  refused(kA + " " + folder.path(), folder.path());  // a folder
  refused(kA + " " + written("half.json", whole.substr(0, whole.size() / 2)), "half.json:");
  refused(kA + " " + written("empty.json", ""), "empty.json");
  refused(kA + " " +
              written("binary.json", std::string("\x7f"
                                                 "ELF\x02\x01\0\0\xff\xfe",
                                                 10)),
          "binary.json");
  refused(kA + " " + written("list.json", "[1, 2]"), "list.json:1:1");
  refused(kA + " " + written("other.json", "{\"format\": \"rackcast-box\", \"version\": 1}"),
          "this is not a rackcast result");
  refused(kA + " " + written("old.json", "{\"format\": \"rackcast-result\", \"version\": 1}"), "version 1");
  refused(kA + " " + written("neither.json", "{\"x\": 1}"), "neither a result");
  refused(kA + " scenarios/dgx_pod_team_dgx1.json", "a campaign is compared with nothing");
  refused(kA + " " + kResults + "serving.json", "have no time in common");
  CHECK(run("compare " + kA + " " + kB + " -o " + folder / "out.docx").code == 2);
  CHECK(run("compare").code == 2);
}

TEST_CASE("a result that may not be read is exit code 3") {
  const TemporaryFolder folder;
  const std::string closed = folder / "closed.json";
  write_file_atomically(closed, read_file(kA));
  std::filesystem::permissions(closed, std::filesystem::perms::none);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const std::string said = as_ordinary_user([&] {
    const Outcome out = run("compare " + kB + " " + closed);
    return std::to_string(out.code) + " " + out.output;
  });
  CHECK_MESSAGE(said.starts_with("3 "), said);
  CHECK(said.find("closed.json") != std::string::npos);
}
