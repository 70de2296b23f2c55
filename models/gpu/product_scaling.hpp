#pragma once
/// Parameters of convolutions for a GPU whose convolutions nobody measured, from its measured products.

namespace rackcast {

struct KernelParameters;

/// Changes `parameters`, which are those of convolutions on the lender, a GPU whose convolutions were
/// measured. A convolution is computed as a product, and products were measured on more GPUs. So the shares
/// of peak and memory rate that products reach on this GPU, over those on the lender, are applied to the
/// convolutions (docs/accuracy/kernels.md, "Borrowed parameters").
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
