#include "models/networks/layer_arguments.hpp"

namespace rackcast {

const Json* Scope::lookup(std::string_view name) const {
  const auto found = values_.find(name);
  if (found != values_.end()) return &found->second;
  return parent_ ? parent_->lookup(name) : nullptr;
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> all = parent_ ? parent_->names() : std::vector<std::string>{};
  for (const auto& [name, value] : values_) all.push_back("$" + name);
  return all;
}

const Json& Scope::resolve(const Json& value) const {
  if (value.kind() != JsonKind::string || !value.string().starts_with('$')) return value;
  if (const Json* found = lookup(std::string_view(value.string()).substr(1))) return *found;
  const auto near = near_matches(value.string(), names());
  value.fail("nothing here is called \"" + value.string() + "\"",
             near.empty() ? "give it a value under \"parameters\" or as an argument of the block"
                          : "did you mean \"" + near.front() + "\"?");
}

std::int64_t checked_integer(const Json& value, std::string_view key, std::int64_t low, std::int64_t high) {
  const std::int64_t n = value.integer();
  if (n < low || n > high) {
    value.fail("\"" + std::string(key) + "\" must be from " + std::to_string(low) + " to " +
               std::to_string(high) + ", not " + std::to_string(n));
  }
  return n;
}

LayerArguments::LayerArguments(const Json& layer, const Scope& scope,
                               const std::function<const Json*(std::string_view)>& defaults)
    : layer_(layer), scope_(scope) {
  if (layer.kind() == JsonKind::string) {
    kind_ = layer.string();
  } else {
    if (layer.kind() != JsonKind::object || layer.object().empty()) {
      layer.fail("a layer is a word or an object that starts with its kind, not " +
                     std::string(to_string(layer.kind())),
                 "write \"relu\" or {\"conv\": 64, \"kernel\": 3}");
    }
    kind_ = layer.object().front().first;
    given_.emplace(layer);
  }
  if (const Json* found = defaults(kind_)) defaults_.emplace(*found);
}

const Json* LayerArguments::find(std::string_view key) {
  const Json* given = given_ ? given_->find(key) : nullptr;
  const Json* usual = defaults_ ? defaults_->find(key) : nullptr;
  const Json* value = given ? given : usual;
  return value ? &scope_.resolve(*value) : nullptr;
}

const Json& LayerArguments::require(std::string_view key) {
  const Json* value = find(key);
  if (!value) layer_.fail(kind_ + " needs \"" + std::string(key) + "\"");
  return *value;
}

std::int64_t LayerArguments::count(std::string_view key, std::int64_t low, std::int64_t high) {
  return checked_integer(require(key), key, low, high);
}

std::int64_t LayerArguments::count_or(std::string_view key, std::int64_t fallback, std::int64_t low,
                                      std::int64_t high) {
  const Json* value = find(key);
  return value ? checked_integer(*value, key, low, high) : fallback;
}

bool LayerArguments::flag_or(std::string_view key, bool fallback) {
  const Json* value = find(key);
  return value ? value->boolean() : fallback;
}

std::string LayerArguments::word_or(std::string_view key, std::string_view fallback) {
  const Json* value = find(key);
  return value ? value->string() : std::string(fallback);
}

std::vector<std::int64_t> LayerArguments::counts(std::string_view key, std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> all;
  for (const Json& value : require(key).array()) {
    all.push_back(checked_integer(scope_.resolve(value), key, low, high));
  }
  return all;
}

std::vector<std::int64_t> LayerArguments::per_axis_or(std::string_view key, std::size_t axes,
                                                      std::int64_t fallback, std::int64_t low,
                                                      std::int64_t high) {
  const Json* value = find(key);
  if (!value) return std::vector<std::int64_t>(axes, fallback);
  if (value->kind() != JsonKind::array) {
    return std::vector<std::int64_t>(axes, checked_integer(*value, key, low, high));
  }
  std::vector<std::int64_t> all = counts(key, low, high);
  if (all.size() != axes) {
    value->fail("\"" + std::string(key) + "\" needs one number or " + std::to_string(axes) + ", not " +
                std::to_string(all.size()));
  }
  return all;
}

void LayerArguments::no_value() {
  const Json* value = find(kind_);
  if (value && (value->kind() != JsonKind::boolean || !value->boolean())) {
    value->fail(kind_ + " takes no value of its own",
                "write \"" + kind_ + "\" or {\"" + kind_ + "\": true, ...}");
  }
}

void LayerArguments::finish() const {
  if (given_) given_->finish();
  if (defaults_) defaults_->finish();
}

}  // namespace rackcast
