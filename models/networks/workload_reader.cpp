#include "models/networks/workload_reader.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "models/networks/transformer.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// Every "$name" below `value`, in order of the name.
void collect_names(const Json& value, std::set<std::string>& names, int depth = 0) {
  if (depth > WorkloadReader::max_nesting) value.fail("nested too deeply");
  switch (value.kind()) {
    case JsonKind::string:
      if (value.string().starts_with('$')) names.insert(value.string().substr(1));
      return;
    case JsonKind::array:
      for (const Json& part : value.array()) collect_names(part, names, depth + 1);
      return;
    case JsonKind::object:
      for (const auto& [key, part] : value.object()) collect_names(part, names, depth + 1);
      return;
    default:
      return;
  }
}

/// Another sequence length; the share of predicted positions stays.
void set_length(TransformerShape& shape, std::int64_t length) {
  if (shape.predicted > 0) {
    const double share = static_cast<double>(shape.predicted) / static_cast<double>(shape.seq_len);
    shape.predicted = std::max<std::int64_t>(1, std::llround(share * static_cast<double>(length)));
  }
  shape.seq_len = length;
}

bool has_place(const Error& e) {
  return !e.where().file.empty() || e.where().line > 0;
}

const LayerKind* find_kind(std::string_view name) {
  for (const LayerKind& kind : layer_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace

Workload WorkloadReader::read(const Json& json) {
  ObjectReader file{json};
  read_description(file);
  read_parameters(file);
  if (const Json* shape = file.find("transformer")) {
    if (file.has("layers") || file.has("input")) {
      json.fail("a workload has either \"transformer\" or \"input\" and \"layers\"");
    }
    file.finish();
    TransformerShape transformer = read_transformer_shape(*shape);
    if (options_.seq_len) set_length(transformer, *options_.seq_len);
    if (options_.image) shape->fail("this workload reads tokens; an image size cannot be set");
    Workload generated = transformer_workload(transformer);
    workload_.input_text = generated.input_text;
    workload_.input_bytes = generated.input_bytes;
    workload_.operators = std::move(generated.operators);
    workload_.transformer = std::move(generated.transformer);
    return std::move(workload_);
  }
  read_blocks(file);
  read_defaults(file);
  const Json& input = file.require("input");
  const Json& layers = file.require("layers");
  file.finish();

  const Flow start = read_input(input, file_scope_);
  workload_.input_text = start.shape.text();
  run(layers, file_scope_, start);
  workload_.operators = network_.take();
  if (workload_.operators.empty()) layers.fail("the workload has no layers");
  return std::move(workload_);
}

void WorkloadReader::read_description(ObjectReader& file) {
  workload_.title = file.string("title");
  workload_.task = file.string("task");
  workload_.source = file.string("source");
  file.find("$schema");
  file.find("notes");
  file.find("aliases");
  file.find("predicts_ahead");
  if (const Json* json = file.find("published")) {
    ObjectReader published{*json};
    workload_.published.parameters = published.number_or("parameters", 0, 0, 1e15);
    workload_.published.forward_flop = published.quantity_or<Flop>("forward_flop_per_sample", Flop{0});
    workload_.published.auxiliary_heads = published.boolean_or("auxiliary_heads", false);
    workload_.published.tolerance = published.number_or("tolerance", 0.01, 0, 0.2);
    workload_.published.source = published.string("source");
    workload_.published.notes = published.string_or("notes", "");
    published.finish();
  }
}

void WorkloadReader::read_parameters(ObjectReader& file) {
  const Json* parameters = file.find("parameters");
  if (!parameters) return;
  for (const auto& [name, value] : parameters->object()) file_scope_.bind(name, value);
}

void WorkloadReader::read_blocks(ObjectReader& file) {
  const Json* blocks = file.find("blocks");
  if (!blocks) return;
  for (const auto& [name, json] : blocks->object()) {
    if (find_kind(name)) json.fail("\"" + name + "\" is a layer kind already; give the block another name");
    ObjectReader reader{json};
    Block block;
    block.layers = reader.require("layers");
    if (const Json* defaults = reader.find("defaults")) {
      for (const auto& [key, value] : defaults->object()) block.defaults.emplace(key, value);
    }
    reader.finish();
    std::set<std::string> names;
    collect_names(block.layers, names);
    for (const std::string& mentioned : names) {
      if (!file_scope_.binds(mentioned)) block.parameters.push_back(mentioned);
    }
    for (const auto& [key, value] : block.defaults) {
      if (!names.contains(key)) value.fail("no layer of block \"" + name + "\" uses \"$" + key + "\"");
    }
    blocks_.emplace(name, std::move(block));
  }
}

void WorkloadReader::read_defaults(ObjectReader& file) {
  const Json* defaults = file.find("defaults");
  if (!defaults) return;
  for (const auto& [kind, json] : defaults->object()) {
    if (!find_kind(kind)) json.fail("\"defaults\" has no layer kind \"" + kind + "\" to apply to");
    defaults_.emplace(kind, json);
  }
}

const Flow& WorkloadReader::saved(const Json& name) const {
  const auto found = saved_.find(name.string());
  if (found != saved_.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [key, flow] : saved_) known.push_back(key);
  const auto near = near_matches(name.string(), known);
  name.fail("nothing was saved as \"" + name.string() + "\" before this layer",
            near.empty() ? "" : "did you mean \"" + near.front() + "\"?");
}

Flow WorkloadReader::run(const Json& layers, const Scope& scope, Flow flow) {
  if (layers.kind() != JsonKind::array) {
    layers.fail("expected a list of layers, not " + std::string(to_string(layers.kind())));
  }
  for (const Json& layer : layers.array()) flow = run_layer(layer, scope, flow);
  return flow;
}

Flow WorkloadReader::run_layer(const Json& layer, const Scope& scope, const Flow& flow) {
  if (nesting_ >= max_nesting) {
    layer.fail("layers nest deeper than " + std::to_string(max_nesting), "does a block contain itself?");
  }
  LayerArguments arguments(layer, scope, [&](std::string_view kind) -> const Json* {
    const auto found = defaults_.find(kind);
    return found == defaults_.end() ? nullptr : &found->second;
  });
  const std::int64_t repeat = arguments.count_or("repeat", 1, 0, max_repeat);
  const bool shared = arguments.flag_or("shared", false);
  const bool frozen = arguments.flag_or("frozen", false);
  const Json* then = arguments.find("then");
  const std::string given = arguments.word_or("name", "");

  ++nesting_;
  Flow out = flow;
  for (std::int64_t i = 0; i < repeat; ++i) {
    if (++layers_ > max_layers) {
      layer.fail("the file expands into more than " + std::to_string(max_layers) + " layers");
    }
    try {
      const NetworkBuilder::Mode mode(network_, {.shared = shared && i > 0, .frozen = frozen});
      out = run_once(arguments, given, out);
      if (then) out = run(*then, scope, out);
    } catch (const Error& e) {
      if (has_place(e)) throw;
      layer.fail(network_.prefix() + arguments.kind() + ": " + e.message(), e.hint());
    }
  }
  --nesting_;
  return out;
}

Flow WorkloadReader::run_once(LayerArguments& arguments, const std::string& given, const Flow& flow) {
  const std::string name = given.empty() ? network_.numbered(arguments.kind()) : network_.unique(given);
  const auto block = blocks_.find(arguments.kind());
  if (block != blocks_.end()) return run_block(block->second, arguments, name, flow);
  const LayerKind* kind = find_kind(arguments.kind());
  if (!kind) unknown_kind(arguments);
  LayerContext context{network_, *this, arguments, flow, name};
  const Flow out = kind->make(context);
  arguments.finish();
  return out;
}

Flow WorkloadReader::run_block(const Block& block, LayerArguments& arguments, const std::string& name,
                               const Flow& flow) {
  Scope scope(&file_scope_);
  std::vector<std::string> missing;
  const Json* given =
      arguments.json().kind() == JsonKind::object ? &arguments.require(arguments.kind()) : nullptr;
  std::optional<ObjectReader> reader;
  if (given) reader.emplace(*given);
  for (const std::string& parameter : block.parameters) {
    const Json* value = reader ? reader->find(parameter) : nullptr;
    if (value) {
      scope.bind(parameter, arguments.scope().resolve(*value));
    } else if (const auto usual = block.defaults.find(parameter); usual != block.defaults.end()) {
      scope.bind(parameter, file_scope_.resolve(usual->second));
    } else {
      missing.push_back("\"" + parameter + "\"");
    }
  }
  if (reader) reader->finish();
  if (!missing.empty()) arguments.json().fail("block \"" + arguments.kind() + "\" needs " + missing.front());
  arguments.finish();
  const NetworkBuilder::Prefix prefix(network_, name);
  return run(block.layers, scope, flow);
}

void WorkloadReader::unknown_kind(const LayerArguments& arguments) const {
  std::vector<std::string> known;
  for (const LayerKind& kind : layer_kinds()) known.emplace_back(kind.name);
  for (const auto& [name, block] : blocks_) known.push_back(name);
  const auto near = near_matches(arguments.kind(), known);
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
  arguments.json().fail("unknown layer kind \"" + arguments.kind() + "\"",
                        near.empty() ? "known kinds: " + list : "did you mean \"" + near.front() + "\"?");
}

}  // namespace rackcast
