#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

const Json* member_in(const Json& object, std::string_view key) {
  if (object.kind() != JsonKind::object) return nullptr;
  const Json* member = object.find(key);
  return member != nullptr && !member->is_null() ? member : nullptr;
}

std::optional<double> number_in(const Json& object, std::string_view key) {
  const Json* member = member_in(object, key);
  if (member == nullptr || member->kind() != JsonKind::number) return std::nullopt;
  return member->number();
}

std::optional<std::string> text_in(const Json& object, std::string_view key) {
  const Json* member = member_in(object, key);
  if (member == nullptr || member->kind() != JsonKind::string) return std::nullopt;
  return member->string();
}

std::optional<bool> flag_in(const Json& object, std::string_view key) {
  const Json* member = member_in(object, key);
  if (member == nullptr || member->kind() != JsonKind::boolean) return std::nullopt;
  return member->boolean();
}

}  // namespace rackcast
