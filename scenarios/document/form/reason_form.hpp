#pragma once
/// How a reason stands in a document.
#include "scenarios/document/form/field.hpp"
#include "scenarios/document/form/reason.hpp"

namespace rackcast::doc {

template <>
struct Custom<Reason> {
  static Written write(const Reason& reason);
  static Reason read(const Json& json);
  static Written schema();
  static std::vector<ReferenceRow> rows();
  static constexpr std::string_view type = "[reason](#reason)";
  /// It stands once in the schema, under this name.
  static constexpr std::string_view name = "reason";
  static constexpr std::string_view meaning =
      "Why something is as it is. Each row is a value of `code`; the reason has the keys of its second "
      "column, "
      "with a `?` where they may be absent. `parts` are further reasons.";
};

}  // namespace rackcast::doc
