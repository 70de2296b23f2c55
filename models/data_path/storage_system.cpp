#include "models/data_path/storage_system.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "models/data_files.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

namespace {

constexpr std::array<std::string_view, 5> kNames{"local", "nfs", "parallel", "object", "array"};

double servers(const StorageSystem& system, int nodes) {
  return static_cast<double>(system.count) * (system.local() ? nodes : 1);
}

}  // namespace

std::string_view to_string(StorageKind kind) {
  return kNames.at(static_cast<std::size_t>(kind));
}

StorageKind storage_kind_of(std::string_view catalog_id) {
  const Json file = parse_model_data("data_path/storage_kinds.json");
  for (std::size_t k = 0; k < kNames.size(); ++k) {
    for (const Json& id : file.require(kNames[k]).require("entries").array())
      if (id.string() == catalog_id) return static_cast<StorageKind>(k);
  }
  return StorageKind::array;
}

StorageSystem with_kind_facts(StorageSystem system) {
  const Json file = parse_model_data("data_path/storage_kinds.json");
  const Json& kind = file.require(to_string(system.kind));
  const auto value = [&](const char* key) {
    return ObjectReader{kind.require(key)};
  };
  if (system.opens == Frequency{0}) system.opens = value("opens").quantity<Frequency>("value");
  if (system.latency == Duration{0}) system.latency = value("latency").quantity<Duration>("value");
  if (system.stream == Bandwidth{0}) system.stream = value("stream").quantity<Bandwidth>("value");
  return system;
}

std::vector<InputStage> storage_stages(const StorageSystem& system, const ReadLoad& load) {
  if (system.count < 1) throw Error{system.name + ": a storage system has at least one server"};
  if (!(system.read > Bandwidth{0})) throw Error{system.name + " has no read rate"};
  const ObjectCost cost = object_cost(load.layout, !system.local());
  const double n = servers(system, load.nodes), bytes = load.layout.sample.base() * load.share;
  std::vector<InputStage> stages;
  const auto add = [&stages](const char* name, const char* what, double capacity, double per_sample) {
    if (capacity > 0 && per_sample > 0) stages.push_back({name, what, capacity, per_sample});
  };
  add("storage", "storage read", n * system.read.base(), bytes);
  add("storage operations", "storage operations per second", n * system.operations.base(),
      cost.operations * load.share);
  add("storage metadata", "opening files on the storage", n * system.opens.base(), cost.opens * load.share);
  add("storage clients", "the storage client of each node", load.nodes * system.per_client.base(), bytes);
  if (load.readers > 0 && load.layout.format != RecordFormat::tfrecord &&
      load.layout.format != RecordFormat::recordio) {
    // Packed records are read ahead; elsewhere a reader waits for each object before it has the next.
    Duration busy = system.latency;
    if (system.stream > Bandwidth{0}) busy += load.layout.sample / system.stream;
    add("storage latency", "waiting for objects from the storage", load.nodes * load.readers,
        busy.base() * load.share);
  }
  return stages;
}

Frequency read_rate(const StorageSystem& system, const ReadLoad& load) {
  double least = std::numeric_limits<double>::infinity();
  for (const InputStage& s : storage_stages(system, load)) least = std::min(least, s.capacity / s.per_sample);
  return Frequency{least};
}

Bandwidth write_rate(const StorageSystem& system, int nodes) {
  const Bandwidth one = system.write > Bandwidth{0} ? system.write : system.read;
  Bandwidth all = servers(system, nodes) * one;
  if (system.per_client > Bandwidth{0}) all = std::min(all, nodes * system.per_client);
  return all;
}

}  // namespace rackcast
