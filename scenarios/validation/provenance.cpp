#include "scenarios/validation/provenance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "models/collectives/fitted_curves.hpp"
#include "models/data_files.hpp"
#include "models/serving/token_generation.hpp"
#include "sim/base/random.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/architecture_spec.hpp"

namespace rackcast {
namespace {

CasePattern read_pattern(const Json& json) {
  ObjectReader in{json};
  CasePattern out;
  out.id = in.string_or("id", "");
  out.series = in.string_or("series", "");
  out.source = in.string_or("source", "");
  out.citation = in.string_or("citation", "");
  out.task = in.string_or("task", "");
  out.metric = in.string_or("metric", "");
  out.model = in.string_or("model", "");
  if (in.has("gpus")) out.gpus = in.number("gpus", 1, 1e7);
  out.more_gpus_than = in.number_or("more_gpus_than", 0, 1, 1e7);
  out.one_series_in = static_cast<int>(in.integer_or("one_series_in", 1, 1, 1000));
  if (out.id.empty() && out.series.empty() && out.source.empty() && out.one_series_in == 1)
    json.fail("a pattern of cases names an id, a series or a source, or draws series",
              R"(for example {"series": "..."})");
  in.finish();
  return out;
}

Provenance read_entry(const Json& json) {
  ObjectReader in{json};
  Provenance out;
  out.where = in.string("where");
  in.string("why");  // for the reader of the file
  out.fitted = in.boolean_or("fitted", false);
  for (const Json& pattern : in.require("cases").array()) out.patterns.push_back(read_pattern(pattern));
  in.finish();
  return out;
}

Json registry_file() {
  return parse_model_data("provenance.json");
}

void add_curves(std::vector<Provenance>& out) {
  const std::vector<FittedCurve> fitted = fitted_curves();
  const auto is_fitted = [&](const FittedCurve& curve) {
    return std::ranges::any_of(fitted, [&](const FittedCurve& f) {
      return f.link == curve.link && f.series == curve.series && f.gpus == curve.gpus;
    });
  };
  for (const FittedCurve& curve : curves_of_links()) {
    CasePattern pattern;
    pattern.series = curve.series;
    pattern.gpus = curve.gpus;
    out.push_back(
        {"models/data/collectives/links.json: " + curve.link, {}, {std::move(pattern)}, is_fitted(curve)});
  }
}

}  // namespace

namespace {

/// By its name alone, so that no other series matters.
bool is_drawn(std::string_view series, int one_in) {
  return one_in == 1 || RandomStream{0, series}.below(static_cast<std::uint64_t>(one_in)) == 0;
}

}  // namespace

bool CasePattern::matches(const ValidationCase& c) const {
  const auto agrees = [](const std::string& asked, const std::string& found) {
    return asked.empty() || asked == found;
  };
  return agrees(id, c.id) && agrees(series, c.series) && agrees(source, c.source) &&
         agrees(task, c.workload.task) && agrees(metric, c.metric) && agrees(model, c.workload.model) &&
         c.citation.find(citation) != std::string::npos && (!gpus || c.system.gpus == gpus) &&
         (more_gpus_than == 0 || c.system.gpus.value_or(0) > more_gpus_than) &&
         is_drawn(c.series, one_series_in);
}

ProvenanceRegistry::ProvenanceRegistry(std::vector<Provenance> entries) : entries_{std::move(entries)} {
  for (const Provenance& entry : entries_) ids_.insert(entry.ids.begin(), entry.ids.end());
}

const Provenance* ProvenanceRegistry::user_of(const ValidationCase& c) const {
  const bool named = ids_.contains(c.id);
  for (const Provenance& entry : entries_) {
    if (named && std::ranges::find(entry.ids, c.id) != entry.ids.end()) return &entry;
    for (const CasePattern& pattern : entry.patterns)
      if (pattern.matches(c)) return &entry;
  }
  return nullptr;
}

ProvenanceRegistry ProvenanceRegistry::chosen_by_hand() const {
  std::vector<Provenance> out;
  std::ranges::copy_if(entries_, std::back_inserter(out), [](const Provenance& e) { return !e.fitted; });
  return ProvenanceRegistry{std::move(out)};
}

ProvenanceRegistry provenance(const Catalog& catalog, std::span<const FrameworkProfile> profiles) {
  std::vector<Provenance> out;
  for (const FrameworkProfile& profile : profiles)
    if (!profile.fit.empty()) out.push_back({"models/data/frameworks: " + profile.id, profile.fit, {}, true});
  out.push_back({"models/data/host/serving_fit.json", server_fit_cases(), {}, true});
  for (const std::string& id : catalog.ids("architectures")) {
    ArchitectureSpec spec = architecture_spec(catalog, catalog.find("architectures", id).name);
    if (!spec.fitted_on.empty())
      out.push_back({"topologies/data/architectures: " + id, std::move(spec.fitted_on), {}, false});
  }
  add_curves(out);
  const Json file = registry_file();
  for (const Json& entry : file.require("used").array()) out.push_back(read_entry(entry));
  return ProvenanceRegistry{std::move(out)};
}

std::vector<std::string> data_of_source(std::string_view source) {
  std::vector<std::string> out;
  const Json file = registry_file();
  for (const Json& entry : file.require("same_source").array()) {
    ObjectReader in{entry};
    const bool asked = in.string("source") == source;
    for (const Json& folder : in.require("data").array())
      if (asked) out.push_back(folder.string());
    in.finish();
  }
  return out;
}

}  // namespace rackcast
