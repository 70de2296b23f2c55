#include "models/data_path/record.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/error.hpp"

namespace rackcast {

namespace {

constexpr Bytes kLocalWindow{128.0 * 1024};     ///< Linux, default of /sys/block/*/queue/read_ahead_kb
constexpr Bytes kNetworkWindow{1024.0 * 1024};  ///< rsize of Linux NFS v3/v4, default RPC size of Lustre

}  // namespace

std::string_view to_string(RecordFormat format) {
  static constexpr std::array<std::string_view, 4> names{"files", "tfrecord", "recordio", "lmdb"};
  return names.at(static_cast<std::size_t>(format));
}

ObjectCost object_cost(const RecordLayout& layout, bool networked) {
  if (!(layout.sample > Bytes{0})) throw Error{"a sample of zero bytes cannot be read", {}, "give its size"};
  if (!(layout.samples_per_shard >= 1)) throw Error{"a shard holds at least one sample"};
  const double windows = layout.sample / (networked ? kNetworkWindow : kLocalWindow);
  switch (layout.format) {
    case RecordFormat::files:
      return {1, std::max(1.0, std::ceil(windows))};
    case RecordFormat::lmdb:
      return {0, std::max(1.0, std::ceil(windows))};
    case RecordFormat::tfrecord:
    case RecordFormat::recordio:
      break;
  }
  return {1 / layout.samples_per_shard, windows};
}

}  // namespace rackcast
