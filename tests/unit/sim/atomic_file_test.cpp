#include "sim/base/atomic_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/ordinary_user.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

namespace {

std::string content(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

long files_in(const TemporaryFolder& folder) {
  return std::distance(std::filesystem::directory_iterator{folder.path()},
                       std::filesystem::directory_iterator{});
}

std::string said(const std::string& path) {
  return error_text([&] { write_file_atomically(path, "x"); });
}

}  // namespace

TEST_CASE("a file is written whole and nothing else is left") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a.json", std::string("a\0b", 3));
  CHECK(content(folder / "a.json") == std::string("a\0b", 3));
  write_file_atomically(folder / "a.json", "new");
  CHECK(content(folder / "a.json") == "new");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("the mode of a file stays and a link is followed") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a", "old");
  REQUIRE(::chmod((folder / "a").c_str(), 0640) == 0);
  std::filesystem::create_symlink("a", folder / "link");
  write_file_atomically(folder / "link", "new");
  CHECK(content(folder / "a") == "new");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  struct stat status {};
  REQUIRE(::stat((folder / "a").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
}

TEST_CASE("a file left by a crash does not stand in the way") {
  const TemporaryFolder folder;
  std::ofstream{folder / ("a.tmp-" + std::to_string(::getpid()) + "-0")} << "left";
  write_file_atomically(folder / "a", "new");
  CHECK(content(folder / "a") == "new");
}

TEST_CASE("what cannot be written says why") {
  const TemporaryFolder folder;
  std::ofstream{folder / "file"} << "x";
  CHECK(said("") == "error: the name of the file to write is empty");
  CHECK(said(folder.path()) ==
        folder.path() + ": error: cannot write: this is a folder\n  hint: name a file in it");
  CHECK(said(folder / "none/a") == folder / "none/a" + ": error: cannot write: there is no folder \"" +
                                       folder / "none" + "\"\n  hint: make the folder first");
  CHECK(contains(said(folder / "file/a"), "is not a folder"));
  CHECK(said("/dev/full") ==
        "/dev/full: error: cannot write: the disk is full or the quota used up\n"
        "  hint: free some space or choose another folder");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a folder without permission says so") {
  const TemporaryFolder folder;
  REQUIRE(::chmod(folder.path().c_str(), 0555) == 0);
  CHECK(contains(as_ordinary_user([&] { return said(folder / "a"); }), "error: cannot write: no permission"));
}
