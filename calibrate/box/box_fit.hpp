#pragma once
/// `rackcast calibrate fit box.json`: the kernels of a measured box as a GPU cost model that a scenario can
/// use
/// ("format": "rackcast-device", version 1: the form of models/data/gpu_models with where it comes from), and
/// its all-reduce times as curves that refine the model of collectives.
#include <string>
#include <vector>

#include "calibrate/fit/fit.hpp"
#include "calibrate/measure/box.hpp"

namespace rackcast {

class Catalog;

struct BoxFitRequest {
  std::string gpu = {};           ///< catalogue id; empty: by the name of the box's first GPU
  std::vector<std::string> with;  ///< folders of the shipped measurements ("deepbench"), of the same GPU only
};

struct BoxFit {
  std::string text;  ///< the device document
  std::string gpu;   ///< catalogue id
  KernelData data;
  std::vector<KernelFit> fits;
  std::vector<std::string> warnings;
};

/// The kernels of gpu0 that were measured and not disturbed by throttling, as rows for fit_kernels.
/// Attention, copies and launches have no kernel class and are left out, as is fp64; all-reduces become
/// curves.
KernelData box_kernels(const Box& box, const MeasuredDevice& device, std::vector<std::string>& warnings);

/// Throws Error for a box without GPU kernels, a GPU that the catalogue does not know, an unknown folder, or
/// fewer than six kernels of every class.
BoxFit fit_box(const Catalog& catalog, const Box& box, const BoxFitRequest& request);

}  // namespace rackcast
