#include "sim/json/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/base/near_matches.hpp"

namespace rackcast {
namespace {

constexpr std::size_t most_listed = 30;

/// Faults that are kept with their message. Where each of them stands costs a pass over the text, so a large
/// file that is wrong everywhere must not ask for all.
constexpr std::size_t most_kept = 100;

struct Fault {
  Json at;
  bool at_key = false;
  std::string message;
};

struct Faults {
  std::vector<Fault> kept;  ///< the first ones
  std::size_t count = 0;
};

bool is_whole(const Json& value) {
  return value.kind() == JsonKind::number && std::floor(value.number()) == value.number();
}

bool is_of_type(const Json& value, std::string_view type) {
  switch (value.kind()) {
    case JsonKind::null:
      return type == "null";
    case JsonKind::boolean:
      return type == "boolean";
    case JsonKind::number:
      return type == "number" || (type == "integer" && is_whole(value));
    case JsonKind::string:
      return type == "string";
    case JsonKind::array:
      return type == "array";
    case JsonKind::object:
      return type == "object";
  }
  return false;
}

std::string_view article_of(std::string_view type) {
  if (type == "integer") return "a whole number";
  if (type == "number") return "a number";
  if (type == "string") return "a string";
  if (type == "boolean") return "true or false";
  if (type == "array") return "a list";
  if (type == "object") return "an object";
  return "null";
}

bool equal_values(const Json& a, const Json& b) {
  if (a.kind() != b.kind()) return false;
  if (a.kind() == JsonKind::string) return a.string() == b.string();
  if (a.kind() == JsonKind::number) return a.number() == b.number();
  if (a.kind() == JsonKind::boolean) return a.boolean() == b.boolean();
  return a.is_null();
}

class SchemaChecker {
 public:
  explicit SchemaChecker(const Json& schema) : root_{schema} {}

  Faults take() { return std::move(faults_); }

  void check(const Json& value, const Json& schema) {
    if (schema.kind() == JsonKind::boolean) return;  // additionalProperties deals with false
    if (const Json* name = schema.find("$ref")) return check(value, definition(name->string()));
    if (const Json* all = schema.find("allOf")) {
      for (const Json& part : all->array()) check(value, part);
    }
    if (const Json* any = schema.find("anyOf")) check_any(value, *any);
    if (const Json* condition = schema.find("if")) check_condition(value, schema, *condition);
    if (!check_type(value, schema)) return;
    if (const Json* names = schema.find("enum")) check_enum(value, *names);
    if (value.kind() == JsonKind::number) check_number(value, schema);
    if (value.kind() == JsonKind::string) check_text(value, schema);
    if (value.kind() == JsonKind::array) check_list(value, schema);
    if (value.kind() == JsonKind::object) check_object(value, schema);
  }

 private:
  /// `say` gives the message; it is asked only where the fault is kept.
  template <class Say>
  void add(const Json& value, Say say, bool at_key = false) {
    if (faults_.count++ < most_kept) faults_.kept.push_back({value, at_key, say()});
  }

  [[nodiscard]] const Json& definition(const std::string& reference) const {
    constexpr std::string_view start = "#/definitions/";
    return root_.require("definitions").require(std::string_view{reference}.substr(start.size()));
  }

  /// What a schema says that a value is, also through a reference.
  [[nodiscard]] std::string description(const Json& schema) const {
    if (schema.kind() != JsonKind::object) return {};
    if (const Json* text = schema.find("description")) return text->string();
    if (const Json* name = schema.find("$ref")) return description(definition(name->string()));
    return {};
  }

  bool check_type(const Json& value, const Json& schema) {
    const Json* type = schema.find("type");
    if (!type) return true;
    std::vector<std::string> names;
    if (type->kind() == JsonKind::string) names.push_back(type->string());
    if (type->kind() == JsonKind::array)
      for (const Json& one : type->array()) names.push_back(one.string());
    if (std::ranges::any_of(names, [&](const std::string& name) { return is_of_type(value, name); }))
      return true;
    add(value, [&] {
      std::string wanted;
      for (const std::string& name : names)
        wanted += (wanted.empty() ? "" : " or ") + std::string{article_of(name)};
      return fmt::format("{} must be {}, not {}", value.name(), wanted, to_string(value.kind()));
    });
    return false;
  }

  void check_enum(const Json& value, const Json& names) {
    if (std::ranges::any_of(names.array(), [&](const Json& one) { return equal_values(one, value); })) return;
    add(value, [&] {
      std::vector<std::string> known;
      for (const Json& one : names.array())
        known.push_back(one.kind() == JsonKind::string ? one.string() : fmt::format("{}", one.number()));
      const std::string near = value.kind() == JsonKind::string ? did_you_mean(value.string(), known) : "";
      return fmt::format("{} must be one of: {}{}{}", value.name(), name_list(known),
                         near.empty() ? "" : "; ", near);
    });
  }

  void check_number(const Json& value, const Json& schema) {
    const double number = value.number();
    if (const Json* low = schema.find("minimum"); low && number < low->number())
      add(value, [&] {
        return fmt::format("{} must be at least {}, and it is {}", value.name(), low->number(), number);
      });
    if (const Json* low = schema.find("exclusiveMinimum"); low && !(number > low->number()))
      add(value, [&] {
        return fmt::format("{} must be more than {}, and it is {}", value.name(), low->number(), number);
      });
    if (const Json* high = schema.find("maximum"); high && number > high->number())
      add(value, [&] {
        return fmt::format("{} must be at most {}, and it is {}", value.name(), high->number(), number);
      });
  }

