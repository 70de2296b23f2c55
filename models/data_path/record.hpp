#pragma once
/// Formats in which samples are stored, as the numbers of opens and read operations for one sample.
///
/// files              one object per sample: an open each, and its bytes in read-ahead windows
/// tfrecord, recordio  packed shards read from front to back: an open per shard, full read-ahead windows
/// lmdb               one mapped file, read at random: no opens, but every sample starts a fresh window
#include <string_view>

#include "sim/units/quantity.hpp"

namespace rackcast {

enum class RecordFormat { files, tfrecord, recordio, lmdb };
std::string_view to_string(RecordFormat format);

struct RecordLayout {
  RecordFormat format = RecordFormat::files;
  Bytes sample{0};               ///< stored, mean
  double samples_per_shard = 1;  ///< of packed formats
};

/// Operations of the storage server for one sample, besides its bytes.
struct ObjectCost {
  double opens = 0;       ///< metadata operations: look-up, open, close counted as one
  double operations = 0;  ///< reads as the server sees them
};

/// Linux reads ahead 128 KiB (read_ahead_kb of block devices); NFS, Lustre and object clients ask for 1 MiB
/// of a file that is read in order. Throws Error for a sample of zero bytes or a shard without samples.
ObjectCost object_cost(const RecordLayout& layout, bool networked);

}  // namespace rackcast
