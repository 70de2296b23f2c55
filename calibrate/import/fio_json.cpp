/// fio --output-format=json (and json+), versions 2 and 3. Times are nanoseconds ("lat_ns") since 3.0 and
/// microseconds ("lat") before; rates are KiB/s ("bw") and since 3.0 also bytes ("bw_bytes"). Options stand
/// once for all jobs ("global options") and for each. Source: HOWTO of fio, "JSON output".
#include <fmt/format.h>

#include <limits>

#include "calibrate/import/fio_report.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

constexpr double most = 1e15;

double number_or(const Json& object, std::string_view key, double fallback) {
  const Json* found = object.find(key);
  if (!found || found->is_null()) return fallback;
  const double value = found->number();
  if (!(value >= 0 && value <= most))
    found->fail(fmt::format("{} must lie between 0 and {:g}", in_quotes(key), most));
  return value;
}

/// Options are strings in JSON ("iodepth": "32").
struct Options {
  const Json* global = nullptr;
  const Json* own = nullptr;

  [[nodiscard]] const Json* find(std::string_view key) const {
    for (const Json* options : {own, global}) {
      if (!options) continue;
      if (const Json* found = options->find(key)) return found;
    }
    return nullptr;
  }
  [[nodiscard]] std::string text(std::string_view key, const std::string& fallback) const {
    const Json* found = find(key);
    return found ? found->string() : fallback;
  }
  [[nodiscard]] int count(std::string_view key) const {
    const Json* found = find(key);
    if (!found) return 1;
    const auto value = to_number(trimmed(found->string()));
    if (!value || *value < 1 || *value > 1e6) found->fail("a whole number from 1 to a million is expected");
    return static_cast<int>(*value);
  }
};

FioSide read_side(const Json* json) {
  FioSide side;
  if (!json) return side;
  side.bytes_per_s = number_or(*json, "bw_bytes", number_or(*json, "bw", 0) * 1024);
  side.operations_per_s = number_or(*json, "iops", 0);
  if (const Json* ns = json->find("lat_ns")) side.latency_s = number_or(*ns, "mean", 0) * 1e-9;
  if (const Json* us = json->find("lat")) side.latency_s = number_or(*us, "mean", 0) * 1e-6;
  return side;
}

FioJob read_job(const Json& json, const Json* global) {
  const Options options{global, json.find("job options")};
  FioJob job;
  job.pattern = product_name(options.text("rw", options.text("readwrite", "read")));
  job.engine = product_name(options.text("ioengine", ""));
  job.depth = options.count("iodepth");
  job.jobs = options.count("numjobs");
  job.direct = options.text("direct", "0") == "1";
  const std::string block = options.text("bs", options.text("blocksize", ""));
  // "4k,8k" gives reads and writes apart; the reads' counts.
  if (!block.empty()) {
    const auto size = fio_size(block.substr(0, block.find(',')));
    if (!size) options.find(options.find("bs") ? "bs" : "blocksize")->fail("this is not a block size of fio");
    job.block = *size;
  } else {
    job.block = 4096;  // fio's default
  }
  if (number_or(json, "error", 0) != 0)
    json.fail("fio reports an error of this job: its numbers mean nothing");
  job.read = read_side(json.find("read"));
  job.write = read_side(json.find("write"));
  return job;
}

/// fio prints notes around the document; they become blanks, so that places stay.
std::string document_only(const ImportSource& source) {
  std::string text{source.text()};
  const std::size_t begin = std::min(text.find('{'), text.size()), end = text.rfind('}');
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((i < begin || end == std::string::npos || i > end) && text[i] != '\n') text[i] = ' ';
  return text;
}

}  // namespace

std::vector<FioJob> read_fio_json(const ImportSource& source, ImportOutput& out) {
  const Json json = parse_json(document_only(source), source.name());
  out.version = json.require("fio version").string();
  const Json* global = json.find("global options");
  const auto& list = json.require("jobs").array();
  if (list.size() > most_fio_jobs) json.require("jobs").fail("more than 10000 jobs");
  std::vector<FioJob> jobs;
  for (const Json& job : list) jobs.push_back(read_job(job, global));
  return jobs;
}

}  // namespace rackcast
