// What Open MPI does with the memory of a GPU, worked by hand.
#include <doctest/doctest.h>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

Duration all_reduce(const char* transport, int gpus, double bytes) {
  const Catalog catalog = Catalog::builtin();
  const Cluster cluster =
      make_cluster(catalog, node_spec(catalog, "svail_titanx8"), {.fabric = {}, .gpus = gpus});
  CommModel comm{cluster, {.transport = transport}};
  return comm.time(Collective::all_reduce, Bytes{bytes});
}

}  // namespace

TEST_CASE("four ranks of one socket pass an all-reduce of the host through one core each") {
  // Each rank receives 2 * 3/4 of 400 MB from its node and copies it, and adds half of that, at 4 GB/s:
  // (1.5 + 0.75) * 0.1 s = 0.225 s.
  const double bytes = 400e6;
  const double host = all_reduce("mpi", 4, bytes).base();
  CHECK(host > 0.225);
  // Before and after it the payload crosses PCIe; two GPUs share an uplink of 12 GB/s: 2 * 0.4 / 12 = 0.067
  // s.
  CHECK(host < 0.225 + 2 * 0.068);
}

TEST_CASE("given memory of a GPU, Open MPI copies two new buffers before and one after") {
  const double bytes = 400e6;
  const double host = all_reduce("mpi", 4, bytes).base(), gpu = all_reduce("openmpi_cuda", 4, bytes).base();
  // Five passes of 0.1 s in the place of two copies over PCIe.
  CHECK(gpu > 0.225 + 0.5);
  CHECK(gpu < 0.225 + 0.5 + 0.001);
  CHECK(gpu > host + 0.3);
}
