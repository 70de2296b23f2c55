/// `nvidia-smi --query-gpu=... --format=csv` with a header, any order and choice of columns, with or without
/// units; and tables whose columns have the names of DCGM's exporter. Form: `nvidia-smi --help-query-gpu`.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calibrate/import/power_log/power_log.hpp"
#include "sim/base/split.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

constexpr const char* csv_hint =
    "write it with: nvidia-smi --query-gpu=timestamp,index,uuid,name,power.draw,power.limit,utilization.gpu,"
    "clocks.sm --format=csv -l 1";

enum CsvRole {
  time_role,
  index_role,
  uuid_role,
  bus_role,
  name_role,
  host_role,
  power_role,
  enforced_role,
  management_role,
  use_role,
  clock_role
};
constexpr std::size_t count_of_roles = clock_role + 1;

struct CsvTitle {
  std::string_view title;
  CsvRole role;
  std::string_view unit;
};
/// Of several columns with one role the first of this list that has a value in the row counts.
constexpr std::array<CsvTitle, 28> csv_titles{{{"timestamp", time_role, ""},
                                               {"time", time_role, ""},
                                               {"Time", time_role, ""},
                                               {"index", index_role, ""},
                                               {"gpu", index_role, ""},
                                               {"uuid", uuid_role, ""},
                                               {"gpu_uuid", uuid_role, ""},
                                               {"UUID", uuid_role, ""},
                                               {"pci.bus_id", bus_role, ""},
                                               {"gpu_bus_id", bus_role, ""},
                                               {"name", name_role, ""},
                                               {"gpu_name", name_role, ""},
                                               {"modelName", name_role, ""},
                                               {"Hostname", host_role, ""},
                                               {"hostname", host_role, ""},
                                               {"power.draw", power_role, "W"},
                                               {"power.draw.average", power_role, "W"},
                                               {"power.draw.instant", power_role, "W"},
                                               {"DCGM_FI_DEV_POWER_USAGE", power_role, "W"},
                                               {"enforced.power.limit", enforced_role, "W"},
                                               {"power.limit", management_role, "W"},
                                               {"DCGM_FI_DEV_ENFORCED_POWER_LIMIT", enforced_role, "W"},
                                               {"DCGM_FI_DEV_POWER_MGMT_LIMIT", management_role, "W"},
                                               {"utilization.gpu", use_role, "%"},
                                               {"DCGM_FI_DEV_GPU_UTIL", use_role, "%"},
                                               {"clocks.current.sm", clock_role, "MHz"},
                                               {"clocks.sm", clock_role, "MHz"},
                                               {"DCGM_FI_DEV_SM_CLOCK", clock_role, "MHz"}}};

std::vector<std::string_view> csv_cells(std::string_view line) {
  std::vector<std::string_view> out;
  for (const std::string_view part : split(line, ',')) {
    std::string_view cell = trimmed(part);
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    out.push_back(cell);
  }
  return out;
}

struct CsvColumn {
  std::size_t rank = 0;  ///< place in csv_titles
  std::size_t place = 0;
};

struct CsvHeader {
  std::array<std::vector<CsvColumn>, count_of_roles> at;  ///< by rank
  std::size_t count = 0;
  std::string_view line;
};

/// "power.draw [W]" without its unit, which must be the one that is expected.
std::string_view csv_title(const ImportSource& source, std::string_view cell) {
  const std::size_t bracket = cell.find(" [");
  const std::string_view title = cell.substr(0, bracket);
  const auto known = std::ranges::find(csv_titles, title, &CsvTitle::title);
  if (bracket == std::string_view::npos || known == csv_titles.end()) return title;
  const std::string_view unit = cell.substr(bracket + 2);
  if (unit != fmt::format("{}]", known->unit))
    source.fail(cell, fmt::format("the unit of {} is not {}", in_quotes(cell), in_quotes(known->unit)),
                csv_hint);
  return title;
}

CsvHeader read_csv_header(const ImportSource& source, std::string_view line) {
  const auto cells = csv_cells(line);
  CsvHeader header{.at = {}, .count = cells.size(), .line = line};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto known = std::ranges::find(csv_titles, csv_title(source, cells[i]), &CsvTitle::title);
    if (known == csv_titles.end()) continue;
    const auto rank = static_cast<std::size_t>(known - csv_titles.begin());
    auto& at = header.at[known->role];
    if (std::ranges::count(at, rank, &CsvColumn::rank) > 0)
      source.fail(cells[i], fmt::format("the column {} stands twice", in_quotes(cells[i])), csv_hint);
    at.push_back({rank, i});
  }
  for (auto& at : header.at) std::ranges::sort(at, {}, &CsvColumn::rank);
  if (header.at[power_role].empty())
    source.fail(line, "no column of power: expected power.draw or DCGM_FI_DEV_POWER_USAGE in the first line",
                std::string{"do not use noheader; "} + csv_hint);
  return header;
}

