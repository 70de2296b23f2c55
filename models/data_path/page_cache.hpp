#pragma once
/// Which samples stay in the caches of a node between epochs, and how many therefore come from storage.
///
/// Let c = cache / set be the fraction of a node's working set that its cache can hold (c < 1).
///
///   order of reading              eviction                 hit ratio
///   shuffled anew every epoch     least recently used      h = c + (1-c) ln(1-c)
///   the same every epoch          least recently used      h = 0
///   any                           nothing is evicted       h = c
///   a new part every epoch        any                      h = c, once the cache is warm
///
/// Shuffled, LRU: a sample is read at fraction x of one epoch and at fraction y of the next. It is still
/// cached if fewer than c of all samples were read between. Another sample was not read between with
/// probability x (1-y), so the sample hits if x (1-y) > 1-c. Both x and 1-y are uniform in [0, 1], and the
/// product of two such numbers exceeds a with probability 1 - a + a ln a. With a = 1-c this is h. It is less
/// than c (0.153 at c = 1/2): the cache thrashes, as DS-Analyzer measures (Mohan et al., VLDB 14(5), 2021).
///
/// The same order, LRU: each sample is evicted just before it is read again.
///
/// Nothing is evicted: the samples that were read first stay (the MinIO cache of the same paper).
///
/// A new part: each node reads 1/n of all samples, chosen anew, so every sample is equally likely.
///
/// With c >= 1 everything that has been read is a hit. Shuffle buffers change the order within a window, not
/// what an epoch touches: shards in the same order thrash whatever the buffer.
#include <string_view>
#include <vector>

#include "sim/units/quantity.hpp"

namespace rackcast {

/// The part of the training set that a node reads.
enum class Sharding {
  fixed,      ///< its own part, the same every epoch
  resampled,  ///< 1/n of the whole, chosen anew every epoch (PyTorch's DistributedSampler)
  all,        ///< the whole set, on its own; one pass takes n epochs of the cluster
};
enum class ReadOrder { shuffled, sequential };
enum class Eviction { lru, none };

std::string_view to_string(Sharding sharding);
std::string_view to_string(ReadOrder order);

struct CacheSpec {
  Bytes set{0};  ///< the whole training set, stored
  int nodes = 1;
  Sharding sharding = Sharding::resampled;
  ReadOrder order = ReadOrder::shuffled;
  Eviction eviction = Eviction::lru;
  Bytes page_cache{0};  ///< of one node: DRAM that the job leaves
  Bytes ssd_cache{0};   ///< of one node: a local copy of what was read (cachefilesd); 0: none
};

/// Of the samples of one epoch, the fractions that each level serves. They add up to 1.
struct EpochHits {
  double page_cache = 0, ssd_cache = 0, storage = 1;
};

/// Hit ratio of one cache of that size in epoch `epoch` (from 0), in [0, 1]. Throws Error for an empty set,
/// no nodes or a negative size.
double hit_ratio(const CacheSpec& spec, Bytes cache, int epoch);

/// The SSD cache sees what the page cache misses and holds what passed through it.
EpochHits epoch_hits(const CacheSpec& spec, int epoch);

/// Bytes of the training set that one node reads in the course of all epochs.
Bytes working_set(const CacheSpec& spec);

/// Epochs with the same hit ratios. Epochs in which the ratios rise are replaced by their mean: where storage
/// binds, the time is linear in the share that it serves.
struct EpochPhase {
  double epochs = 0;
  EpochHits hits;
};
/// Cold epochs first, then the rest; one phase if nothing is ever cached. `epochs` may be a fraction.
std::vector<EpochPhase> epoch_phases(const CacheSpec& spec, double epochs);

}  // namespace rackcast
