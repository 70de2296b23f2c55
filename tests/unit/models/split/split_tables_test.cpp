// Embedding tables split over GPUs.
#include "models/split/split_tables.hpp"

#include <doctest/doctest.h>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/gpu/lowering.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/memory/memory.hpp"
#include "models/networks/workload.hpp"
#include "topologies/catalog/catalog.hpp"

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
  // Without a kernel of its own, in the precision of the run.
  const auto apart = lower(op, Pass::forward, 100, Precision::int8, gpu, {});
  REQUIRE(apart.size() == 1);
  CHECK(apart[0].moved_bytes == doctest::Approx(100 * 128 * (rows + vectors)));
  const auto written = lower(op, Pass::weight_gradient, 100, Precision::mixed, gpu, {});
  CHECK(written[0].moved_bytes == doctest::Approx(100 * 128 * (4 * rows + 2 * vectors)));
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
  CHECK(near.time().base() == doctest::Approx(2 * inside.time(Collective::all_to_all, vectors).base()));
  const TableExchange far = table_exchange(four, {}, dlrm, 1000, Precision::mixed);
  CHECK(far.time() > near.time());
  // No faster than the ports: three quarters of the vectors leave the node, each way.
  const double port = 25e9;
  CHECK((far.time() - near.time()).base() > 2 * 0.75 * vectors.base() / port);
}

TEST_CASE("bytes of the exchange, by hand") {
  const Catalog catalog = Catalog::builtin();
  const NodeSpec node = node_spec(catalog, "dgx_a100_640gb");
  const Cluster four = make_cluster(catalog, node, {.nodes = 4, .fabric = {}});
  const Workload dlrm = load_workload("dlrm");
  const TableExchange exchange = table_exchange(four, {}, dlrm, 1000, Precision::mixed);
  // 1,000 samples x 11 large tables x 128 values of 2 bytes.
  CHECK(exchange.vectors.base() == 1000.0 * 11 * 128 * 2);
  // 8 GPUs of a node, three quarters of their vectors are for other nodes, forward and back.
  CHECK(exchange.sent_by_node.base() == 2 * 8 * 0.75 * 2816000);
  CHECK(table_exchange(four, {}, dlrm, 1000, Precision::fp32).vectors.base() == 2 * 2816000.0);
}

TEST_CASE("one GPU exchanges nothing") {
  const Catalog catalog = Catalog::builtin();
  const Cluster one =
      make_cluster(catalog, node_spec(catalog, "dgx_h200"), {.nodes = 1, .fabric = {}, .gpus = 1});
  const TableExchange none = table_exchange(one, {}, load_workload("dlrm"), 1000, Precision::mixed);
  CHECK(none.time() == Duration{0});
  CHECK(none.sent_by_node == Bytes{0});
}

TEST_CASE("memory of tables is divided over the GPUs, with the state of their optimizer") {
  const Workload dlrm = load_workload("dlrm"), dcn = load_workload("dlrm-dcnv2");
  const double rows = static_cast<double>(tables_of(dlrm, false).shape.k);
  // SGD keeps the fp32 values alone: 187.7 million rows of 512 bytes.
  CHECK(rows == 39884406 + 39043 + 17289 + 20263 + 38532951 + 2953546 + 403346 + 39979771 + 25641295 +
                    39664984 + 585935);
  CHECK(table_memory(dlrm).base() == rows * 512);
  const MemoryOptions on_eight{.batch = 0, .precision = Precision::mixed, .table_ways = 8};
  CHECK(training_memory(dlrm, on_eight).tables.base() == doctest::Approx(rows * 512 / 8));
  // Adagrad keeps a sum of squares beside each value.
  CHECK(table_memory(dcn).base() == static_cast<double>(tables_of(dcn, false).shape.k) * 1024);
  // What is not large is as in a network without large tables.
  const MemoryUse rest =
      training_memory(with_split_tables(dlrm), {.batch = 0, .precision = Precision::mixed});
  CHECK(training_memory(dlrm, on_eight).gradients == rest.gradients);
  CHECK(training_memory(dlrm, on_eight).optimizer == rest.optimizer);
  // Copied, every GPU holds weights, gradients and momentum of everything: 6 + 6 + 4 bytes.
  const MemoryUse copied = training_memory(dlrm, {.batch = 0, .precision = Precision::mixed});
  CHECK(copied.tables == Bytes{0});
  CHECK((copied.total() - copied.reserve).base() == doctest::Approx(16 * dlrm.parameters()));
}