/// "70.12 W" or "70.12"; nothing where the driver gives no value.
std::optional<double> csv_number(const ImportSource& source, std::string_view cell, std::string_view unit,
                                 double most, std::string_view what) {
  if (is_no_value(cell)) return std::nullopt;
  const std::size_t blank = cell.find(' ');
  if (blank != std::string_view::npos && trimmed(cell.substr(blank)) != unit)
    source.fail(cell, fmt::format("{} is {}: expected a number, with the unit {} or without", what,
                                  in_quotes(cell), in_quotes(unit)));
  return source.number(cell.substr(0, blank), 0, most, what);
}

class CsvRow {
 public:
  CsvRow(const ImportSource& source, const CsvHeader& header, std::string_view line)
      : source_{source}, header_{header}, cells_{csv_cells(line)} {
    if (cells_.size() != header.count)
      source.fail(line, fmt::format("{} fields below {} titles", cells_.size(), header.count),
                  "the file seems to be cut off: remove the rest of the broken line");
  }
  /// The first cell with a value, or else the first one. Empty where there is no such column.
  [[nodiscard]] std::string_view cell(CsvRole role) const {
    const auto& columns = header_.at[role];
    for (const CsvColumn& column : columns)
      if (!is_no_value(cells_[column.place])) return cells_[column.place];
    return columns.empty() ? std::string_view{} : cells_[columns.front().place];
  }
  /// What tells the GPU apart: its UUID, or else its host with the place on the bus or its number.
  [[nodiscard]] std::string key_of_gpu() const {
    if (const std::string_view uuid = cell(uuid_role); !is_no_value(uuid)) return std::string{uuid};
    const std::string_view bus = cell(bus_role);
    return fmt::format("{}/{}", cell(host_role), is_no_value(bus) ? cell(index_role) : bus);
  }
  [[nodiscard]] std::optional<double> number(CsvRole role, std::string_view unit, double most,
                                             std::string_view what) const {
    if (header_.at[role].empty()) return std::nullopt;
    return csv_number(source_, cell(role), unit, most, what);
  }
  [[nodiscard]] double time() const {
    const auto time = power_log_time(cell(time_role));
    if (!time)
      source_.fail(cell(time_role), fmt::format("{} is no time", in_quotes(cell(time_role))),
                   "expected for example 2024/01/16 10:00:00.123, or seconds since 1970");
    return *time;
  }

 private:
  const ImportSource& source_;
  const CsvHeader& header_;
  std::vector<std::string_view> cells_;
};

void read_csv_row(const ImportSource& source, const CsvHeader& header, std::string_view line, PowerLog& log) {
  const CsvRow row{source, header, line};
  PowerSeries& gpu = log.gpu(source, row.key_of_gpu(), line);
  if (!gpu.index)
    if (const auto number = row.number(index_role, "", most_power_gpus, "the number of the GPU"))
      gpu.index = static_cast<int>(*number);
  if (gpu.name.empty()) gpu.name = product_name(row.cell(name_role));
  if (const auto use = row.number(use_role, "%", 100, "the utilisation")) gpu.utilisation_percent.add(*use);
  if (const auto clock = row.number(clock_role, "MHz", most_clock_mhz, "the clock"))
    gpu.clock_mhz.add(*clock);
  const auto row_of_gpu = static_cast<double>(gpu.rows++);
  const double time = header.at[time_role].empty() ? row_of_gpu : row.time();
  gpu.set_limit(time, PowerLimitKind::enforced,
                row.number(enforced_role, "W", most_watts, "the power limit"));
  gpu.set_limit(time, PowerLimitKind::management,
                row.number(management_role, "W", most_watts, "the power limit"));
  if (const auto watts = row.number(power_role, "W", most_watts, "the power")) {
    log.add(source, gpu, {time, *watts}, line);
  } else {
    ++log.not_read;
  }
}

}  // namespace

PowerLog read_power_csv(const ImportSource& source, ImportOutput& out) {
  PowerLog log;
  std::optional<CsvHeader> header;
  for (const ImportLine& line : source.lines()) {
    const std::string_view text = trimmed(line.text);
    if (text.empty()) continue;
    if (!header) {
      header = read_csv_header(source, text);
    } else if (text != header->line) {  // logs that were joined have it again
      read_csv_row(source, *header, text, log);
    }
  }
  if (!header) source.fail(std::size_t{0}, "the file has no titles", csv_hint);
  if (header->at[time_role].empty()) log.times = PowerTimes::unknown;
  if (header->at[uuid_role].empty() && header->at[bus_role].empty() && header->at[index_role].empty())
    out.warnings.emplace_back(
        "no column tells GPUs apart: all samples are taken as those of one GPU; add index and uuid to the "
        "query");
  return log;
}

}  // namespace rackcast
