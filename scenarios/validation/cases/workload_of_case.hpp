#pragma once
/// Which network a case ran, at which input size.
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "models/frameworks/sentence_batches.hpp"
#include "models/memory/memory.hpp"
#include "models/networks/operator.hpp"
#include "models/networks/recomputation.hpp"
#include "models/networks/transformer.hpp"
#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

/// Equal for cases that run the same network on the same input.
std::string workload_key(const ValidationCase& c);

/// The catalogue's name for the network: by its stated variant, else by what the framework's scripts call so.
std::string network_name_of_case(const ValidationCase& c);
/// Height, width and channels, where the case states them.
std::optional<std::array<std::int64_t, 3>> image_of_case(const ValidationCase& c);

/// A network of models/data/workloads, or a transformer from its printed shape. Throws Unpredictable when the
/// network is not known, its size is not stated, or the input does not fit it.
Workload workload_of_case(const ValidationCase& c);

/// The printed shape; nothing for other networks. Throws Unpredictable for an impossible one.
std::optional<TransformerShape> transformer_of_case(const ValidationCase& c);

/// What the script makes of its sentence pairs, where the case trains a translation network whose script and
/// set are known.
std::optional<SentenceBatches> sentences_of_case(const ValidationCase& c);

/// Tokens of one sequence as computed: where the case says so, else the mean of sentences with their padding.
std::optional<double> sequence_length(const ValidationCase& c);
/// Tokens of one sample in a rate of tokens: of sentences those that the script counts. Throws Unpredictable
/// when it cannot be told.
double counted_tokens(const ValidationCase& c);

/// Samples per GPU and micro-step. Throws Unpredictable when it cannot be told.
double batch_of_case(const ValidationCase& c);

/// Micro-steps per update: as stated, else the global batch over the batches of all GPUs.
double accumulation_of_case(const ValidationCase& c);
/// Which activations are computed again while going back. Throws Unpredictable for a word that has no model.
Recomputation recomputation_of_case(const ValidationCase& c);

class PredictionContext;
/// The printed shape, else that of the network of this name; nothing where it is no plain transformer.
std::optional<TransformerShape> known_transformer(PredictionContext& context, const ValidationCase& c);
/// What training it keeps in the memory of one GPU, but for the batch.
MemoryOptions memory_of_case(PredictionContext& context, const ValidationCase& c);
/// The largest whole batch that the GPU holds. Throws Unpredictable when nothing fits.
double largest_batch_of_case(PredictionContext& context, const ValidationCase& c);
/// The case with a batch: where none is stated the largest power of two that a GPU holds, as whoever measures
/// throughput takes it. Throws Unpredictable when nothing fits.
ValidationCase with_fitting_batch(PredictionContext& context, ValidationCase c);

}  // namespace rackcast
