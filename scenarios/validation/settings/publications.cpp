#include "scenarios/validation/settings/publications.hpp"

#include <vector>

#include "models/data_files.hpp"
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

}  // namespace rackcast
