// Slurm accounting exports: what is read, and what is refused with its line and column.
#include "scenarios/campaign/sacct.hpp"

#include <doctest/doctest.h>

#include <string>

#include "sim/base/error.hpp"

using namespace rackcast;

namespace {

const std::string kHeader = "JobID|User|Submit|Start|End|ElapsedRaw|TimelimitRaw|NNodes|State\n";
const std::string kFirst =
    "17|ann|2018-03-28T08:00:00|2018-03-28T09:30:00|2018-03-28T10:30:00|3600|120|4|COMPLETED\n";

Error refused(const std::string& text) {
  try {
    read_sacct(text, "log.sacct");
  } catch (const Error& e) {
    return e;
  }
  FAIL("accepted: " << text);
  return Error{""};
}

}  // namespace

TEST_CASE("jobs are read by column name; steps and jobs that never ran are left out") {
  const RecordedWorkload log = read_sacct(
      kHeader +
          "18|bob|2018-03-29T08:00:00|2018-03-29T08:00:00|2018-03-29T08:10:00|600|UNLIMITED|1|TIMEOUT\n" +
          kFirst +
          "17.batch||2018-03-28T09:30:00|2018-03-28T09:30:00|2018-03-28T10:30:00|3600||1|COMPLETED\n" +
          "19|bob|2018-03-29T09:00:00|Unknown|Unknown|0|60|1|CANCELLED by 17\n",
      "log.sacct");
  REQUIRE(log.jobs.size() == 2);
  CHECK(log.steps == 1);
  CHECK(log.never_ran == 1);
  CHECK(log.jobs[0].id == "17");  // sorted by submission
  CHECK(log.jobs[0].user == "ann");
  CHECK(log.jobs[0].submit == Duration{0});
  CHECK(log.jobs[0].waited == Duration{5400});
  CHECK(log.jobs[0].limit == Duration{7200});
  CHECK(log.jobs[0].nodes == 4);
  CHECK(log.jobs[1].submit == Duration{86400});
  CHECK_FALSE(log.jobs[1].limit);
}

TEST_CASE("without ElapsedRaw the run time comes from Elapsed, or from Start and End") {
  CHECK(
      read_sacct("JobID|Submit|Elapsed|NNodes\n1|2018-03-28T08:00:00|1-02:03:04|1\n", "f").jobs[0].elapsed ==
      Duration{93784});  // 86400 + 2 x 3600 + 3 x 60 + 4
  CHECK(read_sacct(
            "JobID|Submit|Start|End|NNodes\n1|2018-03-28T08:00:00|2018-03-28T08:00:00|2018-03-28T08:00:30|1"
            "\r\n",
            "f")
            .jobs[0]
            .elapsed == Duration{30});
}

TEST_CASE("broken exports are refused with their line and column") {
  CHECK(refused("").hint().find("parsable2") != std::string::npos);
  CHECK(refused("JobID|Submit|NNodes\n").message() == "no column ElapsedRaw");
  CHECK(refused("JobID Submit NNodes\n").where().line == 1);
  const Error twice = refused("JobID|Submit|Start|End|NNodes|Submit\n");
  CHECK(twice.message() == "the column Submit is there twice");
  CHECK(twice.where().column == 31);
  const auto variant = [](const std::string& from, const std::string& to) {
    std::string line = kFirst;
    return kHeader + line.replace(line.find(from), from.size(), to);
  };
  for (const auto& [from, to] : {std::pair{"2018-03-28T08", "2018-13-28T08"},
                                 {"|3600|", "|an hour|"},
                                 {"|4|", "|four|"},
                                 {"|4|", "|-4|"},
                                 {"|4|", "|99999999999|"},
                                 {"|120|", "|2 h|"},
                                 {"T09:30:00", " 09:30:00"},
                                 {"|COMPLETED", ""},
                                 {"|COMPLETED", "|COMPLETED|"},
                                 {"2018-03-28T08:00:00", ""}}) {
    const std::string variation{to};
    CAPTURE(variation);
    const Error e = refused(variant(from, to));
    CHECK(e.where().line == 2);
    CHECK(e.where().column >= 1);
    CHECK(e.kind() == ErrorKind::invalid_input);
  }
  CHECK(refused(variant("|4|", "|four|")).where().column == 77);
}

TEST_CASE("a job that ran again after a requeue counts twice, a line that is there twice is refused") {
  const std::string header = "JobID|Submit|Start|ElapsedRaw|NNodes\n";
  const std::string first = "7|2018-03-28T08:00:00|2018-03-28T09:00:00|600|2\n";
  const std::string again = "7|2018-03-28T08:00:00|2018-03-28T10:00:00|600|2\n";
  CHECK(read_sacct(header + first + again, "f").jobs.size() == 2);
  const Error e = refused(header + first + again + first);
  CHECK(e.message() == "line 2 again, of job 7");
  CHECK(e.where().line == 4);
}

TEST_CASE("an export without jobs is empty, not an error") {
  CHECK(read_sacct(kHeader, "f").jobs.empty());
}
