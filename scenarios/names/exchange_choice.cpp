#include "scenarios/names/exchange_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "models/collectives/collective.hpp"
#include "models/exchange/exchange_methods.hpp"
#include "models/frameworks/framework.hpp"
#include "sim/json/plain_json.hpp"

namespace rackcast {

namespace {

std::vector<std::string> known_names() {
  std::vector<std::string> names{"all_reduce", "fp16_gradients", "parameter_server"};
  for (const CollectiveAlgorithm& a : collective_algorithms()) names.emplace_back(a.name);
  for (std::string& method : exchange_method_names()) names.push_back(std::move(method));
  return names;
}

ExchangeSpec read_object(const Json& json) {
  ObjectReader in{json};
  ExchangeSpec base;
  if (const Json* method = in.find("method")) {
    try {
      base = exchange_named(method->string());
    } catch (const Error& e) {
      if (e.where().line) throw;
      method->fail(e.message(), e.hint());
    }
  }
  base = read_exchange_members(in, std::move(base));
  in.finish();
  return base;
}

}  // namespace

ExchangeSpec exchange_named(const std::string& name) {
  if (name.starts_with('{')) return read_object(parse_json(name, "exchange"));
  ExchangeSpec spec;
  if (name.empty() || name == "all_reduce") return spec;
  if (name == "fp16_gradients") {
    spec.compression = "fp16";
    return spec;
  }
  if (name == "parameter_server") {
    spec.strategy = ExchangeStrategy::parameter_server;
    return spec;
  }
  for (const CollectiveAlgorithm& a : collective_algorithms()) {
    if (a.name != name) continue;
    spec.comm.algorithm = name;
    return spec;
  }
  const auto names = known_names();
  const auto methods = exchange_method_names();
  if (std::ranges::find(methods, name) != methods.end()) return exchange_method(name);
  const std::string near = did_you_mean(name, names);
  throw Error{fmt::format("unknown exchange of gradients \"{}\"", name),
              {},
              near.empty() ? "one of " + name_list(names) : near};
}

ExchangeSpec exchange_on(const std::string& text, const FrameworkProfile& framework, int nodes) {
  if (!text.empty()) return exchange_named(text);
  return exchange_method(nodes > 1 ? framework.exchange_between_nodes : framework.exchange);
}

std::string read_exchange(const Json& json) {
  if (json.kind() == JsonKind::object) {
    (void)read_object(json);
    return nlohmann::json(plain_json(json)).dump();  // the same text in whatever order its members stand
  }
  try {
    (void)exchange_named(json.string());
  } catch (const Error& e) {
    if (e.where().line) throw;
    json.fail(e.message(), e.hint());
  }
  return json.string();
}

}  // namespace rackcast