TEST_CASE("the least GPUs for the tables hold them, and one less does not") {
  const Workload dlrm = load_workload("dlrm");
  const MemoryOptions options{.batch = 6912, .precision = Precision::mixed};
  for (const double gigabytes : {16.0, 40.0, 80.0}) {
    const Bytes available{gigabytes * 1e9};
    const double least = gpus_for_tables(dlrm, options, available).value();
    const auto with = [&](double gpus) {
      MemoryOptions of = options;
      of.table_ways = gpus;
      return training_memory(dlrm, of).total();
    };
    CHECK(with(least) <= available);
    CHECK(with(least - 1) > available);
  }
  CHECK(gpus_for_tables(dlrm, options, Bytes{141e9}) == 1);
  CHECK_FALSE(gpus_for_tables(dlrm, options, Bytes{0.5e9}));  // driver and dense part alone take more
}

namespace {

/// DLRM in HugeCTR on one kind of GPU, 1,000 samples on each.
struct Recommender {
  explicit Recommender(const NodeSpec& node)
      : gpu{GpuCostModel::create(gpu_rates(node.gpu), profile.lowering(), kernels)} {}
  [[nodiscard]] TrainingSpec spec() const {
    TrainingSpec out;
    out.workload = &network;
    out.gpu = &gpu;
    out.framework = &profile;
    out.batch_per_gpu = 1000;
    out.precision = Precision::mixed;
    return out;
  }

  Workload network = load_workload("dlrm");
  FrameworkProfile profile = framework_profile({.name = "hugectr", .version = ""});
  GpuModelLibrary kernels = GpuModelLibrary::builtin();
  GpuCostModel gpu;
};

}  // namespace

TEST_CASE("a step with split tables has their exchange as a part of its own, and copied ones have none") {
  const Catalog catalog = Catalog::builtin();
  const NodeSpec node = node_spec(catalog, "dgx_a100_640gb");
  const Cluster two = make_cluster(catalog, node, {.nodes = 2, .fabric = {}});
  const Recommender dlrm{node};
  TrainingSpec spec = dlrm.spec();
  const TrainingRun split = train(two, spec);
  const StepParts& p = split.parts;
  const Duration exchange = table_exchange(two, {}, dlrm.network, 1000, Precision::mixed).time();
  CHECK(p.table_exchange.base() == doctest::Approx(exchange.base()).epsilon(1e-8));  // whole picoseconds
  const Duration sum = p.input_wait + p.forward + p.backward + p.straggler_wait + p.exchange_wait +
                       p.table_exchange + p.optimizer;
  CHECK(sum.base() == doctest::Approx(p.total.base()));
  spec.copied_tables = true;
  const TrainingRun copied = train(two, spec);
  CHECK(copied.parts.table_exchange == Duration{0});
  // 96 GB of gradients are reduced: at 200 GB/s of a node's ports no less than a tenth of a second.
  CHECK(copied.parts.exchange_wait > Duration{0.1});
}

TEST_CASE("samples go on coming while vectors are exchanged") {
  const Catalog catalog = Catalog::builtin();
  const NodeSpec node = node_spec(catalog, "dgx_a100_640gb");
  const Cluster one = make_cluster(catalog, node, {.nodes = 1, .fabric = {}});
  const Recommender dlrm{node};
  TrainingSpec spec = dlrm.spec();
  spec.input.stored_sample = Bytes{160};
  spec.input.storage = Bandwidth{160e6};  // a million samples a second: a step of 8,000 takes 8 ms
  const TrainingRun run = train(one, spec);
  CHECK(run.parts.total.base() == doctest::Approx(8e-3).epsilon(1e-3));
  CHECK(run.parts.table_exchange > Duration{0});
}
