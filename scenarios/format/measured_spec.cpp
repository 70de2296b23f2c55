#include "scenarios/format/measured_spec.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>
#include <tuple>

#include "scenarios/format/scenario.hpp"
#include "scenarios/names/exchange_choice.hpp"
#include "scenarios/names/own_file.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

namespace {

constexpr std::size_t most_rows = 64;

struct MetricName {
  MeasuredMetric metric;
  std::string_view name;
  bool is_time = false;
};
constexpr std::array training_metrics{
    MetricName{MeasuredMetric::samples_per_s, "samples_per_s"},
    MetricName{MeasuredMetric::tokens_per_s, "tokens_per_s"},
    MetricName{MeasuredMetric::step_time, "step_time", true},
};
constexpr std::array serving_metrics{
    MetricName{MeasuredMetric::output_tokens_per_s, "output_tokens_per_s"},
    MetricName{MeasuredMetric::time_per_output_token, "time_per_output_token", true},
    MetricName{MeasuredMetric::time_to_first_token, "time_to_first_token", true},
    MetricName{MeasuredMetric::samples_per_s, "samples_per_s"},
};

std::string list_of(std::span<const MetricName> metrics) {
  std::string out;
  for (const MetricName& m : metrics) out += (out.empty() ? "\"" : ", \"") + std::string{m.name} + "\"";
  return out;
}

/// Exactly one figure.
void read_figure(ObjectReader& in, std::span<const MetricName> metrics, MeasuredSpec& row) {
  const MetricName* found = nullptr;
  for (const MetricName& m : metrics) {
    if (!in.has(m.name)) continue;
    if (found)
      in.require(m.name).fail(fmt::format("this row has \"{}\" and \"{}\"", found->name, m.name),
                              "one row holds one figure: write a row for each");
    found = &m;
  }
  if (!found)
    in.json().fail("this row says nothing that was measured", "expected one of " + list_of(metrics));
  row.metric = found->metric;
  const std::string_view name = found->name;
  row.value = found->is_time ? in.quantity<Duration>(name).base() : in.number(name, 0, 1e15);
  if (!(row.value > 0))
    in.require(name).fail(fmt::format("\"{}\" must be above zero", name), "leave out runs that did not work");
}

void read_counts(ObjectReader& in, MeasuredSpec& row) {
  row.count_where = in.json().where();
  row.nodes = static_cast<int>(in.integer_or("nodes", 1, 1, 100'000));
  if (in.has("gpus")) {
    row.gpus = static_cast<int>(in.integer("gpus", 1, 1'000'000));
    row.count_where = in.require("gpus").where();
    if (*row.gpus < row.nodes)
      in.require("gpus").fail(fmt::format("{} GPUs leave some of {} nodes without any", *row.gpus, row.nodes),
                              "\"gpus\" counts the GPUs of all nodes together");
  }
  if (!in.has("gpus_per_node")) return;
  row.gpus_per_node = static_cast<int>(in.integer("gpus_per_node", 1, 1024));
  const int product = row.nodes * *row.gpus_per_node;
  if (row.gpus && *row.gpus != product)
    in.require("gpus").fail(
        fmt::format("{} nodes with {} GPUs each have {} GPUs, not {}", row.nodes, *row.gpus_per_node, product,
                    *row.gpus),
        fmt::format("write \"gpus\": {}, or leave out one of \"gpus\" and \"gpus_per_node\"", product));
  row.gpus = product;
}

MeasuredSpec read_row(const Json& json, std::span<const MetricName> metrics, bool serves) {
  ObjectReader in{json};
  MeasuredSpec row;
  row.where = row.workload_where = json.where();
  read_figure(in, metrics, row);
  read_counts(in, row);
  if (const Json* node = in.find("node")) row.node = name_or_file(*node);
  if (const Json* gpu = in.find("gpu")) row.gpu = name_or_file(*gpu);
  if (const Json* precision = in.find("precision")) {
    try {
      row.precision = parse_precision(precision->string());
    } catch (const Error& e) {
      precision->fail(e.message(), e.hint());
    }
  }
  row.spread = in.number_or("spread", default_measured_spread, 1e-4, 1);
  row.source = in.string_or("source", "");
  if (serves) {
    if (in.has("requests")) row.requests = in.number("requests", 1, 1e6);
    in.finish();
    return row;
  }
  if (const Json* workload = in.find("workload")) {
    row.workload = name_or_file(*workload);
    row.workload_where = workload->where();
  }
  if (const Json* exchange = in.find("exchange")) row.exchange = read_exchange(*exchange);
  if (in.has("batch_per_gpu")) row.batch_per_gpu = in.number("batch_per_gpu", 1, 1e8);
  if (const Json* batch = in.find("global_batch")) row.global_batch = read_global_batch(*batch);
  row.synthetic = in.boolean_or("synthetic_data", false);
  in.finish();
  return row;
}

std::vector<MeasuredSpec> read_rows(const Json& json, std::span<const MetricName> metrics, bool serves) {
  std::vector<MeasuredSpec> rows;
  for (const Json& one : json.array()) {
    MeasuredSpec row = read_row(one, metrics, serves);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (same_run(rows[i], row) && rows[i].value == row.value)
        one.fail(fmt::format("this row repeats row {}", i + 1),
                 "a run that was repeated has another figure; remove one of the rows");
    rows.push_back(std::move(row));
  }
  if (rows.empty()) json.fail("no row of measurements", "leave \"measured\" out");
  if (rows.size() > most_rows) json.fail(fmt::format("more than {} rows of measurements", most_rows));
  return rows;
}

}  // namespace

std::string_view to_string(MeasuredMetric metric) {
  for (const auto metrics :
       {std::span<const MetricName>{training_metrics}, std::span<const MetricName>{serving_metrics}})
    for (const MetricName& m : metrics)
      if (m.metric == metric) return m.name;
  return {};
}

std::vector<MeasuredSpec> read_measured(const Json& json) {
  return read_rows(json, training_metrics, false);
}

std::vector<MeasuredSpec> read_measured_serving(const Json& json) {
  return read_rows(json, serving_metrics, true);
}

const WorkloadSpec& workload_of(const Scenario& s, const MeasuredSpec& row) {
  const WorkloadSpec* found = nullptr;
  std::vector<std::string> names;
  for (const WorkloadSpec& w : s.workloads) names.push_back(w.model);
  if (row.workload.empty()) {
    if (s.workloads.size() == 1) return s.workloads.front();
    throw Error{fmt::format("the scenario has {} workloads, and this row names none", s.workloads.size()),
                row.where, fmt::format("for example \"workload\": \"{}\"", names.front())};
  }
  for (const WorkloadSpec& w : s.workloads) {
    if (w.model != row.workload || (found && row.precision && w.precision != *row.precision)) continue;
    if (found && !(row.precision && found->precision != *row.precision))
      throw Error{fmt::format("several workloads of the scenario train \"{}\"", row.workload),
                  row.workload_where, "state the \"precision\" of the one that was measured"};
    found = &w;
  }
  if (found) return *found;
  throw Error{fmt::format("the scenario has no workload \"{}\"", row.workload), row.workload_where,
              did_you_mean(row.workload, names)};
}

bool same_run(const MeasuredSpec& a, const MeasuredSpec& b) {
  const auto batch = [](const MeasuredSpec& row) {
    const GlobalBatch all = row.global_batch.value_or(GlobalBatch{});
    return std::tuple{row.batch_per_gpu, all.samples, all.tokens, row.requests};
  };
  const auto rest = [](const MeasuredSpec& row) {
    return std::tie(row.workload, row.node, row.gpu, row.exchange, row.nodes, row.gpus, row.precision,
                    row.synthetic, row.metric);
  };
  return rest(a) == rest(b) && batch(a) == batch(b);
}

std::vector<std::size_t> conflicting_rows(const std::vector<MeasuredSpec>& rows, std::size_t row) {
  constexpr double ninety_nine_percent = 2.576;  // standard deviations
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == row || !same_run(rows[i], rows[row])) continue;
    const double apart = std::abs(std::log(rows[i].value / rows[row].value));
    if (apart > ninety_nine_percent * std::hypot(rows[i].spread, rows[row].spread)) out.push_back(i);
  }
  return out;
}

}  // namespace rackcast
