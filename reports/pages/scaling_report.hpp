#pragma once
/// `rackcast validate --curves`: scaling curves as drawings and a page that shows them.
#include <string>
#include <vector>

namespace rackcast::reports {

struct NamedFile {
  std::string name;  ///< "abci.svg"
  std::string text;
};

/// From the JSON of scaling curves ("format": "rackcast-scaling"); `name` is the file in messages. One SVG
/// for each system, a panel for each of its curves, and README.md with the drawings and a table of every
/// point. Throws Error, pointing at the place, if it is not such a document.
std::vector<NamedFile> scaling_files(const std::string& json_text, const std::string& name);

}  // namespace rackcast::reports
