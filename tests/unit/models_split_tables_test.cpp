// Embedding tables split over GPUs.
#include <doctest/doctest.h>

#include "models/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/gpu_lowering.hpp"
#include "models/gpu_rates_of.hpp"
#include "models/split_tables.hpp"
#include "models/workload.hpp"
#include "topologies/catalog.hpp"

using namespace rackcast;

namespace {

const Operator& tables_of(const Workload& workload, bool copied) {
  for (const Operator& op : workload.operators)
    if (op.kind == "embedding_tables" && op.name.ends_with(".copied") == copied) return op;
  FAIL("no tables");
  return workload.operators.front();
}

}  // namespace

TEST_CASE("large tables are split and have nothing to reduce, small ones are copied") {
  const Workload dlrm = load_workload("dlrm");
  REQUIRE(has_split_tables(dlrm));
  // 11 of the 26 tables have more than 15,625 rows of 128 floats.
  CHECK(tables_of(dlrm, false).shape.rows == 11);
  CHECK(tables_of(dlrm, true).shape.rows == 15);
  const Workload local = with_split_tables(dlrm);
  CHECK(tables_of(local, false).parameters == 0);
  CHECK(tables_of(local, true).parameters == tables_of(dlrm, true).parameters);
  CHECK_FALSE(has_split_tables(local));
  CHECK_FALSE(has_split_tables(load_workload("ncf")));
}

TEST_CASE("several look-ups of a feature are read one by one and written as one vector") {
  const Workload w = load_workload("dlrm-dcnv2");
  const Operator& op = tables_of(w, false);
  CHECK(op.shape.count + tables_of(w, true).shape.count == 214);
  const Catalog catalog = Catalog::builtin();
  const GpuRates gpu = gpu_rates(gpu_spec(catalog, "h100_sxm5"));
  const LoweringOptions fused{.fused_tables = true};
  const auto forward = lower(op, Pass::forward, 100, Precision::mixed, gpu, fused);
  REQUIRE(forward.size() == 1);
  const double rows = static_cast<double>(op.shape.count), vectors = static_cast<double>(op.shape.rows);
  CHECK(forward[0].moved_bytes == doctest::Approx(100 * 128 * (4 * rows + 2 * vectors)));
  const auto backward = lower(op, Pass::weight_gradient, 100, Precision::mixed, gpu, fused);
  CHECK(backward[0].moved_bytes == doctest::Approx(100 * 128 * (8 * rows + 2 * vectors)));
}

TEST_CASE("tables are exchanged twice a step, and over nodes along the rails") {
  const Catalog catalog = Catalog::builtin();
  const NodeSpec node = node_spec(catalog, "dgx_a100_640gb");
  const Cluster one = make_cluster(catalog, node, {.nodes = 1, .fabric = {}});
  const Cluster four = make_cluster(catalog, node, {.nodes = 4, .fabric = {}});
  const Workload dlrm = load_workload("dlrm");
  CommModel inside{one, {}};
  const Bytes vectors{1000.0 * 11 * 128 * 2};
  const TableExchange near = table_exchange(one, {}, dlrm, 1000, Precision::mixed);
  CHECK(near.time.base() == doctest::Approx(2 * inside.time(Collective::all_to_all, vectors).base()));
  const TableExchange far = table_exchange(four, {}, dlrm, 1000, Precision::mixed);
  CHECK(far.time > near.time);
  // No faster than the ports: three quarters of the vectors leave the node, each way.
  const double port = 25e9;
  CHECK((far.time - near.time).base() > 2 * 0.75 * vectors.base() / port);
}
