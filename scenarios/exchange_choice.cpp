#include "scenarios/exchange_choice.hpp"

#include <fmt/format.h>

#include <vector>

#include "models/collectives/collective.hpp"

namespace rackcast {

namespace {

std::vector<std::string> known_names() {
  std::vector<std::string> names{"all_reduce", "fp16_gradients", "parameter_server"};
  for (const CollectiveAlgorithm& a : collective_algorithms()) names.emplace_back(a.name);
  return names;
}

}  // namespace

ExchangeSpec exchange_named(const std::string& name) {
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
  const std::string near = did_you_mean(name, names);
  throw Error{fmt::format("unknown exchange of gradients \"{}\"", name),
              {},
              near.empty() ? "one of " + name_list(names) : near};
}

std::string read_exchange(const Json& json) {
  try {
    (void)exchange_named(json.string());
  } catch (const Error& e) {
    if (e.where().line) throw;
    json.fail(e.message(), e.hint());
  }
  return json.string();
}

}  // namespace rackcast
