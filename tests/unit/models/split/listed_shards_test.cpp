#include "models/split/listed_shards.hpp"

#include <doctest/doctest.h>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/rates_of.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

struct Exposed {
  ListedShards shards;
  Duration all_kept{0};  ///< the network's part of `kept`
};

/// 16 nodes of eight A100.
Exposed exposed(ListedLayers of, double kept_bytes) {
  static const Catalog catalog = Catalog::builtin();
  const Cluster cluster =
      make_cluster(catalog, node_spec(catalog, "dgx_a100_640gb"), {.nodes = 16, .fabric = {}, .gpus = 128});
  const GpuCostModel gpu = GpuCostModel::create(gpu_rates(gpu_spec(catalog, "a100_sxm4_80gb")),
                                                {.library = LibraryGeneration::cudnn8});
  CommModel over{cluster, {}};
  return {exposed_by_lists(over, gpu, of), over.time(Collective::all_gather, Bytes{kept_bytes})};
}

}  // namespace

TEST_CASE("lists have an entry for every GPU, for matrices in gathers and for all tensors in scatters") {
  const ListedLayers of{.layers = 8, .parameters = 8 * 12.0 * 4096 * 4096, .hidden = 4096, .replicas = 128};
  // Of 8 layers and 128 GPUs, two gathers of four matrices at 11 us and a scatter of twelve tensors at 13 us.
  const auto [plain, whole] = exposed(of, 8 * 13.0 * 4096 * 2);
  CHECK(plain.host.base() == doctest::Approx(8 * 128 * (2 * 4 * 11e-6 + 12 * 13e-6)));
  // Eight vectors of a layer are copied for each GPU at 14 us, after one collective with one list.
  CHECK((plain.kept - whole).base() == doctest::Approx(8 * 8 * 128 * 14e-6 + 128 * 11e-6));
  // Buffers of both gathers written, gradients read and written: 2 + 2 of 2 bytes at 0.8 of the pins' rate.
  const double pins = gpu_rates(gpu_spec(Catalog::builtin(), "a100_sxm4_80gb")).memory.base();
  CHECK(plain.device.base() == doctest::Approx(4 * 2 * of.parameters / (0.8 * pins)));
  // What is computed again is gathered a third time.
  ListedLayers again = of;
  again.recompute = true;
  CHECK((exposed(again, 0).shards.host - plain.host).base() == doctest::Approx(8 * 128 * 4 * 11e-6));
}

TEST_CASE("tensors of 100,000 elements do not stay whole") {
  // 3 x 40,960 and 4 x 40,960 are more: six gathered tensors, and six kept.
  const ListedLayers of{
      .layers = 2, .parameters = 2 * 12.0 * 40960 * 40960, .hidden = 40960, .replicas = 128};
  const auto [wide, whole] = exposed(of, 2 * 6.0 * 40960 * 2);
  CHECK(wide.host.base() == doctest::Approx(2 * 128 * (2 * 6 * 11e-6 + 12 * 13e-6)));
  CHECK((wide.kept - whole).base() == doctest::Approx(2 * 6 * 128 * 14e-6 + 128 * 11e-6));
}

TEST_CASE("GPUs beyond the end of a short tensor copy nothing of it") {
  // Tensors of 32 elements on 128 GPUs: 6 x 32 entries, and 96 and 128 of the longer ones.
  const ListedLayers of{.layers = 1, .parameters = 12.0 * 32 * 32, .hidden = 32, .replicas = 128};
  const auto [few, whole] = exposed(of, 13.0 * 32 * 2);
  CHECK((few.kept - whole).base() == doctest::Approx((6 * 32 + 96 + 128) * 14e-6 + 128 * 11e-6));
}
