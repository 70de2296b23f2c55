#pragma once
/// Batches that a translation script makes of a set of sentence pairs: pairs, lengths and padding
/// (models/data/sentence_batches.json).
///
/// Sentences differ in length, so what a step computes and what a rate counts are facts of the set and of the
/// way in which the script puts batches together, not of the network. A network with one length of sequence
/// computes the mean padded length of a side. Recurrent layers and products take a time that is linear in it,
/// so their mean over batches is the time at the mean; attention is quadratic, and a few percent of it.
///
/// There are two ways of making a batch. One takes a fixed number of pairs from a bucket of pairs of similar
/// length. The other takes as many pairs as keep (pairs x longest side) within --max-tokens:
///
///   pairs of a batch = max_tokens / filling - unfilled
///
/// with `filling` the mean length of the longer side in tokens, and `unfilled` the mean number of pairs that
/// rounding down to a multiple of 8 leaves out. The scripts round so that the rows of a product
/// (pairs x length) are a multiple of 8 and run on tensor cores. The mean number of pairs is not a whole
/// number; it is moved to the nearest one that gives such a number of rows.
#include <cstdint>
#include <optional>
#include <string>

namespace rackcast {

struct SentenceQuery {
  std::string network;             ///< of models/data/workloads: "gnmt"
  std::string set;                 ///< "wmt16-en-de"
  std::string framework;           ///< "pytorch"
  std::string version;             ///< "NGC 19.05"
  std::optional<double> cut = {};  ///< longest side in tokens, as stated
  double gpus = 1;
};

struct SentenceBatches {
  double pairs = 0;        ///< of an epoch
  double computed = 0;     ///< tokens of either side of a pair with its padding, mean over batches
  double counted = 0;      ///< tokens of a pair in the script's tokens/s
  double filling = 0;      ///< tokens of a pair against --max-tokens; 0: a batch is a number of pairs
  double unfilled = 0;     ///< pairs
  double first_epoch = 1;  ///< number that the script gives the first epoch
  std::optional<double> wide_tokens, tokens;  ///< --max-tokens of its README in 32 bits and in mixed

  /// The length with which the network is built.
  [[nodiscard]] std::int64_t length() const;
  /// Pairs in a batch of `max_tokens`. Throws Error where a batch is not made so, or is too small for a pair.
  [[nodiscard]] double pairs_in(double max_tokens) const;
};

/// Nothing where no script is known that trains this network on this set.
std::optional<SentenceBatches> sentence_batches(const SentenceQuery& query);

}  // namespace rackcast