  void check_text(const Json& value, const Json& schema) {
    const Json* least = schema.find("minLength");
    if (least && static_cast<double>(value.string().size()) < least->number())
      add(value, [&] { return fmt::format("{} must not be empty", value.name()); });
  }

  void check_list(const Json& value, const Json& schema) {
    const auto size = static_cast<double>(value.array().size());
    if (const Json* least = schema.find("minItems"); least && size < least->number())
      add(value, [&] {
        return fmt::format("{} must have at least {} items, and it has {}", value.name(), least->number(),
                           size);
      });
    if (const Json* most = schema.find("maxItems"); most && size > most->number())
      return add(value, [&] {
        return fmt::format("{} must have at most {} items, and it has {}", value.name(), most->number(),
                           size);
      });
    if (const Json* items = schema.find("items"))
      for (const Json& item : value.array()) check(item, *items);
  }

  void check_object(const Json& value, const Json& schema) {
    const Json* properties = schema.find("properties");
    if (const Json* required = schema.find("required")) check_required(value, *required, properties);
    if (const Json* least = schema.find("minProperties");
        least && static_cast<double>(value.object().size()) < least->number())
      add(value, [&] { return fmt::format("{} must not be empty", value.name()); });
    const Json* others = schema.find("additionalProperties");
    for (const auto& [key, member] : value.object()) {
      const Json* own = properties ? properties->find(key) : nullptr;
      if (own) {
        check(member, *own);
      } else if (others && others->kind() == JsonKind::boolean && !others->boolean()) {
        unknown_key(key, member, properties);
      } else if (others) {
        check(member, *others);
      }
    }
  }

  void check_required(const Json& value, const Json& required, const Json* properties,
                      const std::string& above = {}) {
    for (const Json& name : required.array()) {
      if (above.empty() && value.find(name.string())) continue;
      const Json* about = properties ? properties->find(name.string()) : nullptr;
      const std::string path = above + name.string();
      add(value, [&] {
        const std::string text = about ? description(*about) : "";
        return fmt::format("\"{}\" is missing{}{}", path, text.empty() ? "" : ": ", text);
      });
      // What is missing in a missing object is told as well.
      const Json* inner = about && about->kind() == JsonKind::object ? about->find("required") : nullptr;
      if (inner) check_required(value, *inner, about->find("properties"), path + "/");
    }
  }

  void unknown_key(const std::string& key, const Json& member, const Json* properties) {
    add(
        member,
        [&] {
          std::vector<std::string> known;
          if (properties)
            for (const auto& [name, unused] : properties->object()) known.push_back(name);
          const std::string near = did_you_mean(key, known);
          return fmt::format("unknown key \"{}\"{}{}", key, near.empty() ? "" : "; ", near);
        },
        true);
  }

  void check_condition(const Json& value, const Json& schema, const Json& condition) {
    SchemaChecker part{root_};
    part.check(value, condition);
    if (const Json* branch = schema.find(part.take().count == 0 ? "then" : "else")) check(value, *branch);
  }

  /// Passes if one alternative has no fault; else tells those of the one with the fewest.
  void check_any(const Json& value, const Json& alternatives) {
    Faults fewest;
    bool first = true;
    for (const Json& one : alternatives.array()) {
      SchemaChecker part{root_};
      part.check(value, one);
      Faults found = part.take();
      if (found.count == 0) return;
      if (first || found.count < fewest.count) fewest = std::move(found);
      first = false;
    }
    faults_.count += fewest.count;
    for (Fault& fault : fewest.kept)
      if (faults_.kept.size() < most_kept) faults_.kept.push_back(std::move(fault));
  }

  const Json& root_;
  Faults faults_;
};

std::string line_and_pointer(const Where& where) {
  const std::string at = where.line > 0 ? fmt::format("line {}, column {}", where.line, where.column) : "";
  const std::string pointer = where.pointer.empty() ? "/" : where.pointer;
  return at.empty() ? pointer : at + ", " + pointer;
}

}  // namespace

bool meets_schema(const Json& document, const Json& schema) {
  SchemaChecker checker{schema};
  checker.check(document, schema);
  return checker.take().count == 0;
}

void require_schema(const Json& document, const Json& schema, const std::string& hint) {
  SchemaChecker checker{schema};
  checker.check(document, schema);
  const Faults found = checker.take();
  if (found.count == 0) return;
  std::vector<std::pair<Where, std::string>> faults;
  for (const Fault& fault : found.kept)
    faults.emplace_back(fault.at_key ? fault.at.key_where() : fault.at.where(), fault.message);
  std::ranges::stable_sort(faults, {}, [](const auto& fault) {
    return std::tuple{fault.first.line, fault.first.column};
  });
  const Where& first = faults.front().first;
  if (found.count == 1) {
    throw Error{fmt::format("{} (at {})", faults.front().second, first.pointer.empty() ? "/" : first.pointer),
                first, hint};
  }
  std::string text = fmt::format("the document has {} faults:", found.count);
  const std::size_t listed = std::min(faults.size(), most_listed);
  for (std::size_t i = 0; i < listed; ++i)
    text += fmt::format("\n{}: {}", line_and_pointer(faults[i].first), faults[i].second);
  if (found.count > listed) text += fmt::format("\nand {} more", found.count - listed);
  throw Error{text, first, hint};
}

}  // namespace rackcast
