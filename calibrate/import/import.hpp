#pragma once
/// `rackcast import`: what people have measured or listed already, as a document that scenarios and fits can
/// use ("format": "rackcast-import", version 1).
///
/// An importer copies the few fields that it knows: counts, sizes, rates, names of products. Host names,
/// users, paths, addresses, serial numbers and environment variables never reach the document, because
/// nothing is copied that is not asked for. What a file does not say is a warning, or an assumption marked
/// as such.
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rackcast {

class Catalog;

struct ImportRequest {
  std::string kind = {};     ///< "fio", ...; empty: told from the content
  std::string path = {};     ///< for messages only
  std::string program = {};  ///< version of rackcast, for the document
  /// Numbers for what the file leaves open, by its name for it: {"sequence_length", 128}.
  std::map<std::string, std::int64_t> sizes = {};
};

struct ImportResult {
  std::string kind, text;  ///< the document
  std::string summary;     ///< one line for people
  std::vector<std::string> warnings;
};

/// Files up to this size are read: 64 MiB of text, 2 GB of a binary kind (weights are in it).
std::size_t most_import_bytes(const ImportRequest& request);

/// Throws Error (file, line, column, hint) for a text that no importer takes, or that breaks off, contradicts
/// itself or passes a limit. The same text gives the same document.
ImportResult import_text(const Catalog& catalog, const ImportRequest& request, std::string text);

struct ImportKindInfo {
  std::string_view name, help;
};
/// What can be imported, for lists and error hints.
std::vector<ImportKindInfo> import_kinds();

}  // namespace rackcast
