/// fio's plain output, versions 2 and 3:
///
///   seq: (g=0): rw=read, bs=(R) 1024KiB-1024KiB, (W) ..., ioengine=libaio, iodepth=32     (3.x)
///   rand: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=1            (2.x)
///     read: IOPS=95.6k, BW=373MiB/s (391MB/s)(10.9GiB/30001msec)                          (3.x)
///     read : io=10240MB, bw=375.2MB/s, iops=96057, runtime= 27293msec                     (2.x)
///      lat (usec): min=66, max=9162, avg=334.07, stdev=65.56
///
/// In 3.x the rate without brackets has binary prefixes; in 2.x "MB/s" means 2^20 bytes. The plain output
/// does not say whether I/O was direct.
#include <fmt/format.h>

#include <map>

#include "calibrate/import/fio_report.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

std::string_view until(std::string_view text, std::string_view ends) {
  return text.substr(0, std::min(text.find_first_of(ends), text.size()));
}

FioJob read_description(const ImportSource& source, std::string_view line) {
  FioJob job;
  job.pattern = product_name(until(*between(line, "rw=", ""), ", "));
  if (const auto bs = between(line, "bs=", "")) {
    std::string_view size = bs->starts_with("(R) ") ? bs->substr(4) : *bs;
    size = until(size, "-,/ ");
    const auto value = fio_size(size);
    if (!value) source.fail(size, fmt::format("{} is no block size of fio", in_quotes(size)));
    job.block = *value;
  }
  if (const auto engine = between(line, "ioengine=", "")) job.engine = product_name(until(*engine, ", "));
  if (const auto depth = between(line, "iodepth=", ""))
    job.depth = static_cast<int>(source.number(until(*depth, ", "), 1, 1e6, "the depth"));
  return job;
}

/// "373MiB/s" or "375.2MB/s" of 2.x: binary.
double rate(const ImportSource& source, std::string_view text) {
  std::string_view size = until(text, ", (");
  if (!size.ends_with("/s")) source.fail(text, fmt::format("{} is no rate", in_quotes(size)));
  const auto value = fio_size(size.substr(0, size.size() - 2));
  if (!value) source.fail(text, fmt::format("{} is no rate", in_quotes(size)));
  return *value;
}

/// "95.6k", "96057", "1.2M": decimal.
double operations(const ImportSource& source, std::string_view text) {
  std::string_view number = until(text, ", ");
  double factor = 1;
  if (number.ends_with('k')) factor = 1e3;
  if (number.ends_with('M')) factor = 1e6;
  if (factor > 1) number.remove_suffix(1);
  return factor * source.number(number, 0, 1e12, "the number of operations");
}

void read_side(const ImportSource& source, std::string_view line, FioSide& side) {
  for (const std::string_view key : {"BW=", "bw="})
    if (const auto text = between(line, key, "")) side.bytes_per_s += rate(source, *text);
  for (const std::string_view key : {"IOPS=", "iops="})
    if (const auto text = between(line, key, "")) side.operations_per_s += operations(source, *text);
}

void read_latency(const ImportSource& source, std::string_view line, FioSide& side) {
  const auto average = between(line, "avg=", "");
  const auto unit = between(line, "(", ")");
  if (!average || !unit) return;
  const double factor = *unit == "nsec" ? 1e-9 : *unit == "usec" ? 1e-6 : *unit == "msec" ? 1e-3 : 1;
  std::string_view number = until(trimmed(*average), ", ");
  side.latency_s = factor * source.number(number, 0, 1e12, "the latency");
}

}  // namespace

std::vector<FioJob> read_fio_text(const ImportSource& source, ImportOutput& out) {
  std::map<std::string_view, FioJob> described;  // by the name before ": (g=0)"
  std::vector<FioJob> jobs;
  FioJob last;
  bool open = false, summed_up = false;
  FioSide* side = nullptr;
  for (const ImportLine& line : source.lines()) {
    const std::string_view text = trimmed(line.text);
    const std::size_t group = text.find(": (g");
    if (group != std::string_view::npos && text.find("rw=") != std::string_view::npos) {
      if (described.size() == most_fio_jobs) source.fail(text, "more than 10000 jobs");
      described[text.substr(0, group)] = last = read_description(source, text);
    } else if (text.starts_with("fio-")) {
      out.version = std::string{until(text, " ")};
    } else if (text.find("groupid=") != std::string_view::npos) {
      // "seq: (groupid=0, jobs=4): err= 0: pid=...": the results of a job follow.
      if (const auto error = between(text, "err=", ":");
          error && to_number(trimmed(until(trimmed(*error), "("))).value_or(0) != 0)
        source.fail(text, "fio reports an error of this job: its numbers mean nothing");
      if (jobs.size() == most_fio_jobs) source.fail(text, "more than 10000 jobs");
      const auto known = described.find(text.substr(0, std::min(text.find(": (groupid="), text.size())));
      jobs.push_back(known == described.end() ? last : known->second);
      if (const auto count = between(text, "jobs=", ")"))
        jobs.back().jobs = static_cast<int>(source.number(trimmed(*count), 1, 1e6, "the number of jobs"));
      open = true;
      side = nullptr;
    } else if (open && (text.starts_with("read:") || text.starts_with("read :"))) {
      read_side(source, text, *(side = &jobs.back().read));
    } else if (open &&
               (text.starts_with("write:") || text.starts_with("write:") || text.starts_with("write :"))) {
      read_side(source, text, *(side = &jobs.back().write));
    } else if (side && text.starts_with("lat (") && text.find("avg=") != std::string_view::npos) {
      read_latency(source, text, *side);
    } else if (text.starts_with("Run status group")) {
      open = false;
      summed_up = true;
      side = nullptr;
    }
  }
  if (!jobs.empty() && !summed_up)
    out.warnings.emplace_back(
        "the text ends before fio's summary (\"Run status group\"): the file is cut off, and jobs may be "
        "missing");
  return jobs;
}

}  // namespace rackcast
