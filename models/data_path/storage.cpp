#include "models/data_path/storage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {

namespace {

/// "capacity_tb", or the drives' raw sum where only those are catalogued.
std::optional<Bytes> capacity_of(const CatalogEntry& entry) {
  if (const Fact* capacity = entry.find("capacity_tb")) return Bytes{capacity->number() * 1e12};
  const Fact* drives = entry.find("drives");
  if (!drives || drives->value().kind() != JsonKind::object) return std::nullopt;
  const Json* count = drives->value().find("count");
  const Json* each = drives->value().find("tb_each");
  if (!count || !each) return std::nullopt;
  return Bytes{count->number() * each->number() * 1e12};
}

double number_of(const CatalogEntry& entry, const char* key) {
  const Fact* fact = entry.find(key);
  return fact && fact->value().kind() == JsonKind::number ? fact->number() : 0;
}

}  // namespace

StorageFacts faster(StorageFacts facts, double factor) {
  facts.read *= factor;
  facts.write *= factor;
  facts.operations *= factor;
  facts.opens *= factor;
  facts.per_client *= factor;
  return facts;
}

StorageFacts storage_facts(const Catalog& catalog, const std::string& array) {
  const CatalogEntry& entry = catalog.find("storage", array);
  const Fact* read = entry.find("read_gb_per_s");
  if (!read) {
    throw Error{fmt::format("{} has no read rate in the catalogue", entry.id),
                {},
                "choose an array with read_gb_per_s: rackcast catalog list storage"};
  }
  StorageFacts facts;
  facts.id = entry.id;
  facts.name = entry.name;
  facts.read = Bandwidth{read->number() * 1e9};
  facts.write = Bandwidth{number_of(entry, "write_gb_per_s") * 1e9};
  facts.operations =
      Frequency{std::max(number_of(entry, "read_kiops"), number_of(entry, "random_read_kiops")) * 1e3};
  // Measured with files of about 100 kB, each of which is opened.
  facts.opens = Frequency{number_of(entry, "small_file_read_gb_per_s") * 1e9 / 100e3};
  facts.per_client = Bandwidth{number_of(entry, "client_read_gb_per_s") * 1e9};
  facts.latency = Duration{number_of(entry, "latency_us") * 1e-6};
  facts.kind = storage_kind_of(entry.id);
  facts.capacity = capacity_of(entry);
  facts.from_memory = read->confidence() == Confidence::memory;
  facts.read_source = read->source();
  facts.read_fact = fmt::format("storage/{}/{}", entry.id, read->key());
  if (!(facts.read.base() > 0)) throw Error{fmt::format("{} must be positive", facts.read_fact)};
  return facts;
}

}  // namespace rackcast
