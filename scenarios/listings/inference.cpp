#include "scenarios/listings/inference.hpp"

#include <fmt/format.h>

#include <vector>

#include "models/frameworks/gpu_step.hpp"
#include "models/gpu/precision_support.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/workload.hpp"
#include "models/serving/serving.hpp"
#include "sim/base/error.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {

namespace {

class Table {
 public:
  Table(const Workload& workload, const GpuCostModel& gpu, const FrameworkProfile& framework)
      : workload_{workload}, gpu_{gpu}, framework_{framework} {}

  [[nodiscard]] Duration pass(int batch, Precision precision) const {
    StepOptions options;
    options.batch = batch;
    options.precision = precision;
    options.training = false;
    return step_time(workload_, gpu_, framework_, options).total;
  }

  [[nodiscard]] ServingSpec serving(int max_batch, Precision precision, std::uint64_t seed) const {
    ServingSpec spec;
    spec.seed = seed;
    for (int batch = 1; batch <= max_batch; ++batch) spec.batch_time.push_back(pass(batch, precision));
    return spec;
  }

 private:
  const Workload& workload_;
  const GpuCostModel& gpu_;
  const FrameworkProfile& framework_;
};

TableDocument::Table by_batch(const Table& table, const std::vector<Precision>& kinds, int max_batch) {
  TableDocument::Table out{"Latency and throughput of one pass", {{"batch", true}}, {}};
  for (const Precision precision : kinds) {
    out.columns.push_back({fmt::format("{} latency", to_string(precision)), true});
    out.columns.push_back({fmt::format("{} samples/s", to_string(precision)), true});
  }
  for (int batch = 1; batch <= max_batch; batch *= 2) {
    std::vector<std::string> row{fmt::format("{}", batch)};
    for (const Precision precision : kinds) {
      const Duration time = table.pass(batch, precision);
      row.push_back(to_text(time));
      row.push_back(grouped(batch / time.base()));
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

TableDocument::Table under_load(const Table& table, const std::vector<Precision>& kinds,
                                const InferenceQuestion& q) {
  TableDocument::Table out{
      fmt::format("{} requests/s, batches of what waits, at most {}", grouped(q.rate->base()), q.max_batch),
      {{"precision"},
       {"median", true},
       {"90th percentile", true},
       {"99th percentile", true},
       {"mean batch", true},
       {"GPU busy", true}},
      {}};
  for (const Precision precision : kinds) {
    ServingSpec spec = table.serving(q.max_batch, precision, q.seed);
    spec.rate = *q.rate;
    const ServingResult r = simulate_serving(spec);
    const std::string name{to_string(precision)};
    if (r.saturated) {
      out.rows.push_back({name, "-", "-", "-", fmt::format("{:.1f}", r.mean_batch), "overloaded"});
    } else {
      out.rows.push_back({name, to_text(r.p50), to_text(r.p90), to_text(r.p99),
                          fmt::format("{:.1f}", r.mean_batch), fmt::format("{:.0f} %", 100 * r.utilisation)});
    }
  }
  return out;
}

TableDocument::Table at_latency(const Table& table, const std::vector<Precision>& kinds,
                                const InferenceQuestion& q) {
  TableDocument::Table out{
      fmt::format("Highest load with a 99th percentile of at most {}", to_text(*q.latency_limit)),
      {{"precision"}, {"requests/s", true}, {"verdict"}},
      {}};
  for (const Precision precision : kinds) {
    const Frequency rate = highest_rate(table.serving(q.max_batch, precision, q.seed), *q.latency_limit);
    out.rows.push_back({std::string{to_string(precision)}, grouped(rate.base()),
                        rate.base() > 0 ? "" : "a single request takes longer"});
  }
  return out;
}

}  // namespace

std::string explain_inference(const Catalog& catalog, const InferenceQuestion& q) {
  if (q.max_batch < 1 || q.max_batch > 4096) throw Error{"the largest batch must be between 1 and 4096"};
  const GpuSpec spec = gpu_spec(catalog, q.gpu);
  const Workload workload = load_workload(q.model);
  const FrameworkProfile framework = framework_profile({.name = q.framework, .training = false});
  const GpuCostModel gpu = GpuCostModel::create(gpu_rates(spec), framework.lowering());
  const std::vector<Precision> kinds = supported_precisions(gpu.gpu(), PrecisionUse::inference);
  const Table table{workload, gpu, framework};

  TableDocument document;
  document.title = fmt::format("{} on one {}", workload.title, spec.name);
  document.subtitle = framework.title;
  document.tables.push_back(by_batch(table, kinds, q.max_batch));
  if (q.rate) document.tables.push_back(under_load(table, kinds, q));
  if (q.latency_limit) document.tables.push_back(at_latency(table, kinds, q));
  return document.json();
}

}  // namespace rackcast
