/// Output of nccl-tests (all_reduce_perf, ...): the text in all layouts, and the JSON of -J
/// (nccl_tests_json.cpp). In the text the header line names the columns, so that the tables of 1.x ("bytes N
/// type op time algbw busbw res"), 2.0 ("error"), and 2.9 and later ("root",
/// "#wrong") are read alike. Rank lines give the number of GPUs, of hosts (their names are counted, not
/// kept) and the GPU's name. Sizes follow nccl-tests: the whole buffer, for gather and scatter the gathered
/// one. Source: doc/PERFORMANCE.md of nccl-tests.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "calibrate/import/gpu_names.hpp"
#include "calibrate/import/importers.hpp"
#include "calibrate/import/nccl_tests_run.hpp"
#include "models/collectives/collective.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

using Row = NcclTestsRow;
using Run = NcclTestsRun;

/// Columns of one row: where the first time, bus bandwidth and count of wrong results stand.
struct Columns {
  std::size_t size = 0, operation = 0, root = 0, time = 0, bus = 0, wrong = 0, count = 0;
};

std::size_t column(const std::vector<std::string_view>& names, std::initializer_list<std::string_view> any) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::ranges::count(any, names[i]) > 0) return i;
  return names.size();
}

Columns read_header(const std::vector<std::string_view>& names) {
  Columns c;
  c.count = names.size();
  c.size = column(names, {"size", "bytes"});
  c.operation = column(names, {"redop", "op"});
  c.root = column(names, {"root"});
  c.time = column(names, {"time"});
  c.bus = column(names, {"busbw"});
  c.wrong = column(names, {"#wrong", "error", "res", "wrong"});
  return c;
}

void read_device(std::string_view line, Run& run) {
  ++run.ranks;
  if (const auto host = between(line, " on ", "device")) {
    const auto name = words(*host);
    if (!name.empty()) run.hosts.emplace(name.front());
  }
  const std::size_t bracket = line.find(']');
  if (bracket != std::string_view::npos) run.gpus.emplace(trimmed(line.substr(bracket + 1)));
}

Row read_row(const ImportSource& source, const std::vector<std::string_view>& cells, const Columns& c) {
  if (cells.size() <= std::max({c.size, c.time + 2, c.bus}))
    source.fail(cells.front(), fmt::format("the row has {} columns and the header {}", cells.size(), c.count),
                "the file seems to be cut off");
  const auto cell = [&](std::size_t at) {
    return at < cells.size() && at < c.count ? cells[at] : std::string_view{};
  };
  Row row;
  row.bytes = source.number(cells[c.size], 0, 1e15, "the size");
  row.time_us = source.number(cells[c.time], 0, 1e12, "the time");
  row.bus_gb_per_s = source.number(cells[c.bus], 0, 1e9, "the bus bandwidth");
  row.operation = cell(c.operation);
  row.root = cell(c.root);
  // Old versions print the largest error of rounding, newer ones how many results are wrong.
  if (const auto wrong = to_number(cell(c.wrong))) row.wrong = *wrong >= 1;
  return row;
}

Run read_run(const ImportSource& source, ImportOutput& out) {
  Run run;
  std::optional<Columns> columns;
  for (const ImportLine& line : source.lines()) {
    std::string_view text = trimmed(line.text);
    if (const auto test = between(text, "Collective test starting:", "")) run.test = trimmed(*test);
    if (const auto version = between(text, "NCCL version ", ""); version && out.version.empty())
      if (const auto all = words(*version); !all.empty()) out.version = fmt::format("NCCL {}", all.front());
    if (const auto library = between(text, "nccl-library=", ""); library && out.version.empty())
      out.version = fmt::format("NCCL {}", words(*library).empty() ? "" : words(*library).front());
    if (text.starts_with('#') || text.starts_with("Rank") || text.starts_with("bytes")) {
      if (text.starts_with('#')) text.remove_prefix(1);
      const auto names = words(text);
      const Columns header = read_header(names);
      if (std::max({header.size, header.time, header.bus}) < names.size()) columns = header;
      if (!names.empty() && names.front() == "Rank") read_device(text, run);
      if (text.find("Out of bounds values") != std::string_view::npos)
        run.failed = run.failed || text.find("FAILED") != std::string_view::npos;
      continue;
    }
    const auto cells = words(text);
    if (!columns || cells.empty() || !to_number(cells.front())) continue;
    if (run.rows.size() == most_nccl_tests_rows) source.fail(line.offset, "more than 10000 rows");
    run.rows.push_back(read_row(source, cells, *columns));
  }
  if (!columns)
    source.fail(std::size_t{0}, "there is no header line with the columns size, time and busbw",
                "save the whole output of nccl-tests, not its summary");
  if (run.rows.empty()) source.fail(source.text().size(), "the table has no rows");
  if (run.ranks > most_nccl_tests_ranks) source.fail(std::size_t{0}, "more than 65536 ranks");
  return run;
}

