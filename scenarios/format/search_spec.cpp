#include "scenarios/format/search_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "scenarios/format/scenario.hpp"
#include "scenarios/names/exchange_choice.hpp"
#include "scenarios/names/placed.hpp"
#include "sim/json/plain_json.hpp"

namespace rackcast {

namespace {

constexpr std::size_t kMostListed = 256;

/// The elements of a list that is neither empty nor too long.
const std::vector<Json>& elements(const Json& json, const char* example) {
  if (json.kind() != JsonKind::array) json.fail("a dimension of a search is a list", example);
  if (json.array().empty()) json.fail("an empty list leaves nothing to choose from", example);
  if (json.array().size() > kMostListed) json.fail(fmt::format("more than {} values", kMostListed));
  return json.array();
}

/// Each element read; one that is equal to an earlier one is an error.
template <class Read>
auto distinct(const Json& json, const char* example, Read read) {
  std::vector<decltype(read(json))> out;
  std::vector<std::string> keys;
  for (const Json& one : elements(json, example)) {
    out.push_back(read(one));
    std::string key = plain_json(one).dump();
    if (std::ranges::find(keys, key) != keys.end())
      one.fail(fmt::format("{} is in the list twice", key), "remove one of them");
    keys.push_back(std::move(key));
  }
  return out;
}

double bounded(const Json& json, double low, double high, bool whole) {
  const double value = whole ? static_cast<double>(json.integer()) : json.number();
  if (value < low || value > high)
    json.fail(fmt::format("{} must be between {:g} and {:g}, and is {:g}", json.name(), low, high, value));
  return value;
}

std::vector<double> range(const Json& json, double low, double high, bool whole) {
  ObjectReader in{json};
  const double from = bounded(in.require("from"), low, high, whole);
  const double to = bounded(in.require("to"), low, high, whole);
  const Json* times = in.find("times");
  const Json* step = in.find("step");
  in.finish();
  if (to < from) json.fail("the range is empty: it ends before it begins");
  if (times && step) json.fail("a range goes by \"step\" or by \"times\"", "remove one of them");
  if (times && times->number() <= 1) times->fail("a range by \"times\" needs a factor above 1");
  if (step && bounded(*step, 0, high, whole) <= 0) step->fail("a step is above 0");
  std::vector<double> out;
  for (std::size_t i = 0;; ++i) {
    const auto n = static_cast<double>(i);
    double value = times ? from * std::pow(times->number(), n) : from + (step ? step->number() : 1) * n;
    if (value > to * (1 + 1e-12)) return out;
    if (out.size() == most_values)
      json.fail(fmt::format("a range of more than {} values", most_values), "take a larger step");
    if (whole) value = std::round(value);
    if (out.empty() || value > out.back()) out.push_back(value);
  }
}

/// Ascending. Nothing appears twice.
std::vector<double> numbers(const Json& json, double low, double high, bool whole) {
  if (json.kind() == JsonKind::object) return range(json, low, high, whole);
  std::vector<double> out;
  for (const Json& one : elements(json, "for example [1, 2, 4] or {\"from\": 1, \"to\": 64, \"times\": 2}")) {
    const double value = bounded(one, low, high, whole);
    if (std::ranges::find(out, value) != out.end())
      one.fail(fmt::format("{:g} is in the list twice", value), "remove one of them");
    out.push_back(value);
  }
  std::ranges::sort(out);
  return out;
}

std::vector<int> whole_numbers(const Json& json, int low, int high) {
  const auto values = numbers(json, low, high, true);
  return {values.begin(), values.end()};
}

Choice<FrameworkName> read_framework(const Json& json) {
  ObjectReader in{json};
  Choice<FrameworkName> out{{in.string("name"), in.string_or("version", "")}, json.where()};
  in.finish();
  return out;
}

Choice<Mesh> read_split(const Json& json) {
  Mesh spec = read_parallelism(json);
  if (spec.tables) json.require("tables").fail("a search splits transformers, not tables");
  return {spec, json.where()};
}

std::size_t at_least_one(std::size_t count) {
  return std::max<std::size_t>(1, count);
}

}  // namespace

std::string_view to_string(Objective objective) {
  return objective_names.at(static_cast<std::size_t>(objective));
}

Objective read_objective(const Json& json) {
  const auto* found = std::ranges::find(objective_names, json.string());
  if (found != objective_names.end()) return static_cast<Objective>(found - objective_names.begin());
  const std::string near = did_you_mean(json.string(), objective_names);
  json.fail(fmt::format("unknown objective \"{}\"", json.string()),
            near.empty() ? "one of " + name_list(objective_names) : near);
}

std::size_t SearchSpec::designs() const {
  return at_least_one(node.size()) * at_least_one(fabric.size()) * at_least_one(oversubscription.size()) *
         at_least_one(storage.size()) * at_least_one(parallelism.size());
}

std::size_t SearchSpec::variants() const {
  return at_least_one(batch_per_gpu.size()) * at_least_one(precision.size()) *
         at_least_one(framework.size()) * at_least_one(exchange.size());
}

SearchSpec read_search(const Json& json, const SearchReaders& readers) {
  ObjectReader in{json};
  SearchSpec s;
  s.where = json.where();
  if (const Json* node = in.find("node")) {
    s.node = distinct(*node, "for example [\"dgx1_p100\", \"dgx1v_16gb\"]", [&](const Json& one) {
      return Choice<std::string>{readers.name_or_file(one), one.where()};
    });
  }
  if (const Json* nodes = in.find("nodes")) s.nodes = whole_numbers(*nodes, 1, 100'000);
  if (const Json* gpus = in.find("gpus_per_job")) {
    s.gpus_per_job = whole_numbers(*gpus, 1, 1'000'000);
    if (!s.nodes.empty())
      gpus->fail("\"nodes\" and \"gpus_per_job\" say the size twice",
                 "remove one of them: with \"gpus_per_job\", the number of nodes follows");
  }
  if (const Json* fabric = in.find("fabric")) {
    s.fabric = distinct(*fabric, R"(for example [{"kind": "two_level"}, {"kind": "torus_2d"}])",
                        [&](const Json& one) {
                          return Choice<FabricOptions>{readers.fabric(one), one.where()};
                        });
  }
  if (const Json* over = in.find("oversubscription")) s.oversubscription = numbers(*over, 1, 64, false);
  if (const Json* storage = in.find("storage")) {
    s.storage = distinct(*storage, R"(for example [{"array": "dgx_pod_storage_server", "count": 12}])",
                         readers.storage);
  }
  if (const Json* batch = in.find("batch_per_gpu")) s.batch_per_gpu = whole_numbers(*batch, 1, 1'000'000);
  if (const Json* precision = in.find("precision")) {
    s.precision = distinct(*precision, "for example [\"fp32\", \"mixed\"]", [](const Json& one) {
      return Choice<Precision>{parsed(one, [](const std::string& name) { return parse_precision(name); }),
                               one.where()};
    });
  }
  if (const Json* framework = in.find("framework"))
    s.framework = distinct(*framework, R"(for example [{"name": "pytorch"}])", read_framework);
  if (const Json* exchange = in.find("exchange")) {
    s.exchange = distinct(*exchange, "for example [\"all_reduce\", \"parameter_server\"]", read_exchange);
  }
  if (const Json* splits = in.find("parallelism")) {
    s.parallelism =
        distinct(*splits, R"(for example [{"tensor": 4}, {"tensor": 8, "pipeline": 2}])", read_split);
    for (const char* other : {"batch_per_gpu", "exchange"})
      if (const Json* given = in.find(other))
        given->fail(fmt::format("networks split over GPUs have no \"{}\" of their own", other),
                    "remove it, or \"parallelism\" from the search");
  }
  in.finish();
  if (s.designs() > most_choices || s.designs() * s.variants() > most_choices) {
    json.fail(fmt::format("{} combinations, without counting sizes; at most {} are searched",
                          s.designs() * s.variants(), most_choices),
              "open fewer dimensions, or shorter lists");
  }
  return s;
}

}  // namespace rackcast
