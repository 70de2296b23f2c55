// Reads the measurement document back, strictly.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>

#include "calibrate/gpu/gpu_experiments.hpp"
#include "calibrate/measure/box.hpp"
#include "sim/json/reader.hpp"
#include "sim/units/dimension_text.hpp"

namespace rackcast {
namespace {

constexpr double huge = 1e30;
constexpr int most_count = 1'000'000;
/// Of bytes, elements, calls: beyond it a double does not count any more.
constexpr double most_shape = 9e15;
/// Half a unit of the ninth digit, to which numbers are written, and what a sum of two of them adds.
constexpr double written_digits = 1e-6;

std::optional<double> optional_number(ObjectReader& in, std::string_view key, double low) {
  if (!in.find(key)) return std::nullopt;
  return in.number(key, low, huge);
}

std::string filled_name(ObjectReader& in, std::string_view key) {
  std::string text = in.string(key);
  if (text.empty()) in.require(key).fail(fmt::format("\"{}\" must not be empty", key));
  return text;
}

/// Shapes and counts of a measurement: how large, how many, how many take part. Only a padding may be 0.
std::map<std::string, double> read_shape(const Json& numbers) {
  std::map<std::string, double> out;
  for (const auto& [key, json] : numbers.object()) {
    const double value = json.number();
    const double least = key.starts_with("pad") ? 0 : 1;
    if (!(value >= least && value <= most_shape) || value != std::floor(value))
      json.fail(fmt::format("\"{}\" is {}, but must be a whole number from {} on", key, value, least),
                "the experiment had such a size, or the file was changed by hand");
    out[key] = value;
  }
  return out;
}

std::vector<std::string> strings(const Json* list) {
  std::vector<std::string> out;
  if (list)
    for (const Json& item : list->array()) out.push_back(item.string());
  return out;
}

Conditions read_conditions(const Json& json) {
  ObjectReader in{json};
  Conditions c;
  c.load = optional_number(in, "load", 0);
  c.clock_mhz = optional_number(in, "clock_mhz", 0);
  c.clock_drop = optional_number(in, "clock_drop", -huge);
  c.power_w = optional_number(in, "power_w", 0);
  c.temperature_c = optional_number(in, "temperature_c", -300);
  c.throttle = strings(in.find("throttle"));
  in.finish();
  return c;
}

std::vector<double> read_samples(const Json& list) {
  std::vector<double> out;
  for (const Json& sample : list.array()) {
    const double value = sample.number();
    if (!(value > 0)) sample.fail("a sample is a time in seconds and must be positive");
    try {
      require_plausible(fmt::format("{:g} s", value), value, Duration::dimension);
    } catch (const Error& e) {
      sample.fail(e.message(), e.hint());
    }
    out.push_back(value);
  }
  if (out.empty()) list.fail("a measurement without samples", "leave it out, or list it in not_measured");
  return out;
}

/// The statistics in the file are for readers; they must be those of the samples.
void check_statistics(ObjectReader& in, const Measurement& m) {
  const SampleSummary s = m.summary();
  const auto check = [&](const Json& stored, const char* what, double value) {
    if (std::abs(stored.number() - value) > written_digits * s.median)
      stored.fail(fmt::format("the {} of the samples is {:.9g}", what, value),
                  fmt::format("samples or {} were changed by hand: measure again", what));
  };
  check(in.require("median"), "median", s.median);
  check(in.require("mad"), "median distance from the median", s.mad);
  const Json& interval = in.require("interval");
  if (interval.array().size() != 2) interval.fail("an interval has two ends");
  check(interval.array()[0], "lower end of the interval", s.low);
  check(interval.array()[1], "upper end of the interval", s.high);
  in.number("confidence", 0, 1);
  if (in.string("unit") != "s") in.require("unit").fail("samples are in seconds", "write \"s\"");
}

/// The work of a product or a vector kernel, which follows from its shape.
std::optional<double> work_of_shape(const Measurement& m) {
  const auto number = [&](const char* key) {
    const auto it = m.numbers.find(key);
    return it == m.numbers.end() ? 0.0 : it->second;
  };
  if (m.kind == "gpu_gemm") return 2 * number("m") * number("n") * number("k") * number("count");
  const auto operation = m.labels.find("pattern");
  if (m.kind != "gpu_vector" || operation == m.labels.end()) return std::nullopt;
  return vector_bytes(operation->second, std::llround(number("rows")), std::llround(number("columns")));
}

void check_work(ObjectReader& in, const Measurement& m) {
  const std::optional<double> work = work_of_shape(m);
  if (!work || *work <= 0 || std::abs(m.amount / *work - 1) < written_digits) return;
  in.require("amount").fail(
      fmt::format("the shape has a work of {:g} {}, not {:g}", *work, m.amount_unit, m.amount),
      "the file was changed by hand: measure again");
}

Measurement read_measurement(const Json& json) {
  ObjectReader in{json};
  Measurement m;
  m.id = filled_name(in, "id");
  m.kind = filled_name(in, "kind");
  m.device = filled_name(in, "device");
  if (const Json* numbers = in.find("numbers")) m.numbers = read_shape(*numbers);
  if (const Json* labels = in.find("labels"))
    for (const auto& [key, value] : labels->object()) m.labels[key] = value.string();
  m.amount = in.number("amount", 1e-6, huge);
  m.amount_unit = filled_name(in, "amount_unit");
  check_work(in, m);
  m.warm_up = static_cast<int>(in.integer("warm_up", 0, most_count));
  const Json& stop = in.require("stop");
  try {
    m.stop = parse_stop_reason(stop.string());
  } catch (const Error& e) {
    stop.fail(e.message(), e.hint());
  }
  if (const Json* verified = in.find("verified")) m.verified = verified->boolean();
  m.conditions = read_conditions(in.require("conditions"));
  m.samples = read_samples(in.require("samples"));
  check_statistics(in, m);
  in.finish();
  return m;
}

BoxHost read_host(const Json& json) {
  ObjectReader in{json};
  BoxHost h;
  h.cpu_model = in.string("cpu_model");
  h.architecture = in.string("architecture");
  h.governor = in.string("governor");
  h.sockets = static_cast<int>(in.integer("sockets", 0, most_count));
  h.cores = static_cast<int>(in.integer("cores", 0, most_count));
  h.threads = static_cast<int>(in.integer("threads", 0, most_count));
  h.numa_nodes = static_cast<int>(in.integer("numa_nodes", 0, most_count));
  h.memory = in.quantity<Bytes>("memory", false);
  in.finish();
  return h;
}

BoxGpu read_gpu(const Json& json) {
  ObjectReader in{json};
  BoxGpu g;
  g.name = filled_name(in, "name");
  g.compute_capability = in.string("compute_capability");
  g.driver = in.string("driver");
  g.runtime = in.string("runtime");
  for (const auto& [key, value] : in.require("libraries").object()) g.libraries[key] = value.string();
  g.sm_count = static_cast<int>(in.integer("sm_count", 1, most_count));
  g.memory = in.quantity<Bytes>("memory", false);
  g.l2 = in.quantity<Bytes>("l2", false);
  g.memory_peak = in.quantity<Bandwidth>("memory_peak", false);
  g.clock_mhz = in.number("clock_mhz", 0, huge);
  in.finish();
  return g;
}

BoxPath read_path(const Json& json) {
  ObjectReader in{json};
  BoxPath p;
  p.label = in.string("label");
  p.filesystem = in.string("filesystem");
  p.direct = in.require("direct").boolean();
  p.file_size = in.quantity<Bytes>("file_size", false);
  in.finish();
  return p;
}

NotMeasured read_not_measured(const Json& json) {
  ObjectReader in{json};
  NotMeasured n{in.string("what"), in.string("reason")};
  in.finish();
  return n;
}

template <class Item>
std::vector<Item> read_list(ObjectReader& in, std::string_view key, Item (*read)(const Json&)) {
  std::vector<Item> out;
  for (const Json& item : in.require(key).array()) out.push_back(read(item));
  return out;
}

void check_format(ObjectReader& in) {
  const Json& format = in.require("format");
  if (format.string() != "rackcast-box")
    format.fail("this is a \"" + format.string() + "\" document, not a measured box",
                "`rackcast calibrate run -o box.json` writes one");
  const Json& version = in.require("version");
  if (version.integer() != 1)
    version.fail("this build reads version 1 of the format",
                 "use the rackcast that wrote the file, or a newer one");
}

}  // namespace

Box read_box(const std::string& json_text, const std::string& name) {
  const Json json = parse_json(json_text, name);
  ObjectReader in{json};
  check_format(in);
  in.string_or("$schema", "");
  Box box;
  box.program = in.string("program");
  box.date = in.string("date");
  box.effort = in.string("effort");
  box.complete = in.require("complete").boolean();
  box.seed = static_cast<std::uint64_t>(in.integer("seed", 0, std::numeric_limits<std::int64_t>::max()));
  box.host = read_host(in.require("host"));
  box.gpus = read_list(in, "gpus", read_gpu);
  box.paths = read_list(in, "paths", read_path);
  box.measurements = read_list(in, "measurements", read_measurement);
  box.not_measured = read_list(in, "not_measured", read_not_measured);
  box.warnings = strings(&in.require("warnings"));
  in.finish();
  std::set<std::string_view> ids;
  for (std::size_t i = 0; i < box.measurements.size(); ++i)
    if (!ids.insert(box.measurements[i].id).second)
      in.require("measurements")
          .array()[i]
          .fail("the measurement \"" + box.measurements[i].id + "\" stands twice");
  return box;
}

}  // namespace rackcast
