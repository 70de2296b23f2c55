/// Logs of MLPerf training: ":::MLLOG {json}" since 0.6 (0.6: ":::MLL time name: {value, metadata}"),
/// ":::MLPv0.5.0 benchmark time (file:line) key: value" in 0.5. What matters here is how long the run took
/// and with which batch. Submitters, machines, files and line numbers stand in the same lines and are not
/// copied. Sources: mlperf/logging README and mlperf_compliance of training_results_v0.5.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "calibrate/import/importers.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

struct Event {
  std::string key;
  double time_ms = 0;
  std::optional<double> number;
  std::string text;
  double epoch = 0;
  bool aborted = false;
};

/// Lines are parsed one by one with tight limits.
constexpr JsonLimits line_limits{.max_bytes = 1u << 20, .max_depth = 16, .max_values = 10'000};
constexpr std::size_t most_events = 1'000'000;

/// The line's JSON, with errors that point into the log.
Json parse_at(const ImportSource& source, std::string_view part) {
  try {
    return parse_json(std::string{part}, source.name(), line_limits);
  } catch (const Error& e) {
    source.fail(part, "this log line is broken: " + e.message(),
                "the line seems to be cut off or mixed with another");
  }
}

void take_value(const Json* value, Event& event) {
  if (!value) return;
  if (value->kind() == JsonKind::number) event.number = value->number();
  if (value->kind() == JsonKind::string) {
    event.text = value->string();
    if (const auto number = to_number(event.text)) event.number = number;
  }
}

void take_metadata(const Json* metadata, Event& event) {
  if (!metadata || metadata->kind() != JsonKind::object) return;
  for (const std::string_view key : {"epoch_num", "epoch_count"})
    if (const Json* epoch = metadata->find(key); epoch && epoch->kind() == JsonKind::number)
      event.epoch = epoch->number();
  const Json* status = metadata->find("status");
  event.aborted = status && status->kind() == JsonKind::string && status->string() != "success";
}

Event read_mllog(const ImportSource& source, std::string_view part) {
  const Json json = parse_at(source, part);
  Event event;
  const Json* key = json.kind() == JsonKind::object ? json.find("key") : nullptr;
  if (!key || key->kind() != JsonKind::string) source.fail(part, "this log line has no \"key\"");
  event.key = key->string();
  const Json* time = json.find("time_ms");
  if (!time || time->kind() != JsonKind::number) source.fail(part, "this log line has no \"time_ms\"");
  event.time_ms = time->number();
  take_value(json.find("value"), event);
  take_metadata(json.find("metadata"), event);
  return event;
}

/// ":::MLL 1556733699.71 run_start: {"value": null, "metadata": {...}}", time in seconds.
Event read_mll(const ImportSource& source, std::string_view part) {
  const auto all = words(part);
  const std::size_t brace = part.find('{');
  if (all.size() < 3 || brace == std::string_view::npos || !all[1].ends_with(':'))
    source.fail(part, "this log line lacks its time, key or value");
  Event event;
  event.time_ms = source.number(all[0], 0, 1e13, "the time") * 1e3;
  event.key = std::string{all[1].substr(0, all[1].size() - 1)};
  const Json json = parse_at(source, part.substr(brace));
  if (json.kind() != JsonKind::object) source.fail(part, "this log line has no value");
  take_value(json.find("value"), event);
  take_metadata(json.find("metadata"), event);
  return event;
}

/// "resnet 1541635231.43 (main.py:162) run_start: value".
Event read_v05(const ImportSource& source, std::string_view part, std::string& benchmark) {
  const auto all = words(part);
  const std::size_t close = part.find(')');
  if (all.size() < 3 || close == std::string_view::npos)
    source.fail(part, "this log line lacks its time or key");
  benchmark = product_name(all[0]);
  Event event;
  event.time_ms = source.number(all[1], 0, 1e13, "the time") * 1e3;
  std::string_view rest = trimmed(part.substr(close + 1));
  const std::size_t colon = std::min(rest.find(':'), rest.size());
  event.key = std::string{trimmed(rest.substr(0, colon))};
  if (colon < rest.size()) {
    const std::string_view value = trimmed(rest.substr(colon + 1));
    event.number = to_number(value);
    event.text = std::string{value};
    // "run_stop: {"success": true}", "eval_accuracy: {"epoch": 61, "value": 0.749}"
    if (value.starts_with('{')) {
      const Json json = parse_at(source, value);
      if (const Json* number = json.find("value"); number && number->kind() == JsonKind::number)
        event.number = number->number();
      if (const Json* epoch = json.find("epoch"); epoch && epoch->kind() == JsonKind::number)
        event.epoch = epoch->number();
      const Json* success = json.find("success");
      event.aborted = success && success->kind() == JsonKind::boolean && !success->boolean();
    }
  }
  return event;
}

struct Summary {
  std::string benchmark;
  std::optional<double> start, stop, batch, samples, accuracy, target;
  double epochs = 0;
  bool aborted = false;
};

void note(const Event& event, Summary& s) {
  const auto is = [&](std::string_view name) {
    return event.key == name;
  };
  if (is("submission_benchmark")) s.benchmark = product_name(event.text);
  if (is("run_start") && !s.start) s.start = event.time_ms;
  if (is("run_stop")) {
    s.stop = event.time_ms;
    s.aborted = event.aborted;
  }
  if (is("global_batch_size") && event.number) s.batch = event.number;
  if ((is("train_samples") || is("preproc_num_train_examples")) && event.number) s.samples = event.number;
  if (is("eval_accuracy") && event.number) s.accuracy = event.number;
  if (is("eval_target") && event.number) s.target = event.number;
  if (is("epoch_stop") || is("eval_accuracy") || is("block_stop")) s.epochs = std::max(s.epochs, event.epoch);
  if (is("train_epoch") && event.number) s.epochs = std::max(s.epochs, *event.number);
}

void warn(const Summary& s, ImportOutput& out) {
  if (s.aborted)
    out.warnings.emplace_back("the run did not reach its target: its time is not a time to train");
  if (!s.batch) out.warnings.emplace_back("the global batch is not in the log");
  if (s.epochs <= 0) out.warnings.emplace_back("the number of epochs is not in the log");
  if (s.benchmark.empty()) out.warnings.emplace_back("the benchmark is not named");
  out.warnings.emplace_back(
      "a log does not say how many GPUs of which kind ran: add that to a validation case");
}

}  // namespace

