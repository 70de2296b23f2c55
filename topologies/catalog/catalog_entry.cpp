#include "topologies/catalog/catalog_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "sim/base/lower_case.hpp"

namespace rackcast {
namespace {

/// A fact is an object with a value, or with a text that only a fact has, whose value is then missing or
/// misspelt; any other object or list is a group of facts.
bool is_fact(const Json& json) {
  if (json.kind() != JsonKind::object) return false;
  if (json.find("value")) return true;
  return std::ranges::any_of(std::array{"unit", "confidence"}, [&](const char* key) {
    const Json* member = json.find(key);
    return member && member->kind() == JsonKind::string;
  });
}

void collect(const Json& json, const std::string& key, CatalogEntry& entry) {
  if (is_fact(json)) {
    entry.facts.emplace_back(key, json);
    return;
  }
  const std::string prefix = key.empty() ? "" : key + "/";
  if (json.kind() == JsonKind::object) {
    for (const auto& [name, member] : json.object()) collect(member, prefix + name, entry);
  } else if (json.kind() == JsonKind::array) {
    for (std::size_t i = 0; i < json.array().size(); ++i)
      collect(json.array()[i], prefix + std::to_string(i), entry);
  } else if (!json.is_null()) {
    entry.attributes.emplace_back(key, flat_text(json));
  }
}

}  // namespace

CatalogEntry make_catalog_entry(std::string kind, std::string id, std::string file, const Json& json) {
  CatalogEntry entry{std::move(kind), std::move(id), {}, std::move(file), {}, {}, {}, json};
  entry.name = json.require("name").string();
  for (const auto& [key, member] : json.object()) {
    if (key == "name") continue;
    if (key == "aliases") {
      for (const Json& alias : member.array()) entry.aliases.push_back(alias.string());
    } else if (key == "facts") {
      (void)member.object();  // a list of facts has no names
      collect(member, "", entry);
    } else {
      collect(member, key, entry);
    }
  }
  return entry;
}

const Fact* CatalogEntry::find(std::string_view key) const {
  const auto it = std::ranges::find(facts, key, &Fact::key);
  return it == facts.end() ? nullptr : &*it;
}

const Fact& CatalogEntry::require(std::string_view key) const {
  if (const Fact* fact = find(key)) return *fact;
  std::vector<std::string> known;
  for (const Fact& fact : facts) known.push_back(fact.key());
  const auto near = near_matches(key, known);
  throw Error{fmt::format("{} ({}) has no fact \"{}\"", id, kind, key), Where{file, 0, 0, "/facts", ""},
              near.empty() ? fmt::format("add it to {} with a source and a confidence", file)
                           : fmt::format("near matches: {}", fmt::join(near, ", "))};
}

std::string_view CatalogEntry::attribute(std::string_view key) const {
  for (const auto& [label, value] : attributes) {
    if (label == key) return value;
  }
  return {};
}

std::string normalised(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c))) out += lower_case(c);
  }
  return out;
}

bool contains_ignoring_case(std::string_view text, std::string_view lower_needle) {
  const auto same = [](char a, char b) {
    return lower_case(a) == b;
  };
  return std::search(text.begin(), text.end(), lower_needle.begin(), lower_needle.end(), same) != text.end();
}

}  // namespace rackcast
