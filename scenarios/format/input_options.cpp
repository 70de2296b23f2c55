#include "scenarios/format/input_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "models/data_path/loaders.hpp"

namespace rackcast {

namespace {

template <class Enum, std::size_t N>
void read_choice(ObjectReader& in, std::string_view key, const std::array<std::string_view, N>& names,
                 Enum& into) {
  if (in.find(key)) into = static_cast<Enum>(in.choice(key, names));
}

constexpr std::array<std::string_view, 4> kFormats{"files", "tfrecord", "recordio", "lmdb"};
constexpr std::array<std::string_view, 3> kSharding{"fixed", "resampled", "all"};
constexpr std::array<std::string_view, 2> kOrders{"shuffled", "sequential"};
constexpr std::array<std::string_view, 2> kEvictions{"lru", "none"};
constexpr std::array<std::string_view, 3> kDecoders{"cpu", "gpu", "gpu_engine"};

void read_records(ObjectReader& in, InputOptions& o) {
  if (const Json* record = in.find("record")) {
    o.record_given = true;
    o.record = record->string();
    try {
      record_kind(o.record);
    } catch (const Error& e) {
      record->fail(e.message(), e.hint());
    }
  }
  if (const Json* loader = in.find("loader")) {
    o.loader = loader->string();
    try {
      o.jitter = image_loader(o.loader).jitter;
    } catch (const Error& e) {
      loader->fail(e.message(), e.hint());
    }
    if (o.record != "jpeg") loader->fail("these loaders read JPEG files", "leave \"record\" out");
  }
  o.record_size = in.number_or("record_size", 0, 1e-9, 1e9);
  read_choice(in, "format", kFormats, o.format);
  if (in.has("shards") && in.has("samples_per_shard"))
    in.require("shards").fail("shards and samples_per_shard say the same", "remove one of them");
  if (const Json* shards = in.find("shards")) {
    if (shards->integer() < 1) shards->fail("a data set has at least one shard", "leave it out, or say 1024");
    o.shards = in.integer("shards", 1, 1'000'000'000'000);
  }
  o.samples_per_shard = in.number_or("samples_per_shard", o.samples_per_shard, 1, 1e12);
}

}  // namespace

RecordLayout InputOptions::layout(Bytes sample, double samples) const {
  RecordLayout layout{format, sample, samples_per_shard};
  if (shards) layout.samples_per_shard = std::max(1.0, samples / static_cast<double>(*shards));
  return layout;
}

InputOptions read_input_options(const Json& json) {
  ObjectReader in{json};
  InputOptions o;
  o.where = json.where();
  read_records(in, o);
  read_choice(in, "sharding", kSharding, o.sharding);
  read_choice(in, "order", kOrders, o.order);
  read_choice(in, "eviction", kEvictions, o.eviction);
  o.page_cache = in.boolean_or("page_cache", true);
  o.ssd_cache = in.boolean_or("ssd_cache", false);
  o.shuffle_buffer = in.quantity_or<Bytes>("shuffle_buffer", Bytes{0});
  read_choice(in, "decoder", kDecoders, o.decoder);
  o.workers_per_gpu = static_cast<int>(in.integer_or("workers_per_gpu", 0, 1, 10'000));
  if (in.find("cores")) o.cores = in.number("cores", 1, 100'000);
  o.prefetch = static_cast<int>(in.integer_or("prefetch", 2, 1, 1000));
  o.pinned = in.boolean_or("pinned", true);
  o.jitter = in.boolean_or("jitter", o.jitter);
  o.checkpoint_every = in.quantity_or<Duration>("checkpoint_every", Duration{0});
  o.asynchronous_checkpoint = in.boolean_or("asynchronous_checkpoint", false);
  o.log_per_step = in.quantity_or<Bytes>("log_per_step", Bytes{0});
  in.finish();
  return o;
}

}  // namespace rackcast
