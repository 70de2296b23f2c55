#pragma once
/// A storage system as a server with several limits at once. A reader that asks for n samples a second keeps
/// within each of these limits:
///
///   bytes        n * sample  <= throughput                  large reads, all clients together
///   operations   n * reads   <= operations                  IOPS
///   metadata     n * opens   <= opens
///   one client   n * sample  <= clients * per_client
///   waiting      n * (latency + sample / stream) <= readers
///
/// The last one is Little's law: each reader has one object open. The rate is the largest n within all
/// limits. Small objects meet the metadata, operation or waiting limit long before the throughput: that is
/// the penalty of small objects. A limit of 0 is unknown and is not applied.
#include <string>
#include <string_view>
#include <vector>

#include "models/data_path/record.hpp"
#include "models/step/training.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

enum class StorageKind { local, nfs, parallel, object, array };
std::string_view to_string(StorageKind kind);

struct StorageSystem {
  std::string name;
  StorageKind kind = StorageKind::array;
  int count = 1;  ///< servers or arrays that work side by side; drives groups per node for local ones
  // Of one server.
  Bandwidth read{0}, write{0};
  Frequency operations{0}, opens{0};
  // Of one client.
  Bandwidth per_client{0};
  Bandwidth stream{0};  ///< of one open object
  Duration latency{0};  ///< from asking for an object to its first byte
  Bytes capacity{0};    ///< of one server; 0: not known

  [[nodiscard]] bool local() const { return kind == StorageKind::local; }
};

/// Facts that depend on the kind of system alone, from models/data/data_path/storage_kinds.json: metadata
/// rate, latency and stream rate where the catalogue has none. They were recalled, not read in a source.
StorageSystem with_kind_facts(StorageSystem system);
/// The kind of a catalogue entry; `array` for one that the table does not name.
StorageKind storage_kind_of(std::string_view catalog_id);

/// Who reads: `nodes` clients with `readers` objects open on each, `share` of the samples not cached above.
struct ReadLoad {
  RecordLayout layout;
  int nodes = 1;
  double readers = 0;  ///< per node; 0: enough
  double share = 1;
};

/// Every limit as a stage of the input path, for one sample of the global batch. Throughput is first.
/// Throws Error as object_cost, and for a system without servers or without a read rate.
std::vector<InputStage> storage_stages(const StorageSystem& system, const ReadLoad& load);

/// Samples per second that the system can deliver: the least of its limits.
Frequency read_rate(const StorageSystem& system, const ReadLoad& load);

/// Bytes per second that it can take in from `nodes` writers of large objects: writes as given, else as fast
/// as reads.
Bandwidth write_rate(const StorageSystem& system, int nodes);

}  // namespace rackcast
