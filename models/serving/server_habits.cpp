// Habits of servers and of load generators, from models/data/host/serving.json.
#include <algorithm>
#include <charconv>

#include "models/data_files.hpp"
#include "models/serving/token_generation.hpp"
#include "sim/json/reader.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

/// "0.14.1" as {0, 14}; nothing where it does not begin with two numbers ("nightly-5b8c30d6").
std::optional<std::pair<int, int>> release_of(std::string_view version) {
  std::pair<int, int> out;
  const char* const end = version.data() + version.size();
  const auto major = std::from_chars(version.data(), end, out.first);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, out.second);
  return minor.ec == std::errc{} ? std::optional{out} : std::nullopt;
}

bool takes_as_large(const GpuSpec& gpu, const Json& large) {
  ObjectReader in{large};
  const bool other = std::ranges::any_of(in.require("but").array(), [&](const Json& line) {
    return gpu.id.find(line.string()) != std::string::npos;
  });
  return !other && gpu.available_memory() >= in.quantity<Bytes>("from");
}

}  // namespace

std::optional<double> trtllm_bench_requests(double prompt, double output) {
  const Json file = parse_model_data("host/serving.json");
  for (const Json& entry : file.require("trtllm_bench_requests").require("lengths").array()) {
    ObjectReader in{entry};
    const double requests = in.number("requests", 1, 1e6);
    if (in.number("prompt", 1, 1e7) == prompt && in.number("output", 1, 1e7) == output) return requests;
  }
  return std::nullopt;
}

LoadGenerator load_generator() {
  ObjectReader in{parse_model_data("host/serving.json").require("load_generator")};
  return {in.number("requests_per_place", 1, 1e6), in.number("shortest", 0, 1),
          in.boolean_or("fp8_cache", false)};
}

std::optional<double> prompt_of_data_set(std::string_view name) {
  const Json file = parse_model_data("host/serving.json");
  const Json* set = file.require("data_sets").find(name);
  if (set == nullptr) return std::nullopt;
  ObjectReader in{*set};
  return in.number("prompt", 1, 1e6);
}

std::vector<std::string> server_fit_cases() {
  const Json file = parse_model_data("host/serving_fit.json");
  std::vector<std::string> out;
  for (const Json& id : file.require("fit").array()) out.push_back(id.string());
  return out;
}

double cache_room_log_sigma() {
  ObjectReader in{parse_model_data("host/serving.json").require("cache_room")};
  return in.number("log_sigma", 0, 10);
}

Speculation speculation_of(int drafts, std::optional<double> acceptance) {
  if (drafts == 0) return {};
  ObjectReader in{parse_model_data("host/serving.json").require("speculation")};
  if (acceptance) return {drafts, *acceptance, 0};
  return {drafts, in.number("acceptance", 0, 1), in.number("log_sigma", 0, 10)};
}

ServerTimes unseen_server_times(std::string_view framework) {
  const Json file = parse_model_data("host/serving.json");
  if (const Json* known = file.require("servers").find(framework))
    if (const Json* own = known->find("unseen"))
      return {.per_request = ObjectReader{*own}.quantity<Duration>("per_request", false)};
  ObjectReader in{file.require("unseen_server")};
  return {in.quantity<Duration>("arriving"), in.quantity<Duration>("between_passes"),
          in.quantity<Duration>("per_request"), in.number("passes_waited", 0, 1000)};
}

ServerHabits server_habits(std::string_view framework, std::string_view version, const GpuSpec* gpu) {
  const Json file = parse_model_data("host/serving.json");
  const Json& servers = file.require("servers");
  const Json* known = servers.find(framework);
  ObjectReader in{known != nullptr ? *known : servers.require("tensorrt")};
  ServerHabits out;
  out.memory_of_all = in.number("memory_of_all", 0, 1);
  out.memory_of_free = in.number("memory_of_free", 0, 1);
  out.output_kept = in.number("output_kept", 0, 1);
  out.most_requests = in.number("most_requests", 1, 1e6);
  out.tokens_per_pass = in.number("tokens_per_pass", 1, 1e6);
  out.most_tokens_per_pass = in.has("most_tokens_per_pass") ? in.number("most_tokens_per_pass", 1, 1e6) : 0;
  out.fp8_cache = in.boolean_or("fp8_cache", false);
  out.mixed = in.boolean_or("mixed", true);
  out.arriving = in.quantity_or<Duration>("arriving", Duration{0}, false);
  out.between_passes = in.quantity_or<Duration>("between_passes", Duration{0}, false);
  out.per_request = in.quantity_or<Duration>("per_request", Duration{0}, false);
  out.passes_waited = in.has("passes_waited") ? in.number("passes_waited", 0, 1000) : 0;
  const auto is_before = [&](const std::string& other) {
    const auto release = release_of(version), first = release_of(other);
    return release && first && *release < *first;
  };
  if (const Json* newer = in.find("newer"); newer != nullptr && gpu != nullptr) {
    ObjectReader since{*newer};
    if (!is_before(since.string("since"))) {
      const Json& large = since.require("large_gpus");
      ObjectReader size{takes_as_large(*gpu, large) ? large : *newer};
      out.most_requests = size.number("most_requests", 1, 1e6);
      out.tokens_per_pass = size.number("tokens_per_pass", 1, 1e6);
    }
  }
  if (const Json* older = in.find("older")) {
    ObjectReader old{*older};
    if (is_before(old.string("before"))) {
      out.between_passes = old.quantity<Duration>("between_passes");
      out.per_request = old.quantity<Duration>("per_request");
    }
  }
  return out;
}

}  // namespace rackcast
