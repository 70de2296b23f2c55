#include "scenarios/validation/settings/mlperf_inference.hpp"

#include "models/data_files.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

std::optional<double> count_of(ObjectReader& in, std::string_view key) {
  if (!in.has(key)) return std::nullopt;
  return in.number(key, 1, 1e6);
}

std::optional<Duration> limit_of(ObjectReader& in, std::string_view key) {
  if (!in.has(key)) return std::nullopt;
  return in.quantity<Duration>(key);
}

}  // namespace

std::optional<InferenceBenchmark> benchmark_of_case(const ValidationCase& c) {
  const auto scenario = text_in(c.workload.extra, "scenario"), name = text_in(c.workload.extra, "benchmark");
  if (!scenario || !name) return std::nullopt;
  if (*scenario != "Offline" && *scenario != "Server")
    throw Unpredictable{"MLPerf scenario \"" + *scenario + "\": no model yet"};
  // Power is measured in runs whose GPUs are held below their limit.
  if (number_in(c.workload.extra, "system_power_w"))
    throw Unpredictable{"GPUs under a lowered power limit, which is not stated"};
  const Json file = parse_model_data("benchmarks/mlperf_inference.json");
  const Json* found = file.require("benchmarks").find(*name);
  if (found == nullptr)
    throw Unpredictable{"what a sample of the benchmark \"" + *name + "\" holds is not known"};
  ObjectReader in{*found};
  InferenceBenchmark out;
  out.precision = parse_precision(in.string("precision"));
  out.tokens = count_of(in, "tokens");
  out.prompt = count_of(in, "prompt");
  out.output = count_of(in, "output");
  out.longest_prompt = in.number_or("longest_prompt", 0, 0, 1e6);
  out.beams = in.number_or("beams", 1, 1, 100);
  out.passes = in.number_or("passes", 1, 1, 1e6);
  out.samples_per_pass = in.number_or("samples_per_pass", 1, 1, 1e4);
  out.decoder = in.string_or("decoder", "");
  out.length_log_sigma = in.number_or("length_log_sigma", 0, 0, 1);
  out.latency = limit_of(in, "latency");
  out.token = limit_of(in, "token");
  out.server = *scenario == "Server";
  return out;
}

}  // namespace rackcast
