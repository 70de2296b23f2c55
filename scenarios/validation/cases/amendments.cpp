#include "scenarios/validation/cases/amendments.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "scenarios/validation/cases/case_reader.hpp"
#include "sim/base/error.hpp"
#include "sim/json/plain_json.hpp"

namespace rackcast {
namespace {

struct Patch {
  std::vector<Json> ids;
  std::optional<Json> match;  ///< where no ids are named
  Json patch;
  std::shared_ptr<const CaseAmendment> told;
};

Patch read_amendment(const Json& json) {
  ObjectReader reader{json};
  Patch out;
  if (const Json* match = reader.find("match")) {
    if (match->object().empty()) match->fail("an amendment of every case");
    if (reader.has("ids")) match->fail("an amendment has \"ids\" or a \"match\", not both");
    out.match = *match;
  } else {
    out.ids = reader.require("ids").array();
    if (out.ids.empty()) json.require("ids").fail("an amendment without a case", "name the ids of its cases");
  }
  out.patch = reader.require("patch");
  if (out.patch.object().empty()) out.patch.fail("a patch that changes nothing");
  if (const Json* id = out.patch.find("id")) id->fail("an amendment cannot change the id of a case");
  const auto text = [&](const char* key) {
    std::string value = reader.string(key);
    if (value.empty()) json.require(key).fail("an amendment says its reason, its source and its date");
    return value;
  };
  CaseAmendment told;
  told.why = text("why");
  told.source = text("source");
  told.date = text("date");
  reader.finish();
  out.told = std::make_shared<const CaseAmendment>(std::move(told));
  return out;
}

ValidationCase amended(const ValidationCase& published, const Patch& patch) {
  const nlohmann::ordered_json before = plain_json(published.json);
  nlohmann::ordered_json after = before;
  after.merge_patch(plain_json(patch.patch));
  if (after == before) patch.patch.fail("the patch changes nothing of case \"" + published.id + "\"");
  ValidationCase out = read_case(parse_json(after.dump(), published.file), published.file);
  out.line = published.line;
  out.amendment = patch.told;
  out.published = std::make_shared<const ValidationCase>(published);
  return out;
}

/// Whether `whole` has every member of `part`, with the same value.
bool has_part(const Json& whole, const Json& part) {
  if (part.kind() != JsonKind::object) return plain_json(whole) == plain_json(part);
  return whole.kind() == JsonKind::object && std::ranges::all_of(part.object(), [&whole](const auto& member) {
           const Json* mine = whole.find(member.first);
           return mine != nullptr && has_part(*mine, member.second);
         });
}

ValidationCase refused(const std::string& id, const std::string& file, int line, std::string why) {
  ValidationCase out;
  out.file = file;
  out.line = line;
  out.id = id.empty() ? place_name(file, line) : id;
  out.source = "amendments";
  out.unreadable = std::move(why);
  return out;
}

}  // namespace

void amend(std::vector<ValidationCase>& cases, const std::string& text, const std::string& file,
           bool all_known) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (cases[i].json.kind() == JsonKind::object) places.emplace(cases[i].id, i);
  const auto refuse = [&](const std::string& id, const Where& where, std::string why) {
    cases.push_back(refused(id, file, std::max(where.line, 1), std::move(why)));
  };
  std::vector<Json> entries;
  try {
    ObjectReader document{parse_json(text, file)};
    entries = document.require("amendments").array();
    document.finish();
  } catch (const Error& e) {
    refuse("", e.where(), e.message());
  }
  for (const Json& entry : entries) {
    try {
      const Patch patch = read_amendment(entry);
      bool matched = false;
      for (ValidationCase& c : cases) {
        if (!patch.match || !has_part(c.json, *patch.match)) continue;
        matched = true;
        if (c.amendment) entry.fail("case \"" + c.id + "\" has an amendment already");
        c = amended(c, patch);
      }
      if (patch.match && !matched && all_known) entry.fail("an amendment that fits no case");
      for (const Json& id : patch.ids) {
        const auto found = places.find(id.string());
        if (found == places.end() && !all_known) continue;
        if (found == places.end())
          refuse(id.string(), id.where(), "an amendment names this case, and no case has the id");
        else if (cases[found->second].amendment)
          refuse(id.string() + ", amended again", id.where(), "the case has an amendment already");
        else
          cases[found->second] = amended(cases[found->second], patch);
      }
    } catch (const Error& e) {
      refuse("", e.where(), e.message());
    }
  }
}

}  // namespace rackcast
