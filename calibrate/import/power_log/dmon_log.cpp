/// `dcgmi dmon -e 155,203,100`: a line of titles, a line of units, and a line for each GPU; the titles come
/// again now and then. There are no times, unless a tool such as ts(1) has put them in front. Short titles:
/// table of fields in DCGM's sources.
#include <fmt/format.h>

#include <algorithm>

#include "calibrate/import/power_log/power_log.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

constexpr const char* dmon_hint = "write it with: dcgmi dmon -e 155,203,100,160";

/// Titles behind "#Entity"; nothing if this is another line.
std::optional<std::vector<std::string_view>> dmon_titles(std::string_view line) {
  const std::size_t hash = line.find('#');
  if (hash == std::string_view::npos) return std::nullopt;
  auto all = words(line.substr(hash + 1));
  if (all.empty() || all.front() != "Entity") return std::nullopt;
  all.erase(all.begin());
  return all;
}

struct DmonRow {
  std::string_view before, entity, id;  ///< "2024-01-16T10:00:00", "GPU", "0"
  std::vector<std::string_view> values;
};

/// A row of values, or nothing for the line of units.
std::optional<DmonRow> read_dmon_row(const ImportSource& source, std::string_view line, std::size_t count) {
  const auto all = words(line);
  const auto is_entity = [](std::string_view word) {
    return word == "GPU" || word == "GPU-I" || word == "GPU-CI" || word == "Switch" || word == "Link" ||
           word == "CPU" || word == "Core" || word == "CPU-Core";
  };
  const auto entity = std::ranges::find_if(all, is_entity);
  if (entity == all.end()) {
    if (std::ranges::any_of(all, [](std::string_view word) { return word == "ID" || word == "Id"; }))
      return std::nullopt;
    source.fail(line, "expected a row such as \"GPU 0  351.2\"", dmon_hint);
  }
  DmonRow row;
  row.before = trimmed(line.substr(0, static_cast<std::size_t>(entity->data() - line.data())));
  row.entity = *entity;
  const auto values = static_cast<std::size_t>(all.end() - entity);
  if (values != count + 2)
    source.fail(line, fmt::format("{} values below {} titles", values < 2 ? 0 : values - 2, count),
                "the file seems to be cut off: remove the rest of the broken line");
  row.id = entity[1];
  row.values.assign(entity + 2, all.end());
  return row;
}

class DmonReader {
 public:
  DmonReader(const ImportSource& source, PowerLog& log) : source_{source}, log_{log} {}

  void read(std::string_view line) {
    if (auto titles = dmon_titles(line)) {
      titles_ = std::move(*titles);
      if (std::ranges::count(titles_, "POWER") != 1)
        source_.fail(line, "the titles have no POWER, or several", dmon_hint);
      return;
    }
    if (titles_.empty()) return;  // whatever the shell printed before
    const auto row = read_dmon_row(source_, line, titles_.size());
    if (!row) return;
    if (row->entity != "GPU") {
      ++others;
      return;
    }
    add(*row, line);
  }

  std::size_t others = 0;  ///< rows of parts of GPUs, switches and CPUs
  bool with_times = false, without_times = false;

 private:
  [[nodiscard]] std::optional<double> value(const DmonRow& row, std::string_view title, double most) const {
    const auto found = std::ranges::find(titles_, title);
    if (found == titles_.end()) return std::nullopt;
    const std::string_view text = row.values[static_cast<std::size_t>(found - titles_.begin())];
    if (is_no_value(text)) return std::nullopt;
    return source_.number(text, 0, most, title);
  }

  void add(const DmonRow& row, std::string_view line) {
    const auto index = static_cast<int>(source_.number(row.id, 0, most_power_gpus, "the number of the GPU"));
    PowerSeries& gpu = log_.gpu(source_, fmt::format("{}", index), line);
    gpu.index = index;
    if (const auto use = value(row, "GPUTL", 100)) gpu.utilisation_percent.add(*use);
    if (const auto clock = value(row, "SMCLK", most_clock_mhz)) gpu.clock_mhz.add(*clock);
    auto time = static_cast<double>(gpu.rows++);
    (row.before.empty() ? without_times : with_times) = true;
    if (!row.before.empty()) {
      const auto stamp = power_log_time(row.before);
      if (!stamp)
        source_.fail(row.before, fmt::format("{} is no time", in_quotes(row.before)),
                     "expected for example: dcgmi dmon -e 155 | ts '%Y-%m-%dT%H:%M:%.S'");
      time = *stamp;
    }
    gpu.set_limit(time, PowerLimitKind::management, value(row, "PMLMT", most_watts));
    if (const auto watts = value(row, "POWER", most_watts)) {
      log_.add(source_, gpu, {time, *watts}, line);
    } else {
      ++log_.not_read;
    }
  }

  const ImportSource& source_;
  PowerLog& log_;
  std::vector<std::string_view> titles_;
};

}  // namespace

PowerLog read_dmon_log(const ImportSource& source, ImportOutput& out) {
  PowerLog log;
  DmonReader reader{source, log};
  for (const ImportLine& line : source.lines())
    if (const std::string_view text = trimmed(line.text); !text.empty()) reader.read(text);
  if (reader.with_times && reader.without_times)
    source.fail(std::size_t{0}, "some rows have a time in front and others have none");
  if (!reader.with_times) log.times = PowerTimes::assumed;
  if (reader.others > 0)
    out.warnings.push_back(
        fmt::format("rows of other things than whole GPUs, which are left out: {}", reader.others));
  return log;
}

}  // namespace rackcast
