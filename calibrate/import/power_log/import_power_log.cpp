/// What GPUs draw, from a log of their power: figures of each and of all together. UUIDs and hosts tell GPUs
/// apart and are not copied.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "calibrate/import/gpu_names.hpp"
#include "calibrate/import/power_log/power_log.hpp"
#include "sim/base/utf8.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

using nlohmann::ordered_json;

bool has_text(const ImportSource& source, std::string_view part) {
  return source.text().find(part) != std::string_view::npos;
}

PowerLog read_power_log(const ImportSource& source, ImportOutput& out) {
  if (has_text(source, "#Entity") || has_text(source, "# Entity")) return read_dmon_log(source, out);
  if (has_text(source, "# TYPE DCGM_FI_") || has_text(source, "DCGM_FI_DEV_POWER_USAGE{") ||
      has_text(source, "__name__=\"DCGM_FI_"))
    return read_prometheus_log(source, out);
  return read_power_csv(source, out);
}

void add_watts(const PowerSummary& s, ordered_json& json) {
  const auto watts = [](double value) {
    return fmt::format("{:.1f} W", value);
  };
  json["mean"] = watts(s.mean);
  json["median"] = watts(s.median);
  json["percentile_5"] = watts(s.percentile_5);
  json["percentile_95"] = watts(s.percentile_95);
  json["peak"] = watts(s.peak);
}

void add_energy(const PowerSummary& s, PowerTimes times, ordered_json& json) {
  if (times == PowerTimes::unknown || s.covered_s <= 0) return;
  json["energy"] = fmt::format("{:.6g} Wh", s.energy_j / 3600);
}

ordered_json gpu_power_json(const Catalog& catalog, const PowerSeries& gpu, const PowerSummary& s,
                            PowerTimes times) {
  ordered_json json = ordered_json::object();
  if (gpu.index) json["index"] = *gpu.index;
  if (!gpu.name.empty()) {
    json["name"] = gpu.name;
    if (const auto id = catalogue_gpu(catalog, gpu.name)) json["gpu"] = *id;
  }
  json["samples"] = gpu.samples.size();
  if (times != PowerTimes::unknown) {
    json["time"] = fmt::format("{:.6g} s", s.covered_s);
    if (s.gaps > 0) json["time_without_samples"] = fmt::format("{:.6g} s", s.gaps_s);
  }
  add_watts(s, json);
  add_energy(s, times, json);
  const PowerLimitSummary limit = power_limits_of(gpu);
  if (limit.last_w > 0) json["limit"] = fmt::format("{:g} W", limit.last_w);
  const auto rounded = [](double value) {
    return std::round(value * 1e4) / 1e4;
  };
  if (limit.with_limit > 0)
    json["share_at_limit"] =
        rounded(static_cast<double>(limit.at_limit) / static_cast<double>(limit.with_limit));
  const auto mean = [](const PowerLogMean& m) {
    return m.sum / static_cast<double>(m.count);
  };
  if (gpu.utilisation_percent.count > 0) json["utilisation"] = rounded(mean(gpu.utilisation_percent) / 100);
  if (gpu.clock_mhz.count > 0) json["clock"] = fmt::format("{:.0f} MHz", mean(gpu.clock_mhz));
  return json;
}

std::string gpu_in_words(const PowerSeries& gpu) {
  return gpu.index ? fmt::format("GPU {}", *gpu.index) : "the GPU";
}

void warn_of_times(const PowerLog& log, const std::vector<PowerSummary>& summaries, ImportOutput& out) {
  if (log.times == PowerTimes::assumed)
    out.warnings.emplace_back(
        "the log has no times: one sample of each GPU a second is assumed, as dcgmi takes them without -d; "
        "energy and time grow with it");
  if (log.times == PowerTimes::unknown)
    out.warnings.emplace_back("the log has no times: the document has no energy");
  for (std::size_t i = 0; i < log.gpus.size(); ++i) {
    const PowerSummary& s = summaries[i];
    if (s.backwards > 0)
      out.warnings.push_back(fmt::format(
          "{}: steps in which the clock goes back: {}; energy does not count them, and the sum over "
          "GPUs is left out",
          gpu_in_words(log.gpus[i]), s.backwards));
    if (s.at_once > 0)
      out.warnings.push_back(fmt::format(
          "{}: samples at the time of the one before: {}; are logs of several machines in one file?",
          gpu_in_words(log.gpus[i]), s.at_once));
    if (s.gaps > 0)
      out.warnings.push_back(
          fmt::format("{}: gaps without samples: {}, together {:.6g} s; energy does not count them",
                      gpu_in_words(log.gpus[i]), s.gaps, s.gaps_s));
  }
}

