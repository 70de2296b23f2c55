#include "models/exchange_methods.hpp"

#include <map>
#include <string>

#include "models/data_files.hpp"
#include "sim/error.hpp"
#include "sim/json_reader.hpp"

namespace rackcast {
namespace {

ExchangeSpec read_method(ObjectReader& in) {
  ExchangeSpec x;
  if (in.has("strategy"))
    x.strategy = static_cast<ExchangeStrategy>(in.choice("strategy", exchange_strategy_names));
  x.bucket = in.quantity<Bytes>("bucket", false);
  x.cycle = in.quantity_or("cycle", x.cycle, false);
  x.per_bucket = in.quantity_or("per_bucket", x.per_bucket, false);
  x.after_backward = in.boolean_or("after_backward", false);
  x.comm.algorithm = in.string_or("algorithm", x.comm.algorithm);
  x.comm.transport = in.string_or("transport", x.comm.transport);
  constexpr std::array<std::string_view, 2> stacks{"rdma", "tcp"};
  if (in.has("stack"))
    x.comm.stack = in.choice("stack", stacks) == 0 ? NetworkStack::rdma : NetworkStack::tcp;
  x.servers.count = static_cast<int>(in.integer_or("servers", 0, 0, 1'000'000));
  x.servers.on_gpus = in.boolean_or("on_gpus", false);
  x.servers.sums_in_node = in.boolean_or("sums_in_node", true);
  if (in.has("split")) x.servers.split = in.quantity<Bytes>("split");
  in.string("why");  // for the reader of the file: where the numbers come from
  in.finish();
  return x;
}

const std::map<std::string, ExchangeSpec, std::less<>>& methods() {
  static const std::map<std::string, ExchangeSpec, std::less<>> all = [] {
    std::map<std::string, ExchangeSpec, std::less<>> out;
    ObjectReader file{parse_model_data("exchanges.json")};
    file.string("source");
    for (const Json& method : file.require("methods").array()) {
      ObjectReader in{method};
      const std::string id = in.string("id");
      if (!out.emplace(id, read_method(in)).second) method.fail("method \"" + id + "\" stands twice");
    }
    file.finish();
    return out;
  }();
  return all;
}

}  // namespace

ExchangeSpec exchange_method(std::string_view name) {
  const auto found = methods().find(name);
  if (found != methods().end()) return found->second;
  std::string known;
  for (const auto& [id, spec] : methods()) known += (known.empty() ? "" : ", ") + id;
  throw Error{"no exchange of gradients is called \"" + std::string{name} + "\"", {}, "known: " + known};
}

}  // namespace rackcast
