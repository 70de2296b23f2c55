#include "scenarios/validation/settings/mlperf_training.hpp"

#include <map>

#include "models/data_files.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

std::map<std::string, TrainingBenchmark> read_benchmarks() {
  std::map<std::string, TrainingBenchmark> out;
  const Json file = parse_model_data("benchmarks/mlperf_training.json");
  for (const auto& [model, json] : file.require("benchmarks").object()) {
    ObjectReader in{json};
    TrainingBenchmark benchmark{parse_precision(in.string("precision")), in.string("framework"),
                                in.number_or("batch", 0, 0, 1e9), in.number_or("samples", 0, 0, 1e15)};
    in.string("source");
    in.finish();
    out.emplace(model, std::move(benchmark));
  }
  return out;
}

}  // namespace

std::optional<TrainingBenchmark> training_benchmark(const std::string& model) {
  static const std::map<std::string, TrainingBenchmark> benchmarks = read_benchmarks();
  const auto found = benchmarks.find(model);
  if (found == benchmarks.end()) return std::nullopt;
  return found->second;
}

std::optional<TrainingBenchmark> training_benchmark_of(const ValidationCase& c) {
  if (c.workload.task != "training" || !text_in(c.workload.extra, "benchmark_round")) return std::nullopt;
  return training_benchmark(c.workload.model);
}

}  // namespace rackcast
