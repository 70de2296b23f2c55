#include "calibrate/measure/box.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/base/embedded.hpp"
#include "sim/base/input_file.hpp"

namespace rackcast {

std::span<const EmbeddedFile> calibrate_schemas();

namespace {

using nlohmann::ordered_json;

/// Nine significant digits, as a JSON number: enough for any clock and short to read.
ordered_json rounded(double value) {
  return ordered_json::parse(fmt::format("{:.9g}", value));
}

ordered_json maybe(const std::optional<double>& value) {
  return value ? rounded(*value) : ordered_json{};
}

void put(ordered_json& object, const char* key, const ordered_json& value) {
  if (!value.is_null()) object[key] = value;
}

ordered_json conditions_json(const Conditions& c) {
  ordered_json out = ordered_json::object();
  put(out, "load", maybe(c.load));
  put(out, "clock_mhz", maybe(c.clock_mhz));
  put(out, "clock_drop", maybe(c.clock_drop));
  put(out, "power_w", maybe(c.power_w));
  put(out, "temperature_c", maybe(c.temperature_c));
  if (!c.throttle.empty()) out["throttle"] = c.throttle;
  return out;
}

ordered_json measurement_json(const Measurement& m) {
  const SampleSummary s = m.summary();
  ordered_json out{{"id", m.id}, {"kind", m.kind}, {"device", m.device}};
  for (const auto& [key, value] : m.numbers) out["numbers"][key] = rounded(value);
  for (const auto& [key, value] : m.labels) out["labels"][key] = value;
  out["amount"] = rounded(m.amount);
  out["amount_unit"] = m.amount_unit;
  out["unit"] = "s";
  out["median"] = rounded(s.median);
  out["mad"] = rounded(s.mad);
  out["interval"] = {rounded(s.low), rounded(s.high)};
  out["confidence"] = rounded(s.confidence);
  out["warm_up"] = m.warm_up;
  out["stop"] = to_string(m.stop);
  if (m.verified) out["verified"] = *m.verified;
  out["conditions"] = conditions_json(m.conditions);
  out["samples"] = ordered_json::array();
  for (const double x : m.samples) out["samples"].push_back(rounded(x));
  return out;
}

ordered_json host_json(const BoxHost& h) {
  return {{"cpu_model", h.cpu_model},   {"architecture", h.architecture},
          {"governor", h.governor},     {"sockets", h.sockets},
          {"cores", h.cores},           {"threads", h.threads},
          {"numa_nodes", h.numa_nodes}, {"memory", fmt::format("{:.0f} B", h.memory.base())}};
}

ordered_json gpu_json(const BoxGpu& g) {
  ordered_json libraries = ordered_json::object();
  for (const auto& [key, value] : g.libraries) libraries[key] = value;
  return {{"name", g.name},
          {"compute_capability", g.compute_capability},
          {"driver", g.driver},
          {"runtime", g.runtime},
          {"libraries", libraries},
          {"sm_count", g.sm_count},
          {"memory", fmt::format("{:.0f} B", g.memory.base())},
          {"l2", fmt::format("{:.0f} B", g.l2.base())},
          {"memory_peak", fmt::format("{:.9g} B/s", g.memory_peak.base())},
          {"clock_mhz", rounded(g.clock_mhz)}};
}

/// Pretty above, one line for each measurement's samples: a box is read and compared by people too.
std::string lines(const std::vector<ordered_json>& items) {
  std::string out;
  for (const ordered_json& item : items) {
    out += (out.empty() ? "\n    " : ",\n    ") +
           item.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }
  return out.empty() ? "[]" : "[" + out + "\n  ]";
}

template <class Items, class ToJson>
std::string list(const Items& items, ToJson to_json) {
  std::vector<ordered_json> out;
  for (const auto& item : items) out.push_back(to_json(item));
  return lines(out);
}

}  // namespace

double Measurement::rate() const {
  const double median = summary().median;
  return median > 0 ? amount / median : 0;
}

const Measurement* Box::find(std::string_view id) const {
  for (const Measurement& m : measurements)
    if (m.id == id) return &m;
  return nullptr;
}

std::string box_text(const Box& box) {
  const auto text = [](const auto& value) {
    return ordered_json(value).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  };
  std::string out = "{\n  \"format\": \"rackcast-box\",\n  \"version\": 1,\n";
  const auto member = [&](const char* key, const std::string& value, bool last = false) {
    out += fmt::format("  \"{}\": {}{}\n", key, value, last ? "" : ",");
  };
  member("program", text(box.program));
  member("date", text(box.date));
  member("effort", text(box.effort));
  member("complete", box.complete ? "true" : "false");
  member("seed", std::to_string(box.seed));
  member("host", host_json(box.host).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  member("gpus", list(box.gpus, gpu_json));
  member("paths", list(box.paths, [](const BoxPath& p) {
           return ordered_json{{"label", p.label},
                               {"filesystem", p.filesystem},
                               {"direct", p.direct},
                               {"file_size", fmt::format("{:.0f} B", p.file_size.base())}};
         }));
  member("measurements", list(box.measurements, measurement_json));
  member("not_measured", list(box.not_measured, [](const NotMeasured& n) {
           return ordered_json{{"what", n.what}, {"reason", n.reason}};
         }));
  member("warnings", list(box.warnings, [](const std::string& w) { return ordered_json(w); }), true);
  return out + "}\n";
}

Box read_box_file(const std::string& path) {
  return read_box(read_file(path), path);
}

std::string_view box_schema() {
  for (const EmbeddedFile& file : calibrate_schemas())
    if (file.name == "box.schema.json") return file.text;
  return {};
}

}  // namespace rackcast
