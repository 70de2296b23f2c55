#include "models/exchange/exchange_methods.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "models/data_files.hpp"
#include "models/exchange/compression.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// Reads a name; an Error that `check` throws gets the place of the name.
template <class Check>
std::string checked_name(ObjectReader& in, std::string_view key, const std::string& usual, Check check) {
  const Json* place = in.find(key);
  if (place == nullptr) return usual;
  try {
    check(place->string());
  } catch (const Error& e) {
    if (e.where().line > 0) throw;
    place->fail(e.message(), e.hint());
  }
  return place->string();
}

void read_library(ObjectReader& in, CommSpec& comm) {
  constexpr std::array<std::string_view, 2> stacks{"rdma", "tcp"};
  comm.algorithm = checked_name(in, "algorithm", comm.algorithm, [](const std::string& name) {
    if (name != "auto") (void)collective_algorithm(name);
  });
  comm.transport = checked_name(in, "transport", comm.transport, [](const std::string& name) {
    const std::vector<std::string> known = comm_transports();
    if (std::ranges::find(known, name) != known.end()) return;
    const std::string near = did_you_mean(name, known);
    throw Error{
        "there is no transport \"" + name + "\"", {}, near.empty() ? "one of " + name_list(known) : near};
  });
  if (in.has("stack")) comm.stack = in.choice("stack", stacks) == 0 ? NetworkStack::rdma : NetworkStack::tcp;
  comm.version = in.string_or("nccl", comm.version);
  comm.in_network = in.boolean_or("in_network", comm.in_network);
}

/// Members of one strategy alone are refused with the others.
void refuse_unused(ObjectReader& in, ExchangeStrategy strategy) {
  struct Member {
    std::string_view key;
    bool used;
    const char* hint;
  };
  const bool servers = strategy == ExchangeStrategy::parameter_server;
  const bool hybrid = strategy == ExchangeStrategy::hybrid;
  const bool splits = hybrid || strategy == ExchangeStrategy::model_parallel;
  const char* with_servers = "it belongs to \"strategy\": \"parameter_server\"";
  const std::array members{
      Member{"servers", servers, with_servers},
      Member{"apart", servers, with_servers},
      Member{"on_gpus", servers, with_servers},
      Member{"sums_in_node", servers, with_servers},
      Member{"sums_on_gpu", servers, with_servers},
      Member{"whole_arrays", servers, with_servers},
      Member{"add_rate", servers, with_servers},
      Member{"mode", servers, with_servers},
      Member{"staleness", servers, with_servers},
      Member{"split", servers, with_servers},
      Member{"local_steps", strategy == ExchangeStrategy::local_sgd,
             "it belongs to \"strategy\": \"local_sgd\""},
      Member{"ways", splits, "it belongs to \"strategy\": \"model_parallel\" or \"hybrid\""},
      Member{"factors", hybrid, "it belongs to \"strategy\": \"hybrid\""}};
  for (const Member& m : members) {
    const Json* place = in.find(m.key);
    if (place != nullptr && !m.used)
      place->fail("\"" + std::string{m.key} + "\" has no meaning for this strategy", m.hint);
  }
}

void read_servers(ObjectReader& in, ServerSpec& servers) {
  servers.count = static_cast<int>(in.integer_or("servers", servers.count, 0, 100'000));
  servers.apart = in.boolean_or("apart", servers.apart);
  servers.on_gpus = in.boolean_or("on_gpus", servers.on_gpus);
  servers.sums_in_node = in.boolean_or("sums_in_node", servers.sums_in_node);
  servers.whole_arrays = in.boolean_or("whole_arrays", servers.whole_arrays);
  servers.sums_on_gpu = in.boolean_or("sums_on_gpu", servers.sums_on_gpu);
  servers.add_rate = in.quantity_or("add_rate", servers.add_rate, true);
  if (in.has("mode")) servers.mode = static_cast<ServerMode>(in.choice("mode", server_mode_names));
  servers.staleness = static_cast<int>(in.integer_or("staleness", servers.staleness, 1, 1'000'000));
  if (in.has("split")) servers.split = in.quantity<Bytes>("split");
  if (in.has("staleness") && servers.mode != ServerMode::stale)
    in.require("staleness").fail("\"staleness\" needs \"mode\": \"stale\"");
}

}  // namespace

ExchangeSpec read_exchange_members(ObjectReader& in, ExchangeSpec x) {
  if (in.has("strategy"))
    x.strategy = static_cast<ExchangeStrategy>(in.choice("strategy", exchange_strategy_names));
  refuse_unused(in, x.strategy);
  x.bucket = in.quantity_or("bucket", x.bucket, false);
  x.gradient = in.quantity_or("gradient", x.gradient, true);
  x.cycle = in.quantity_or("cycle", x.cycle, false);
  x.groups = static_cast<int>(in.integer_or("groups", x.groups, 1, 10'000));
  x.per_bucket = in.quantity_or("per_bucket", x.per_bucket, false);
  x.after_backward = in.boolean_or("after_backward", x.after_backward);
  x.packs = in.boolean_or("packs", x.packs);
  read_library(in, x.comm);
  x.compression = checked_name(in, "compression", x.compression,
                               [](const std::string& name) { (void)compression(name); });
  read_servers(in, x.servers);
  x.local_steps = static_cast<int>(in.integer_or("local_steps", x.local_steps, 2, 1'000'000));
  x.ways = static_cast<int>(in.integer_or("ways", x.ways, 2, 1024));
  x.factors = in.boolean_or("factors", x.factors);
  if (x.strategy == ExchangeStrategy::local_sgd && x.local_steps < 2)
    in.json().fail("local SGD needs \"local_steps\"", "steps between two averages, 2 or more");
  const bool splits = x.strategy == ExchangeStrategy::model_parallel ||
                      (x.strategy == ExchangeStrategy::hybrid && !x.factors);
  if (splits && x.ways < 2) in.json().fail("layers split over GPUs need \"ways\"", "2 to 8 within a node");
  return x;
}

namespace {

const std::map<std::string, ExchangeSpec, std::less<>>& methods() {
  static const std::map<std::string, ExchangeSpec, std::less<>> all = [] {
    std::map<std::string, ExchangeSpec, std::less<>> out;
    ObjectReader file{parse_model_data("exchanges.json")};
    file.string("source");
    for (const Json& method : file.require("methods").array()) {
      ObjectReader in{method};
      const std::string id = in.string("id");
      in.string("why");  // for the reader of the file: where the numbers come from
      ExchangeSpec x = read_exchange_members(in, {});
      in.finish();
      if (!out.emplace(id, std::move(x)).second) method.fail("method \"" + id + "\" stands twice");
    }
    file.finish();
    return out;
  }();
  return all;
}

}  // namespace

std::vector<std::string> exchange_method_names() {
  std::vector<std::string> out;
  for (const auto& [id, spec] : methods()) out.push_back(id);
  return out;
}

ExchangeSpec exchange_method(std::string_view name) {
  const auto found = methods().find(name);
  if (found != methods().end()) return found->second;
  const std::vector<std::string> known = exchange_method_names();
  const std::string near = did_you_mean(name, known);
  throw Error{"no exchange of gradients is called \"" + std::string{name} + "\"",
              {},
              near.empty() ? "one of " + name_list(known) : near};
}

}  // namespace rackcast
