#pragma once
/// What products say about convolutions of a GPU whose convolutions nobody measured.

namespace rackcast {

struct KernelParameters;

/// A convolution is a product in disguise, and products were measured on more GPUs: what a library reaches of
/// a GPU's peak and memory in products, against the lender's, carries over to its convolutions (`parameters`
/// are the lender's convolution; docs/accuracy/kernels.md, "Borrowed parameters").
///
/// A share above the peak counts as the peak: where a limit of power or of the cache holds products back, a
/// fit may say more (2.9 on an L40S).
///
/// Two numbers of products do not carry over. The power limit binds large products, and no set of
/// convolutions knows one. The rate of the cache trades with the depth of the prologue in a fit, so sets that
/// were fitted on other shapes are not comparable in it: carried over to the A100, it made the longest weight
/// gradient of RetinaNet 1.6 times faster, and published steps 14 % too short. Measured caches take its place
/// (models/gpu/cache_rates.hpp).
void scale_by_products(KernelParameters& parameters, const KernelParameters& own_products,
                       const KernelParameters& lent_products);

}  // namespace rackcast