/// From the name of the test, else from what the columns show: the reduction, the root, and the ratio of bus
/// to algorithm bandwidth (bus_factor) of the largest row.
std::optional<Collective> operation_of(const Run& run, ImportOutput& out) {
  constexpr std::pair<std::string_view, Collective> tests[] = {{"all_reduce", Collective::all_reduce},
                                                               {"AllReduce", Collective::all_reduce},
                                                               {"reduce_scatter", Collective::reduce_scatter},
                                                               {"ReduceScatter", Collective::reduce_scatter},
                                                               {"all_gather", Collective::all_gather},
                                                               {"AllGather", Collective::all_gather},
                                                               {"broadcast", Collective::broadcast},
                                                               {"Broadcast", Collective::broadcast},
                                                               {"alltoall", Collective::all_to_all},
                                                               {"AlltoAll", Collective::all_to_all},
                                                               {"AllToAll", Collective::all_to_all},
                                                               {"sendrecv", Collective::send_recv},
                                                               {"SendRecv", Collective::send_recv}};
  for (const auto& [name, operation] : tests)
    if (run.test.starts_with(name)) return operation;
  if (!run.test.empty()) return std::nullopt;
  const Row& last = run.rows.back();
  if (last.time_us <= 0 || run.ranks < 2) return std::nullopt;
  const double ratio = last.bus_gb_per_s / (last.bytes / last.time_us / 1e3);
  const auto is = [&](double factor) {
    return std::abs(ratio - factor) < 0.02 * factor;
  };
  const double all = bus_factor(Collective::all_reduce, run.ranks);
  const bool reduces = !last.operation.empty() && last.operation != "none";
  if (reduces && is(all)) return Collective::all_reduce;  // two ranks: a plain reduction looks the same
  if (reduces && is(all / 2)) return Collective::reduce_scatter;
  if (!reduces && !last.root.empty() && last.root != "-1") return Collective::broadcast;
  if (!reduces && is(all / 2)) {
    out.warnings.emplace_back("all-gather and all-to-all look alike in this file: all-gather is assumed");
    return Collective::all_gather;
  }
  return std::nullopt;
}

void warn_of_rows(const Run& run, ImportOutput& out) {
  const auto wrong = std::ranges::count_if(run.rows, &Row::wrong);
  if (run.failed || wrong > 0)
    out.warnings.emplace_back("the test reports wrong results: its times may mean nothing");
  const auto zero =
      std::ranges::count_if(run.rows, [](const Row& r) { return r.time_us <= 0 || r.bytes <= 0; });
  if (zero > 0) out.warnings.push_back(fmt::format("{} rows without a size or a time are left out", zero));
}

}  // namespace

void import_nccl_tests(const Catalog& catalog, const ImportSource& source, ImportOutput& out) {
  const bool json = trimmed(source.text()).starts_with('{');
  const Run run = json ? read_nccl_tests_json(source, out) : read_run(source, out);
  const std::optional<Collective> operation = operation_of(run, out);
  if (!operation)
    source.fail(std::size_t{0}, "the file does not show which collective was measured",
                json            ? "\"args\" must begin with the name of the test"
                : run.ranks < 2 ? "keep the lines \"# Rank ...\" that list the GPUs"
                                : "add the line \"# Collective test starting: all_reduce_perf\"");
  if (run.ranks < 2)
    source.fail(std::size_t{0},
                json ? "the file lists fewer than two GPUs"
                     : "the lines that list the GPUs (\"# Rank 0 ...\") are missing, or there is one",
                "keep the whole output: the number of ranks decides what a time means");
  warn_of_rows(run, out);
  nlohmann::ordered_json curve{{"operation", to_string(*operation)}, {"gpus", run.ranks}};
  curve["nodes"] = std::max<std::size_t>(1, run.hosts.size());
  if (run.gpus.size() == 1) {
    if (const auto id = catalogue_gpu(catalog, *run.gpus.begin())) curve["gpu"] = *id;
    curve["gpu_name"] = product_name(*run.gpus.begin());
  }
  if (!curve.contains("gpu"))
    out.warnings.emplace_back("the GPUs are not named, or by no name of the catalogue");
  if (run.hosts.empty()) out.warnings.emplace_back("the hosts are not named: one node is assumed");
  curve["points"] = nlohmann::ordered_json::array();
  std::set<double> sizes;
  for (const Row& row : run.rows) {
    if (row.time_us <= 0 || row.bytes <= 0) continue;
    if (!sizes.insert(row.bytes).second) {
      out.warnings.push_back(fmt::format("the size {:g} stands twice: the first is kept", row.bytes));
      continue;
    }
    curve["points"].push_back(
        {{"size", fmt::format("{:.0f} B", row.bytes)}, {"time", fmt::format("{:g} us", row.time_us)}});
  }
  if (curve["points"].empty()) source.fail(source.text().size(), "no row has both a size and a time");
  out.summary = fmt::format("{} of {} GPUs on {} nodes, {} sizes", to_string(*operation), run.ranks,
                            curve["nodes"].get<int>(), curve["points"].size());
  out.body["collective"] = curve;
}

}  // namespace rackcast
