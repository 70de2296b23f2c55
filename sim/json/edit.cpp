/// Edits: each returns a new value that shares the untouched parts, so their places stay right.
#include <fmt/format.h>

#include <charconv>

#include "sim/base/utf8.hpp"
#include "sim/json/node.hpp"

namespace rackcast {
namespace {

constexpr std::size_t longest_path = 64;  ///< steps; as deep as the parser lets a text be

using NodePointer = std::shared_ptr<const Json::Node>;

/// A new value that stands where `original` stands.
template <class Parts>
NodePointer with_parts(const NodePointer& original, Parts parts) {
  Json::Node node;
  if (original) {
    node.document = original->document;
    node.place = original->place;
  }
  node.value = std::move(parts);
  return std::make_shared<const Json::Node>(std::move(node));
}

void set_member(std::vector<Json::Member>& members, std::string_view key, const Json& value) {
  for (Json::Member& member : members) {
    if (member.first == key) {
      member.second = value;
      return;
    }
  }
  members.emplace_back(std::string{key}, value);
}

std::vector<std::string_view> steps_of(std::string_view path, const Json& value) {
  std::vector<std::string_view> steps;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t dot = std::min(path.find('.', at), path.size());
    steps.push_back(path.substr(at, dot - at));
    if (steps.back().empty()) {
      value.fail(fmt::format("the path {} has an empty step", in_quotes(path)),
                 "write it like \"cluster.nodes\"");
    }
    if (steps.size() > longest_path)
      value.fail(fmt::format("the path {} has too many steps", in_quotes(path)));
    at = dot + 1;
  }
  return steps;
}

std::size_t index_of(std::string_view step, std::size_t size, const Json& value) {
  std::size_t index = 0;
  const auto [end, code] = std::from_chars(step.data(), step.data() + step.size(), index);
  const bool whole = code == std::errc{} && end == step.data() + step.size();
  if (whole && index < size) return index;
  value.fail(fmt::format("{} is no element of an array of {}", in_quotes(step), size),
             size == 0 ? "the array is empty" : fmt::format("elements go from 0 to {}", size - 1));
}

}  // namespace

Json Json::merged(const Json& over) const {
  if (kind() != JsonKind::object || over.kind() != JsonKind::object) return over;
  std::vector<Member> members = object();
  for (const auto& [key, value] : over.object()) {
    const Json* mine = find(key);
    set_member(members, key, mine != nullptr ? mine->merged(value) : value);
  }
  // It stands where `over` stands: what the whole lacks is missing in the file that was asked for.
  return Json{with_parts(over.node_, std::move(members))};
}

Json Json::with(std::string_view dotted_path, const Json& value) const {
  const std::vector<std::string_view> steps = steps_of(dotted_path, value);
  // Down the path, then back up: each level is a copy of the old one with one part replaced.
  std::vector<Json> levels{*this};
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const Json& level = levels.back();
    Json next;
    if (level.kind() == JsonKind::array) {
      next = level.array()[index_of(steps[i], level.array().size(), value)];
    } else if (level.kind() == JsonKind::object) {
      const Json* found = level.find(steps[i]);
      if (found != nullptr) next = *found;
    }
    levels.push_back(std::move(next));
  }
  Json part = value;
  for (std::size_t i = steps.size(); i-- > 0;) {
    const Json& level = levels[i];
    if (level.kind() == JsonKind::array) {
      std::vector<Json> elements = level.array();
      elements[index_of(steps[i], elements.size(), value)] = part;
      part = Json{with_parts(level.node_, std::move(elements))};
    } else if (level.kind() == JsonKind::object || level.is_null()) {
      std::vector<Member> members;
      if (!level.is_null()) members = level.object();
      set_member(members, steps[i], part);
      part = Json{with_parts(level.is_null() ? value.node_ : level.node_, std::move(members))};
    } else {
      value.fail(fmt::format("the path {} leads through {}: {} has no parts", in_quotes(dotted_path),
                             to_string(level.kind()), i == 0 ? "the value" : in_quotes(steps[i - 1])));
    }
  }
  return part;
}

Json Json::without(std::string_view key) const {
  if (find(key) == nullptr) return *this;
  std::vector<Member> members;
  for (const Member& member : object()) {
    if (member.first != key) members.push_back(member);
  }
  return Json{with_parts(node_, std::move(members))};
}

Json parse_json_or_string(std::string text, std::string name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const char start = first == std::string::npos ? '\0' : text[first];
  // Brackets and quotes can only be meant as JSON, so their mistakes are reported.
  if (start == '{' || start == '[' || start == '"') return parse_json(std::move(text), std::move(name));
  try {
    return parse_json(text, name);
  } catch (const Error&) {
    std::string literal = "\"";
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        literal += '\\';
        literal += c;
      } else if (byte < 0x20) {
        literal += fmt::format("\\u{:04x}", byte);
      } else {
        literal += c;
      }
    }
    return parse_json(literal + '"', std::move(name));
  }
}

}  // namespace rackcast
