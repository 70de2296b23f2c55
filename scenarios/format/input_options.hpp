#pragma once
/// The scenario's "input": how samples are stored, read, cached, decoded and written back.
#include <optional>
#include <string>

#include "models/data_path/page_cache.hpp"
#include "models/data_path/preprocess.hpp"
#include "models/data_path/record.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

struct InputOptions {
  // Records.
  std::string record = "jpeg";  ///< kind (models/data_path/preprocess.hpp)
  bool record_given = false;    ///< else only networks that take images decode anything
  double record_size = 0;       ///< units of the kind; 0: its reference
  RecordFormat format = RecordFormat::tfrecord;
  double samples_per_shard = 1251;     ///< TFRecord ImageNet of the TensorFlow models repository: 1024 files
  std::optional<std::int64_t> shards;  ///< instead of samples_per_shard
  std::string loader;                  ///< of models/data_path/loaders.hpp; empty: the usual rate of the kind
  // Reading and caching.
  Sharding sharding = Sharding::resampled;
  ReadOrder order = ReadOrder::shuffled;
  Eviction eviction = Eviction::lru;
  bool page_cache = true, ssd_cache = false;
  Bytes shuffle_buffer{0};  ///< of one GPU's loader
  // Preprocessing.
  Decoder decoder = Decoder::cpu;
  int workers_per_gpu = 0;  ///< 0: all cores
  std::optional<double> cores;
  int prefetch = 2;
  bool pinned = true;
  bool jitter = false;  ///< batch times vary as those of thread queues do (models/data_path/starvation.hpp)
  // Written back.
  Duration checkpoint_every{0};
  bool asynchronous_checkpoint = false;
  Bytes log_per_step{0};
  Where where;

  [[nodiscard]] RecordLayout layout(Bytes sample, double samples) const;
};

/// Throws Error at the place of a bad value: an unknown name, a shard count of zero, ...
InputOptions read_input_options(const Json& json);

}  // namespace rackcast
