// A job on a part of a large cluster.
#include <doctest/doctest.h>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "sim/base/error.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {
namespace {

const Catalog& small_job_catalog() {
  static const Catalog all = Catalog::builtin();
  return all;
}

Cluster part_of(int nodes, int gpus) {
  ClusterShape shape;
  shape.nodes = nodes;
  shape.gpus = gpus;
  return make_cluster(small_job_catalog(), node_spec(small_job_catalog(), "gb200_nvl72_rack"), shape);
}

}  // namespace

TEST_CASE("a job of 8 GPUs on 100 racks of 72 is a graph of one rack, not of 7,200 GPUs") {
  const Cluster job = part_of(100, 8);
  CHECK(job.nodes == 100);
  CHECK(job.fabric.nodes == 100);  // switches and cables are those of all racks
  CHECK(job.topology.gpus().size() == 72);
  CHECK(job.ranks.size() == 8);
  // The job is as fast as on a rack of its own.
  const Cluster alone = part_of(1, 8);
  CHECK(CommModel{job, {}}.time(Collective::all_reduce, Bytes{1e8}) ==
        CommModel{alone, {}}.time(Collective::all_reduce, Bytes{1e8}));
  CHECK(part_of(4, 73).topology.gpus().size() == 144);
  CHECK(part_of(4, 288).topology.gpus().size() == 288);
  CHECK_THROWS_WITH_AS(part_of(4, 289), doctest::Contains("289 GPUs of 288"), Error);
}

}  // namespace rackcast
