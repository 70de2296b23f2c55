#include <fmt/format.h>

#include <cmath>

#include "sim/base/utf8.hpp"
#include "sim/json/node.hpp"

namespace rackcast {
namespace {

[[noreturn]] void fail_kind(const Json& json, std::string_view expected, std::string hint = {}) {
  json.fail(fmt::format("{} is {}, but {} is expected", json.name(), to_string(json.kind()), expected),
            std::move(hint));
}

}  // namespace

std::string_view to_string(JsonKind kind) {
  switch (kind) {
    case JsonKind::null:
      return "null";
    case JsonKind::boolean:
      return "a boolean";
    case JsonKind::number:
      return "a number";
    case JsonKind::string:
      return "a string";
    case JsonKind::array:
      return "an array";
    case JsonKind::object:
      return "an object";
  }
  return "a value";
}

JsonKind Json::kind() const {
  return node_ ? static_cast<JsonKind>(node_->value.index()) : JsonKind::null;
}

Where Json::where() const {
  return node_ && node_->document ? node_->document->where(node_->place) : Where{};
}

Where Json::key_where() const {
  return node_ && node_->document ? node_->document->key_where(node_->place) : Where{};
}

std::string Json::name() const {
  if (!node_ || !node_->document) return "the value";
  const JsonPlace& place = node_->document->places[node_->place];
  if (place.is_member) return in_quotes(string_literal_at(node_->document->source.text, place.slot));
  if (place.parent == JsonPlace::no_parent) return "the value";
  return fmt::format("element {}", place.slot);
}

void Json::fail(std::string message, std::string hint) const {
  throw Error{std::move(message), where(), std::move(hint)};
}

const std::string& Json::string() const {
  if (kind() != JsonKind::string) fail_kind(*this, "a string");
  return std::get<std::string>(node_->value);
}

double Json::number() const {
  if (kind() != JsonKind::number) {
    fail_kind(*this, "a number",
              kind() == JsonKind::string ? "write it without quotes and without a unit" : "");
  }
  return std::get<JsonNumber>(node_->value).value;
}

std::int64_t Json::integer() const {
  if (kind() != JsonKind::number) {
    fail_kind(*this, "a whole number", kind() == JsonKind::string ? "write it without quotes" : "");
  }
  const auto& number = std::get<JsonNumber>(node_->value);
  if (number.is_integer) return number.integer;
  fail(fmt::format("{} is {}, but a whole number{} is expected", name(), number.value,
                   std::abs(number.value) < 0x1p63 ? "" : " below 2^63"));
}

bool Json::boolean() const {
  if (kind() != JsonKind::boolean) {
    fail_kind(*this, "true or false", kind() == JsonKind::string ? "write it without quotes" : "");
  }
  return std::get<bool>(node_->value);
}

const std::vector<Json>& Json::array() const {
  if (kind() != JsonKind::array) fail_kind(*this, "an array", "put it in square brackets");
  return std::get<std::vector<Json>>(node_->value);
}

const std::vector<Json::Member>& Json::object() const {
  if (kind() != JsonKind::object) fail_kind(*this, "an object");
  return std::get<std::vector<Member>>(node_->value);
}

const Json* Json::find(std::string_view key) const {
  for (const Member& member : object()) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

const Json& Json::require(std::string_view key) const {
  if (const Json* found = find(key)) return *found;
  std::vector<std::string> present;
  for (const Member& member : object()) present.push_back(member.first);
  const Where place = where();
  const std::string in = place.pointer.empty() ? "" : " in " + place.pointer;
  const std::vector<std::string> near = near_matches(key, std::span<const std::string>{present}, 1);
  throw Error{fmt::format("the key {} is missing{}", in_quotes(key), in), place,
              near.empty() ? "" : fmt::format("is {} a misspelling of it?", in_quotes(near.front()))};
}

}  // namespace rackcast
