/// Samples of DCGM's exporter: scrapes of its /metrics one after the other, or `promtool tsdb dump`. A line
/// is NAME{label="value",...} VALUE [TIME]; in a dump the name is the label __name__. Times are milliseconds
/// in Prometheus' text exposition format 0.0.4, and seconds in OpenMetrics 1.0 (`promtool tsdb
/// dump-openmetrics`).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "calibrate/import/power_log/power_log.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

constexpr const char* prometheus_hint = "expected for example DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 351.2";

struct MetricLine {
  std::string_view name, value, time;
  std::map<std::string_view, std::string_view> labels;  ///< with the escapes of the file
};

/// Reads `{a="b",c="d"}` at the front of `text`, and takes it off.
void take_labels(const ImportSource& source, std::string_view& text, MetricLine& out) {
  text.remove_prefix(1);
  for (;;) {
    text = text.substr(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.starts_with('}')) break;
    const std::size_t equals = text.find("=\"");
    if (equals == std::string_view::npos)
      source.fail(text, "the labels of this sample do not end", prometheus_hint);
    std::size_t end = equals + 2;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    if (end >= text.size()) source.fail(text, "the value of this label does not end", prometheus_hint);
    out.labels[trimmed(text.substr(0, equals))] = text.substr(equals + 2, end - equals - 2);
    text.remove_prefix(end + 1);
  }
  text.remove_prefix(1);
}

MetricLine read_metric_line(const ImportSource& source, std::string_view text) {
  MetricLine out;
  const std::size_t end = std::min(text.find_first_of("{ \t"), text.size());
  out.name = text.substr(0, end);
  std::string_view rest = text.substr(end);
  if (rest.starts_with('{')) take_labels(source, rest, out);
  if (const auto name = out.labels.find("__name__"); out.name.empty() && name != out.labels.end())
    out.name = name->second;
  const auto fields = words(rest);
  if (fields.empty() || fields.size() > 2)
    source.fail(text, fmt::format("this sample has {} fields behind its labels", fields.size()),
                "the file seems to be cut off; " + std::string{prometheus_hint});
  out.value = fields[0];
  if (fields.size() == 2) out.time = fields[1];
  return out;
}

std::string_view metric_label(const MetricLine& line, std::string_view name) {
  const auto found = line.labels.find(name);
  return found == line.labels.end() ? std::string_view{} : found->second;
}

PowerSeries& gpu_of_metric(const ImportSource& source, const MetricLine& line, std::string_view place,
                           PowerLog& log) {
  const std::string_view uuid = metric_label(line, "UUID"), index = metric_label(line, "gpu");
  if (uuid.empty() && index.empty())
    source.fail(place, "this sample has neither the label UUID nor the label gpu", prometheus_hint);
  std::string_view host = metric_label(line, "Hostname");
  if (host.empty()) host = metric_label(line, "instance");
  PowerSeries& gpu =
      log.gpu(source, uuid.empty() ? fmt::format("{}/{}", host, index) : std::string{uuid}, place);
  if (!gpu.index && !index.empty())
    gpu.index = static_cast<int>(source.number(index, 0, most_power_gpus, "the label gpu"));
  if (gpu.name.empty()) gpu.name = product_name(metric_label(line, "modelName"));
  return gpu;
}

/// The rows of one metric of a GPU. A GPU that is cut into slices (MIG) has a row for each of them in every
/// scrape, with the same value.
class MetricRows {
 public:
  /// The time of the row, which is the number of its scrape where there is none; nothing for a row that
  /// repeats the one of another slice.
  std::optional<double> next(std::string_view slice, std::optional<double> time) {
    if (!slice.empty() && !begins_a_scrape(slice, time)) return std::nullopt;
    last_ = time;
    const auto row = static_cast<double>(rows_++);
    return time ? *time : row;
  }

 private:
  /// Without times, a scrape begins with the first slice that comes again.
  bool begins_a_scrape(std::string_view slice, std::optional<double> time) {
    if (time) return !last_ || *time > *last_;
    if (slices_.insert(slice).second && slices_.size() > 1) return false;
    slices_ = {slice};
    return true;
  }

  std::size_t rows_ = 0;
  std::optional<double> last_;
  std::set<std::string_view> slices_;
};

class MetricReader {
 public:
  MetricReader(const ImportSource& source, PowerLog& log) : source_{source}, log_{log} {}

  void read(std::string_view text) {
    constexpr std::array<std::string_view, 5> metrics{
        "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_SM_CLOCK",
        "DCGM_FI_DEV_ENFORCED_POWER_LIMIT", "DCGM_FI_DEV_POWER_MGMT_LIMIT"};
    const MetricLine line = read_metric_line(source_, text);
    const auto metric = std::ranges::find(metrics, line.name) - metrics.begin();
    if (metric == std::ssize(metrics)) return;
    const std::optional<double> stamp = time_of(line);
    PowerSeries& gpu = gpu_of_metric(source_, line, text, log_);
    const auto time = rows_[{&gpu - log_.gpus.data(), metric}].next(metric_label(line, "GPU_I_ID"), stamp);
    if (!time) {
      ++of_other_slices;
      return;
    }
    switch (metric) {
      case 0:
        (stamp ? with_times : without_times) = true;
        add_power(line, text, *time, gpu);
        break;
      case 1:
        if (const auto use = value(line, 100)) gpu.utilisation_percent.add(*use);
        break;
      case 2:
        if (const auto clock = value(line, most_clock_mhz)) gpu.clock_mhz.add(*clock);
        break;
      default:
        gpu.set_limit(*time, metric == 3 ? PowerLimitKind::enforced : PowerLimitKind::management,
                      value(line, most_watts));
    }
  }

  bool with_times = false, without_times = false;
  std::size_t of_other_slices = 0;

 private:
  [[nodiscard]] std::optional<double> value(const MetricLine& line, double most) const {
    if (is_no_value(line.value)) return std::nullopt;
    return source_.number(line.value, 0, most, line.name);
  }
  /// Seconds since 1970: the size of the number tells seconds and milliseconds apart.
  [[nodiscard]] std::optional<double> time_of(const MetricLine& line) const {
    if (line.time.empty()) return std::nullopt;
    (void)source_.number(line.time, 0, 9.9e13, "the time of the sample in seconds or milliseconds");
    return power_log_time(line.time);
  }
  void add_power(const MetricLine& line, std::string_view text, double time, PowerSeries& series) {
    if (const auto watts = value(line, most_watts)) {
      log_.add(source_, series, {time, *watts}, text);
    } else {
      ++log_.not_read;
    }
  }

  const ImportSource& source_;
  PowerLog& log_;
  std::map<std::pair<std::ptrdiff_t, std::ptrdiff_t>, MetricRows> rows_;  ///< by GPU and metric
};

}  // namespace

PowerLog read_prometheus_log(const ImportSource& source, ImportOutput& out) {
  PowerLog log;
  MetricReader reader{source, log};
  for (const ImportLine& line : source.lines())
    if (const std::string_view text = trimmed(line.text); !text.empty() && !text.starts_with('#'))
      reader.read(text);
  if (reader.with_times && reader.without_times)
    source.fail(std::size_t{0}, "some samples have a time and others have none");
  if (!reader.with_times) log.times = PowerTimes::unknown;
  if (reader.of_other_slices > 0)
    out.warnings.push_back(fmt::format("rows of slices (MIG) that repeat their GPU, which are left out: {}",
                                       reader.of_other_slices));
  return log;
}

}  // namespace rackcast
