/// fio's results as limits of a storage system: rate of large reads and writes, operations of small random
/// reads, latency of one at a time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "calibrate/import/fio_report.hpp"

namespace rackcast {
namespace {

using nlohmann::ordered_json;

ordered_json side_json(const FioSide& side) {
  ordered_json out{{"bandwidth", fmt::format("{:.6g} MB/s", side.bytes_per_s / 1e6)}};
  if (side.operations_per_s > 0) out["operations"] = fmt::format("{:.6g} IOPS", side.operations_per_s);
  if (side.latency_s > 0) out["latency"] = fmt::format("{:.6g} us", side.latency_s * 1e6);
  return out;
}

ordered_json job_json(const FioJob& job) {
  ordered_json out{{"pattern", job.pattern}};
  if (job.block > 0) out["block"] = fmt::format("{:.0f} B", job.block);
  out["depth"] = job.depth;
  out["jobs"] = job.jobs;
  out["direct"] = job.direct;
  if (!job.engine.empty()) out["engine"] = job.engine;
  if (job.read.bytes_per_s > 0) out["read"] = side_json(job.read);
  if (job.write.bytes_per_s > 0) out["write"] = side_json(job.write);
  return out;
}

struct Limits {
  double read = 0, write = 0, small_reads = 0, latency = 0;
};

Limits limits_of(const std::vector<FioJob>& jobs) {
  constexpr double small_block = 16 * 1024;
  Limits out;
  for (const FioJob& job : jobs) {
    out.read = std::max(out.read, job.read.bytes_per_s);
    out.write = std::max(out.write, job.write.bytes_per_s);
    const bool small = job.block > 0 && job.block <= small_block;
    if (small && job.pattern.starts_with("rand"))
      out.small_reads = std::max(out.small_reads, job.read.operations_per_s);
    if (small && job.depth * job.jobs == 1 && job.read.latency_s > 0)
      out.latency = out.latency == 0 ? job.read.latency_s : std::min(out.latency, job.read.latency_s);
  }
  return out;
}

ordered_json fact(double value, const char* unit) {
  return {{"value", value}, {"unit", unit}, {"source", "fio"}, {"confidence", "verified"}};
}

/// Six significant digits: more than two runs of fio have in common.
double rounded(double value) {
  return std::stod(fmt::format("{:.6g}", value));
}

}  // namespace

std::optional<double> fio_size(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto value = to_number(text.substr(0, digits));
  if (!value) return std::nullopt;
  std::string_view unit = text.substr(digits);
  if (unit.ends_with("iB")) unit.remove_suffix(2);
  if (unit.ends_with('B')) unit.remove_suffix(1);
  constexpr std::array<std::pair<char, double>, 5> prefixes{{{'k', 1024.0},
                                                             {'m', 1048576.0},
                                                             {'g', 1073741824.0},
                                                             {'t', 1099511627776.0},
                                                             {'p', 1125899906842624.0}}};
  if (unit.empty()) return value;
  if (unit.size() > 1) return std::nullopt;
  for (const auto& [letter, factor] : prefixes)
    if (unit[0] == letter || unit[0] == letter - 32) return *value * factor;
  return std::nullopt;
}

void import_fio(const Catalog&, const ImportSource& source, ImportOutput& out) {
  const bool json = source.text().find("\"fio version\"") != std::string_view::npos;
  const std::vector<FioJob> jobs = json ? read_fio_json(source, out) : read_fio_text(source, out);
  if (jobs.empty())
    source.fail(std::size_t{0}, "the file holds no result of a job", "save fio's whole output");
  if (std::ranges::all_of(jobs,
                          [](const FioJob& j) { return j.read.bytes_per_s + j.write.bytes_per_s <= 0; }))
    source.fail(source.text().size(), "no job has read or written anything");
  out.body["jobs"] = ordered_json::array();
  for (const FioJob& job : jobs) out.body["jobs"].push_back(job_json(job));
  if (std::ranges::any_of(jobs, [](const FioJob& j) { return !j.direct; }))
    out.warnings.emplace_back(
        "some jobs ran without direct=1: what they read may have come from the page cache");
  const Limits limits = limits_of(jobs);
  if (limits.read <= 0) {
    out.warnings.emplace_back("nothing was read: the file does not become a storage system for scenarios");
  } else {
    ordered_json facts;
    facts["read_gb_per_s"] = fact(rounded(limits.read / 1e9), "GB/s");
    if (limits.write > 0) facts["write_gb_per_s"] = fact(rounded(limits.write / 1e9), "GB/s");
    if (limits.small_reads > 0) facts["read_kiops"] = fact(rounded(limits.small_reads / 1e3), "kIOPS");
    if (limits.latency > 0) facts["latency_us"] = fact(rounded(limits.latency * 1e6), "us");
    out.body["storage"] = {{"name", "Storage measured with fio"}, {"type", "measured"}, {"facts", facts}};
    if (limits.small_reads <= 0)
      out.warnings.emplace_back("no small random reads: the limit by operations is not known");
    if (limits.latency <= 0)
      out.warnings.emplace_back(
          "no small reads one at a time (iodepth=1, numjobs=1): the latency is not known");
  }
  out.summary = fmt::format("{} jobs of fio, reads up to {:.3g} GB/s", jobs.size(), limits.read / 1e9);
}

}  // namespace rackcast
