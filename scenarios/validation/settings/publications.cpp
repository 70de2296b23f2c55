#include "scenarios/validation/settings/publications.hpp"

#include <cmath>
#include <vector>

#include "models/data_files.hpp"
#include "scenarios/validation/cases/unpredictable.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

struct Entry {
  std::string words;
  Publication publication;
};

Entry read_entry(const Json& json) {
  ObjectReader in{json};
  Entry out;
  out.words = in.string("words");
  if (const Json* releases = in.find("releases"))
    for (const auto& [framework, release] : releases->object())
      out.publication.releases[framework] = release.string();
  if (const Json* words = in.find("vocabulary"))
    out.publication.vocabulary = static_cast<std::int64_t>(words->number());
  if (const Json* drafts = in.find("draft_tokens"))
    for (const Json& json_drafts : drafts->array()) {
      ObjectReader of{json_drafts};
      PublishedDrafts& d = out.publication.drafts.emplace_back();
      d.framework = of.string("framework");
      d.release = of.string("release");
      d.tokens = static_cast<int>(of.integer("tokens", 0, 16));
      d.replicas = static_cast<int>(of.integer("replicas", 0, 16));
      of.finish();
    }
  if (const Json* study = in.find("study")) out.publication.study = study->string();
  in.string("source");
  in.finish();
  return out;
}

std::vector<Entry> read_table() {
  std::vector<Entry> out;
  const Json file = parse_model_data("benchmarks/publications.json");
  for (const Json& entry : file.require("publications").array()) out.push_back(read_entry(entry));
  return out;
}

}  // namespace

const Publication& publication_of(const ValidationCase& c) {
  static const std::vector<Entry> table = read_table();  // part of the program: read once
  static const Publication none;
  for (const Entry& entry : table)
    if (c.citation.find(entry.words) != std::string::npos) return entry.publication;
  return none;
}

int drafts_of(const ValidationCase& c, int replicas) {
  constexpr double most = 16;
  if (const auto stated = number_in(c.workload.extra, "draft_tokens")) {
    if (!(*stated >= 0 && *stated <= most && *stated == std::floor(*stated)))
      throw Unpredictable{"draft_tokens is no number of tokens from 0 to 16"};
    return static_cast<int>(*stated);
  }
  for (const PublishedDrafts& d : publication_of(c).drafts)
    if (d.framework == c.workload.framework && d.release == c.workload.framework_version)
      return replicas > 1 ? d.replicas : d.tokens;
  return 0;
}

}  // namespace rackcast
