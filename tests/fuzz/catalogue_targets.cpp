#include "sim/json/reader.hpp"
#include "tests/fuzz/scratch.hpp"
#include "tests/fuzz/target.hpp"
#include "topologies/catalog/catalog_check.hpp"

namespace rackcast::fuzz {

/// What `--catalog FOLDER` does with a folder of one file, and a scenario that names the file.
void read_catalogue_entry(const std::string& bytes) {
  const Json json = parse_json(bytes, "fuzzed.json");
  const std::string_view kind = kind_of_document(json);
  if (kind.empty()) {
    check_catalog_document("storage", "fuzzed", json);
    return;
  }
  static const std::string file = scratch_file("entry/fuzzed.json");
  write_scratch(file, bytes);
  const Catalog catalog = Catalog::builtin();
  read_catalog_entry(catalog, kind, file);
}

}  // namespace rackcast::fuzz
