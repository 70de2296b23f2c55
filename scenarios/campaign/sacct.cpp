#include "scenarios/campaign/sacct.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <unordered_map>

#include "sim/base/error.hpp"
#include "sim/base/split.hpp"

namespace rackcast {

namespace {

constexpr std::size_t kMostJobsOfFile = 5'000'000;

std::optional<long> whole_number(std::string_view text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// "2018-03-28T17:04:05" as seconds since 1970, time zones left alone.
std::optional<double> timestamp(std::string_view t) {
  if (t.size() != 19 || t[4] != '-' || t[7] != '-' || t[10] != 'T' || t[13] != ':' || t[16] != ':')
    return std::nullopt;
  const auto part = [t](std::size_t from, std::size_t n) {
    return whole_number(t.substr(from, n));
  };
  const auto year = part(0, 4), month = part(5, 2), day = part(8, 2), hour = part(11, 2),
             minute = part(14, 2), second = part(17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(*year)},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const auto days = std::chrono::sys_days{date}.time_since_epoch().count();
  return 86400.0 * static_cast<double>(days) + 3600.0 * static_cast<double>(*hour) +
         60.0 * static_cast<double>(*minute) + static_cast<double>(*second);
}

/// "[days-]hours:minutes:seconds" or "minutes:seconds".
std::optional<double> elapsed_text(std::string_view text) {
  double seconds = 0;
  if (const auto dash = text.find('-'); dash != std::string_view::npos) {
    const auto days = whole_number(text.substr(0, dash));
    if (!days) return std::nullopt;
    seconds = 86400.0 * static_cast<double>(*days);
    text.remove_prefix(dash + 1);
  }
  double rest = 0;
  for (int parts = 0;; ++parts) {
    const auto colon = text.find(':');
    const auto value = whole_number(text.substr(0, colon));
    if (!value || parts > 2) return std::nullopt;
    rest = rest * 60 + static_cast<double>(*value);
    if (colon == std::string_view::npos) return seconds + rest;
    text.remove_prefix(colon + 1);
  }
}

class Table {
 public:
  Table(std::string_view header, const std::string& file) : file_(file) {
    for (const std::string_view name : split(header, '|')) {
      if (has(name))
        throw Error{
            fmt::format("the column {} is there twice", name),
            Where{file_, 1, static_cast<int>(name.data() - header.data()) + 1, {}, std::string{header}},
            "export each column once"};
      names_.emplace_back(name);
    }
    for (const char* needed : {"JobID", "Submit", "NNodes"})
      if (!has(needed)) missing(needed);
    if (!has("ElapsedRaw") && !has("Elapsed") && !(has("Start") && has("End"))) missing("ElapsedRaw");
  }

  [[nodiscard]] bool has(std::string_view name) const {
    return std::ranges::find(names_, name) != names_.end();
  }
  void line(std::string_view text, int number) {
    text_ = text;
    number_ = number;
    fields_ = split(text, '|');
    if (fields_.size() != names_.size()) {
      throw Error{fmt::format("{} fields where the first line names {}", fields_.size(), names_.size()),
                  Where{file_, number_, 1, {}, std::string{text_}},
                  "export with --parsable2: fields are separated by | and the line does not end with one"};
    }
  }
  /// Empty where the file has no such column.
  [[nodiscard]] std::string_view field(std::string_view name) const {
    const auto at = std::ranges::find(names_, name);
    return at == names_.end() ? std::string_view{} : fields_[static_cast<std::size_t>(at - names_.begin())];
  }
  [[noreturn]] void fail(std::string_view name, const std::string& expected) const {
    const std::string_view value = field(name);
    const int column = static_cast<int>(value.data() - text_.data()) + 1;
    throw Error{fmt::format("{} is \"{}\"; expected {}", name, value, expected),
                Where{file_, number_, column, {}, std::string{text_}}};
  }

 private:
  [[noreturn]] void missing(const std::string& name) const {
    throw Error{fmt::format("no column {}", name), Where{file_, 1, 1},
                "sacct --parsable2 --format=JobID,User,Submit,Start,End,ElapsedRaw,TimelimitRaw,NNodes"};
  }

  const std::string& file_;
  std::vector<std::string> names_;
  std::vector<std::string_view> fields_;
  std::string_view text_;
  int number_ = 0;
};

bool unset(std::string_view text) {
  return text.empty() || text == "Unknown" || text == "None" || text == "N/A";
}

std::optional<double> time_of(const Table& row, std::string_view column) {
  if (unset(row.field(column))) return std::nullopt;
  const auto time = timestamp(row.field(column));
  if (!time) row.fail(column, "a time such as 2018-03-28T17:04:05");
  return time;
}

double elapsed_of(const Table& row) {
  if (!unset(row.field("ElapsedRaw"))) {
    const auto seconds = whole_number(row.field("ElapsedRaw"));
    if (!seconds) row.fail("ElapsedRaw", "whole seconds");
    return static_cast<double>(*seconds);
  }
  if (!unset(row.field("Elapsed"))) {
    const auto seconds = elapsed_text(row.field("Elapsed"));
    if (!seconds) row.fail("Elapsed", "a time such as 1-02:03:04");
    return *seconds;
  }
  const auto start = time_of(row, "Start"), end = time_of(row, "End");
  if (!start || !end) return 0;
  if (*end < *start) row.fail("End", "a time after Start");
  return *end - *start;
}

std::optional<Duration> limit_of(const Table& row) {
  if (!unset(row.field("TimelimitRaw")) && row.field("TimelimitRaw") != "UNLIMITED" &&
      row.field("TimelimitRaw") != "Partition_Limit") {
    const auto minutes = whole_number(row.field("TimelimitRaw"));
    if (!minutes) row.fail("TimelimitRaw", "whole minutes");
    return Duration{60.0 * static_cast<double>(*minutes)};
  }
  if (!unset(row.field("Timelimit")) && row.field("Timelimit") != "UNLIMITED" &&
      row.field("Timelimit") != "Partition_Limit") {
    const auto seconds = elapsed_text(row.field("Timelimit"));
    if (!seconds) row.fail("Timelimit", "a time such as 1-02:03:04");
    return Duration{*seconds};
  }
  return std::nullopt;
}

RecordedJob read_job(const Table& row) {
  RecordedJob job;
  job.id = row.field("JobID");
  job.user = row.field("User");
  const auto submit = time_of(row, "Submit");
  if (!submit) row.fail("Submit", "a time such as 2018-03-28T17:04:05");
  job.submit = Duration{*submit};
  job.elapsed = Duration{elapsed_of(row)};
  const auto nodes = whole_number(row.field("NNodes"));
  if (!nodes || *nodes > 1'000'000) row.fail("NNodes", "a number of nodes");
  job.nodes = static_cast<int>(*nodes);
  if (const auto start = time_of(row, "Start"); start && *start >= *submit)
    job.waited = Duration{*start - *submit};
  job.limit = limit_of(row);
  return job;
}

}  // namespace

RecordedWorkload read_sacct(std::string_view text, const std::string& file) {
  const auto next_line = [&text] {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  };
  if (text.empty()) throw Error{"the file is empty", Where{file}, "export with sacct --parsable2"};
  Table row{next_line(), file};
  RecordedWorkload out;
  std::unordered_map<std::string_view, int> lines;  // of jobs, by text: a requeued job has another Start
  for (int number = 2; !text.empty(); ++number) {
    const std::string_view line = next_line();
    if (line.empty()) continue;
    row.line(line, number);
    if (row.field("JobID").find('.') != std::string_view::npos) {
      ++out.steps;
      continue;
    }
    RecordedJob job = read_job(row);
    if (job.elapsed <= Duration{0} || job.nodes < 1) {
      ++out.never_ran;
      continue;
    }
    if (const auto [first, is_new] = lines.try_emplace(line, number); !is_new)
      throw Error{fmt::format("line {} again, of job {}", first->second, job.id),
                  Where{file, number, 1, {}, std::string{line}},
                  "where exports overlap, keep each line once"};
    if (out.jobs.size() >= kMostJobsOfFile) throw Error{"more than 5 million jobs", Where{file, number, 1}};
    out.jobs.push_back(std::move(job));
  }
  std::ranges::stable_sort(out.jobs, {}, &RecordedJob::submit);
  if (!out.jobs.empty()) {
    const Duration first = out.jobs.front().submit;
    for (RecordedJob& job : out.jobs) job.submit -= first;
  }
  return out;
}

}  // namespace rackcast
