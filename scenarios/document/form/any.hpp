#pragma once
/// What the structs of a document need of its form beside plain members.
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace rackcast {
class Json;
}

namespace rackcast::doc {

using Written = nlohmann::ordered_json;

/// Specialised by types with a form of their own in JSON: write(const T&), read(const Json&), schema() and
/// `type`. One that stands once in the schema has its `name`, `meaning` and rows() of the reference, too.
template <class T>
struct Custom;

/// Any JSON, kept as it is.
struct Any {
  std::shared_ptr<const Written> value;
};
Any any_of(Written value);
/// A text as it is, a number as a person types it, anything else as JSON; empty for null. `indent` of the
/// lines; -1: one line.
std::string text_of(const Any& any, int indent = -1);

}  // namespace rackcast::doc
