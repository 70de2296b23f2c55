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

TEST_CASE("four ranks of one socket pass an all-reduce of GPU memory through one core each") {
  // New pages for two buffers and two copies before, one copy after: 5 * 400 MB at 4 GB/s = 0.5 s. Each rank
  // sends 2 * 3/4 of 400 MB to its node and receives as much. It copies both, in and out of shared memory,
  // and adds half of what it receives: (1.5 + 1.5 + 0.75) * 0.1 s.
  const double time = all_reduce("openmpi_cuda", 4, 400e6).base();
  CHECK(time > 0.5 + 0.375);
  CHECK(time < 0.5 + 0.375 + 0.001);  // latencies
}

TEST_CASE("a ring that never leaves the GPUs needs none of these copies") {
  CHECK(all_reduce("mpi_cuda_aware", 4, 400e6).base() < all_reduce("openmpi_cuda", 4, 400e6).base() / 5);
}