void import_mllog(const Catalog&, const ImportSource& source, ImportOutput& out) {
  Summary s;
  std::size_t events = 0;
  for (const ImportLine& line : source.lines()) {
    const std::size_t at = line.text.find(":::ML");
    if (at == std::string_view::npos) continue;
    if (++events > most_events) source.fail(line.offset, "more than a million log lines");
    const std::string_view part = line.text.substr(at);
    if (part.starts_with(":::MLLOG ")) {
      note(read_mllog(source, trimmed(part.substr(9))), s);
      out.version = "MLLOG";
    } else if (part.starts_with(":::MLL ")) {
      note(read_mll(source, trimmed(part.substr(7))), s);
      out.version = "MLPerf 0.6";
    } else if (part.starts_with(":::MLPv0.5.0 ")) {
      note(read_v05(source, trimmed(part.substr(13)), s.benchmark), s);
      out.version = "MLPerf 0.5";
    } else {
      source.fail(part, "this form of the log is not known", "known: :::MLLOG, :::MLL, :::MLPv0.5.0");
    }
  }
  if (events == 0) source.fail(std::size_t{0}, "there is no line with :::MLLOG, :::MLL or :::MLPv0.5.0");
  if (!s.start) source.fail(std::size_t{0}, "the log has no run_start, so nothing can be timed");
  if (!s.stop)
    source.fail(source.text().size(), "the log has no run_stop: the run did not end", "wait for its end");
  if (!(*s.stop > *s.start) || *s.stop - *s.start > 1e12)
    source.fail(source.text().size(), "run_stop lies before run_start, or years after it");
  nlohmann::ordered_json run;
  if (!s.benchmark.empty()) run["benchmark"] = s.benchmark;
  const double seconds = (*s.stop - *s.start) / 1e3;
  run["time"] = fmt::format("{:.6g} s", seconds);
  run["reached_target"] = !s.aborted;
  if (s.batch) run["global_batch"] = *s.batch;
  if (s.epochs > 0) run["epochs"] = s.epochs;
  if (s.samples) run["samples_per_epoch"] = *s.samples;
  if (s.accuracy) run["accuracy"] = *s.accuracy;
  if (s.target) run["target"] = *s.target;
  if (s.samples && s.epochs > 0)
    run["samples_per_s"] = std::round(*s.samples * s.epochs / seconds * 100) / 100;
  warn(s, out);
  out.body["run"] = run;
  out.summary = fmt::format("{} in {:.4g} min", s.benchmark.empty() ? "a run" : s.benchmark, seconds / 60);
}

}  // namespace rackcast
