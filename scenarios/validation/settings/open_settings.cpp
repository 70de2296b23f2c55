#include "scenarios/validation/settings/open_settings.hpp"

#include <string>
#include <string_view>

#include "scenarios/validation/cases/case_reader.hpp"
#include "scenarios/validation/predict/predictor.hpp"

namespace rackcast {
namespace {

constexpr std::size_t most_variants = 64;

void require_path(const std::string& path) {
  if (!path.starts_with("system.") && !path.starts_with("workload."))
    throw Unpredictable{"the setting \"" + path + "\" is neither of \"system\" nor of \"workload\""};
}

/// Without the member that was followed to this case.
ValidationCase read_again(const ValidationCase& c, const Json& json, std::string_view followed) {
  ValidationCase out = read_case(json.without(followed), c.file);
  if (!out.unreadable.empty()) throw Unpredictable{out.unreadable};
  return out;
}

}  // namespace

std::vector<ValidationCase> usual_variants(const ValidationCase& c) {
  const Json* usual = member_in(c.json, "usual");
  if (usual == nullptr) return {c};
  if (usual->kind() != JsonKind::object) throw Unpredictable{"\"usual\" is not an object of lists"};
  std::vector<Json> variants{c.json};
  for (const auto& [path, values] : usual->object()) {
    require_path(path);
    if (values.kind() != JsonKind::array || values.array().empty())
      throw Unpredictable{"\"" + path + "\" of \"usual\" lists nothing"};
    std::vector<Json> next;
    for (const Json& variant : variants)
      for (const Json& value : values.array()) next.push_back(variant.with(path, value));
    if (next.size() > most_variants) throw Unpredictable{"\"usual\" has over 64 combinations"};
    variants = std::move(next);
  }
  std::vector<ValidationCase> out;
  for (const Json& variant : variants) out.push_back(read_again(c, variant, "usual"));
  return out;
}

ValidationCase with_settings(const ValidationCase& c, const Json& settings) {
  if (settings.kind() != JsonKind::object || settings.object().empty())
    throw Unpredictable{"what the case is compared with changes no setting"};
  Json json = c.json;
  for (const auto& [path, value] : settings.object()) {
    require_path(path);
    json = json.with(path, value);
  }
  return read_again(c, json, "compared_with");
}

}  // namespace rackcast
