#pragma once
/// Checks a document against a JSON schema (draft-07) and lists everything that is wrong with it at once.
///
/// Keywords that are supported: $ref to "#/definitions/...", type, enum, required, properties,
/// additionalProperties, minProperties, items, minItems, maxItems, minimum, maximum, exclusiveMinimum,
/// minLength, allOf, anyOf, if, then, else, and "description", which says in a message what a missing member
/// is. Other keywords are ignored.
#include <string>

#include "sim/json/reader.hpp"

namespace rackcast {

/// Whether nothing is wrong.
bool meets_schema(const Json& document, const Json& schema);

/// Throws one Error at the place of the first fault that lists the first 30 and counts the rest. `hint` ends
/// it.
void require_schema(const Json& document, const Json& schema, const std::string& hint);

}  // namespace rackcast
