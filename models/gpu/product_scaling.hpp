#pragma once
/// What products say about convolutions of a GPU whose convolutions nobody measured.

namespace rackcast {

struct KernelParameters;

/// A convolution is a product in disguise, and products were measured on more GPUs: what a library reaches of
/// a GPU's peak, memory and cache in products, against the lender's, carries over to its convolutions.
/// `parameters` are the lender's convolution. Between GPUs of two architectures whose convolutions were
/// measured this takes the median error from 26 to 16 % (docs/accuracy/kernels.md, "Borrowed parameters").
/// Recurrent kernels gain nothing: 44 to 52 %. Products on matrix units (`power_limited`) state what they
/// reach of the peak by two numbers, at the full clock and at that of the power limit; both count together.
void scale_by_products(KernelParameters& parameters, const KernelParameters& own_products,
                       const KernelParameters& lent_products, bool power_limited);

}  // namespace rackcast
