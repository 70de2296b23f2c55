#include "models/split/listed_shards.hpp"

#include <algorithm>
#include <array>

#include "models/collectives/comm_model.hpp"
#include "models/gpu/cost.hpp"

namespace rackcast {
namespace {

/// A copy is a kernel at the pace of PyTorch's host, 7 to 12 us in its profiles. An operation that starts no
/// kernel takes 2 us from Python, half of it Python's (pytorch issue 41383).
constexpr Duration list_copy{8e-6}, python_view{2e-6}, native_view{1e-6};
constexpr Duration gather_entry = list_copy + native_view + python_view;
constexpr Duration scatter_entry = list_copy + native_view + 2 * python_view;
constexpr Duration kept_entry = list_copy + 3 * python_view;

constexpr double kept_below = 100'000;
constexpr double matrices = 4;  // attention's two and the MLP's two
/// Biases of these, of attention's first 3 x hidden long and of the MLP's 4 x, and scale and shift of two
/// normalisations.
constexpr std::array<double, 8> vectors{3, 1, 4, 1, 1, 1, 1, 1};

}  // namespace

ListedShards exposed_by_lists(CommModel& over, const GpuCostModel& gpu, const ListedLayers& of) {
  const Bytes each = gradient_bytes(of.precision), layer = of.parameters / of.layers * each;
  double kept_tensors = 0, kept_entries = 0, kept_elements = 0;
  for (const double width : vectors) {
    const double elements = width * of.hidden;
    if (elements >= kept_below) continue;
    ++kept_tensors;
    kept_elements += elements;
    kept_entries += std::min(of.replicas, elements);  // GPUs beyond the tensor's end have none of it
  }
  const double gathers = of.recompute ? 3 : 2;
  const double gathered = matrices + static_cast<double>(vectors.size()) - kept_tensors;
  const double scattered = matrices + static_cast<double>(vectors.size());
  const Bytes of_vector = 13.0 / 8 * of.hidden * each;

  ListedShards out;
  const Duration gather = matrices * over.time(Collective::all_gather, layer / matrices) +
                          (gathered - matrices) * over.time(Collective::all_gather, of_vector);
  const Duration scatter = matrices * over.time(Collective::reduce_scatter, layer / matrices) +
                           (scattered - matrices) * over.time(Collective::reduce_scatter, of_vector);
  out.network = of.layers * (gathers * gather + scatter);
  // Every gather's buffer is written, gradients are read and written to divide them by the GPUs.
  out.device = of.layers * (gathers + 2) * layer / (gpu.gpu().memory * stream_fraction);
  out.host = of.layers * of.replicas * (gathers * gathered * gather_entry + scattered * scatter_entry);
  if (kept_tensors > 0)
    out.kept = of.layers * kept_entries * kept_entry + of.replicas * gather_entry +
               over.time(Collective::all_gather, of.layers * kept_elements * each);
  return out;
}

}  // namespace rackcast
