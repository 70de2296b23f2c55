#pragma once
/// Utilisation of the peak arithmetic of the GPUs by the training of a language model.
///
/// Model FLOP utilisation (MFU) is the rate of the arithmetic that the model needs over the peak: tokens per
/// second times (6 N + 12 L H Q T) over the GPUs' peak rate, for N parameters that a token is multiplied
/// with, L layers, H heads of Q and sequences of T, without a discount for a causal mask and without what is
/// computed again (A. Chowdhery et al., "PaLM", arXiv 2204.02311, appendix B). That is three times the
/// products of the forward pass, or twice those with frozen weights, which need no gradient.
///
/// Hardware FLOP utilisation (HFU) counts what is computed again as well (V. Korthikanti et al., "Reducing
/// Activation Recomputation in Large Transformer Models", arXiv 2205.05198, section 6.3 and appendix A): with
/// full recomputation the forward pass of the layers once more, with selective that of attention. The product
/// with the vocabulary is never computed again.
#include "models/gpu/rates.hpp"
#include "models/networks/operator.hpp"
#include "models/networks/recomputation.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// Arithmetic of one sample, forward and backward.
struct TrainingArithmetic {
  Flop model{0}, hardware{0};
};
TrainingArithmetic training_arithmetic(const Workload& workload, Recomputation recompute);

/// Dense peak rate, as on the datasheet, of the units that run products of this precision. 0 if the GPU has
/// none.
FlopRate peak_rate(const GpuRates& gpu, Precision precision);

}  // namespace rackcast