void warn_of_gpus(const Catalog& catalog, const PowerLog& log, ImportOutput& out) {
  for (const PowerSeries& gpu : log.gpus) {
    const PowerLimitSummary limit = power_limits_of(gpu);
    if (limit.changes)
      out.warnings.push_back(
          fmt::format("{}: the power limit changes; the document has the last one", gpu_in_words(gpu)));
    if (gpu.name.empty()) continue;
    const auto id = catalogue_gpu(catalog, gpu.name);
    if (!id) {
      out.warnings.push_back(
          fmt::format("{} is not in the catalogue, or not by one name only", in_quotes(gpu.name)));
      continue;
    }
    const GpuSpec spec = gpu_spec(catalog, *id);
    if (spec.tdp && limit.last_w > 0 && limit.last_w < 0.95 * spec.tdp->value.base())
      out.warnings.push_back(fmt::format(
          "{}: limited to {:g} W, and the catalogue's has {:g} W; a scenario says so with \"site\": "
          "{{\"power\": {{\"gpu_cap\": \"{:g} W\"}}}}",
          gpu.name, limit.last_w, spec.tdp->value.base(), limit.last_w));
  }
}

}  // namespace

void import_power_log(const Catalog& catalog, const ImportSource& source, ImportOutput& out) {
  PowerLog log = read_power_log(source, out);
  const auto without = std::erase_if(log.gpus, [](const PowerSeries& gpu) { return gpu.samples.empty(); });
  if (log.gpus.empty())
    source.fail(source.text().size(), "the log holds no sample of power",
                "some GPUs do not measure their power: the driver then writes [N/A]");
  if (without > 0) out.warnings.push_back(fmt::format("GPUs without a sample of power: {}", without));
  if (log.not_read > 0)
    out.warnings.push_back(
        fmt::format("samples without power, such as [N/A], which are left out: {}", log.not_read));
  if (!source.text().ends_with('\n'))
    out.warnings.emplace_back("the last line has no end: the file may be cut off");
  std::vector<PowerSummary> summaries;
  for (const PowerSeries& gpu : log.gpus)
    summaries.push_back(power_summary_of(gpu, log.times != PowerTimes::unknown));
  warn_of_times(log, summaries, out);
  warn_of_gpus(catalog, log, out);

  ordered_json power = ordered_json::object();
  power["gpus"] = ordered_json::array();
  for (std::size_t i = 0; i < log.gpus.size(); ++i)
    power["gpus"].push_back(gpu_power_json(catalog, log.gpus[i], summaries[i], log.times));
  double peak = 0;
  for (const PowerSummary& s : summaries) peak = std::max(peak, s.peak);
  out.summary = fmt::format("{} samples of {} GPUs, highest {:.1f} W", log.samples, log.gpus.size(), peak);
  if (const auto sum = power_summary_of_sum(log, summaries)) {
    ordered_json together{{"gpus", log.gpus.size()}, {"samples", log.samples}};
    add_watts(*sum, together);
    add_energy(*sum, log.times, together);
    power["together"] = together;
    out.summary += fmt::format("; together {:.1f} W in the mean", sum->mean);
  } else if (std::ranges::all_of(summaries, [](const PowerSummary& s) { return s.backwards == 0; })) {
    out.warnings.emplace_back(
        "the sum over GPUs is not known: there is no time at which all of them have samples");
  }
  out.body["power"] = power;
}

}  // namespace rackcast
