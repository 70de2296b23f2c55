#pragma once
/// The hardware catalogue: GPUs, nodes, switches, links, storage, racks, prices, failure rates, each figure
/// with its source. It travels inside the program; a folder of the same form may add entries or replace them.
///
///   Catalog catalog = Catalog::builtin();
///   const CatalogEntry& gpu = catalog.find("gpus", "p100_sxm2");
///   Bandwidth memory = gpu.require("memory_bandwidth_gb_per_s").quantity<Bandwidth>();
///
/// An entry is parsed when it is first asked for: a question that names three parts reads three small files.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/embedded.hpp"
#include "topologies/catalog/fact.hpp"

namespace rackcast {

/// One file of the catalogue. Facts of nested groups have a path as key: "fdr/achievable_rdma_gb_per_s".
struct CatalogEntry {
  std::string kind;  ///< folder: "gpus"
  std::string id;    ///< file name: "p100_sxm2"
  std::string name;  ///< "NVIDIA Tesla P100 SXM2"
  std::string file;  ///< where it was read: "gpus/p100_sxm2.json" or the path of a user's file
  std::vector<std::string> aliases;
  std::vector<std::pair<std::string, std::string>> attributes;  ///< plain members: vendor, architecture, ...
  std::vector<Fact> facts;                                      ///< in file order
  Json json;                                                    ///< the whole file

  [[nodiscard]] const Fact* find(std::string_view key) const;     ///< nullptr if absent: unknown, not zero
  [[nodiscard]] const Fact& require(std::string_view key) const;  ///< Error with near matches
  [[nodiscard]] std::string_view attribute(std::string_view key) const;  ///< empty if absent
};

struct SearchHit {
  std::string kind, id, name;
  std::string where;  ///< what matched: "id", "name", "alias", "fact idle_power_w", "source of fp32_tflops"
};

class Catalog {
 public:
  /// Files are named "<kind>/<id>.json". `overlay_dir`, if not empty, holds files of the same form; one of
  /// them replaces the built-in entry of the same kind and id. Each of them is held against the schema of its
  /// kind and read as the program will use it (catalog_check.hpp). Throws Error if the folder or one of its
  /// files is broken.
  explicit Catalog(std::span<const EmbeddedFile> files, const std::string& overlay_dir = {});
  static Catalog builtin(const std::string& overlay_dir = {});

  Catalog(Catalog&&) noexcept;
  Catalog& operator=(Catalog&&) noexcept;
  ~Catalog();

  [[nodiscard]] std::vector<std::string> kinds() const;                     ///< sorted
  [[nodiscard]] std::vector<std::string> ids(std::string_view kind) const;  ///< sorted; Error on unknown kind

  /// The entry with this id, or else the only one whose id, name or alias reads the same ("DGX-1V" is
  /// "dgx1v_16gb"; case and punctuation do not count). Error lists near matches, or the candidates of an
  /// ambiguous name such as "p100". The reference lives as long as the catalogue. Safe from several threads.
  [[nodiscard]] const CatalogEntry& find(std::string_view kind, std::string_view name) const;

  /// Entries with `text` in id, name, alias, fact key, text value or source; case does not count. One hit per
  /// entry, the first kind of match in that order.
  [[nodiscard]] std::vector<SearchHit> search(std::string_view text) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rackcast
