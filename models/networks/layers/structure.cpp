#include "models/networks/layers/kinds.hpp"
#include "models/networks/layers/operators.hpp"
#include "models/networks/workload_reader.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

Flow LayerContext::run(const Json& layers, const Flow& from) const {
  return reader.run(layers, arguments.scope(), from);
}

std::vector<Flow> LayerContext::run_branches(const Json& lists, const Flow& from) const {
  if (lists.array().empty()) lists.fail("needs at least one list of layers");
  std::vector<Flow> ends;
  for (const Json& list : lists.array()) ends.push_back(run(list, from));
  return ends;
}

const Flow& LayerContext::saved(const Json& key) const {
  return reader.saved(key);
}

namespace layers {
namespace {

std::vector<Flow> branches(LayerContext& context) {
  return context.run_branches(context.arguments.require(context.arguments.kind()), context.input);
}

}  // namespace

Flow residual(LayerContext& context) {
  const Json* projection = context.arguments.find("projection");
  const Flow body = context.run(context.arguments.require("residual"), context.input);
  Flow shortcut = context.input;
  if (!(shortcut.shape == body.shape) && projection) {
    const NetworkBuilder::Prefix prefix(context.network, "shortcut");
    shortcut = context.run(*projection, context.input);
  }
  return add_join(context.network, context.name, "add", {body, shortcut});
}

Flow add(LayerContext& context) {
  return add_join(context.network, context.name, "add", branches(context));
}

Flow multiply(LayerContext& context) {
  return add_join(context.network, context.name, "multiply", branches(context));
}

Flow concat(LayerContext& context) {
  const std::vector<Flow> ends = branches(context);
  // All branches begin at one map, whose gradient is their sum: as many reads, and a write.
  const double forked =
      ends.size() > 1 ? static_cast<double>(ends.size() + 1) * context.input.shape.elements() : 0;
  return add_concat(context.network, context.name, ends, forked);
}

Flow group(LayerContext& context) {
  const NetworkBuilder::Prefix prefix(context.network, context.name);
  return context.run(context.arguments.require("group"), context.input);
}

Flow heads(LayerContext& context) {
  const NetworkBuilder::Prefix prefix(context.network, context.name);
  branches(context);
  return context.input;
}

Flow auxiliary(LayerContext& context) {
  const Json& layers = context.arguments.require("auxiliary");
  if (!context.reader.options().auxiliary_heads) return context.input;
  const NetworkBuilder::Prefix prefix(context.network, context.name);
  const NetworkBuilder::Mode mode(context.network, {.auxiliary = true});
  context.run(layers, context.input);
  return context.input;
}

Flow save(LayerContext& context) {
  context.reader.save(context.arguments.require("save").string(), context.input);
  return context.input;
}

Flow use(LayerContext& context) {
  return context.saved(context.arguments.require("use"));
}

Flow each(LayerContext& context) {
  const auto& names = context.arguments.require("each").array();
  const Json& layers = context.arguments.require("layers");
  const bool shared = context.arguments.flag_or("shared_weights", false);
  const Json* save_as = context.arguments.find("save_as");
  if (save_as && save_as->array().size() != names.size()) {
    save_as->fail("\"save_as\" needs one name for each of the " + std::to_string(names.size()) + " values");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Json& name = context.arguments.scope().resolve(names[i]);
    const Flow from = context.saved(name);
    const NetworkBuilder::Prefix prefix(context.network, context.name + "." + name.string());
    const NetworkBuilder::Mode mode(context.network, {.shared = shared && i > 0});
    const Flow out = context.run(layers, from);
    if (save_as) context.reader.save(save_as->array()[i].string(), out);
  }
  return context.input;
}

Flow input(LayerContext& context) {
  return context.reader.read_input(context.arguments.require("input"), context.arguments.scope());
}

}  // namespace layers
}  // namespace rackcast
