// An all-reduce curve against the model of the same machine.
#include <doctest/doctest.h>

#include <cmath>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/base/atomic_file.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "tests/unit/sim/temporary_folder.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {
namespace {

const Catalog& catalog() {
  static const Catalog all = Catalog::builtin();
  return all;
}

Cluster dgx1v() {
  return make_cluster(catalog(), node_spec(catalog(), "dgx1v_16gb"), {});
}

/// Times of the model with latency and load multiplied, at 1 kB to 256 MB.
std::vector<CurvePoint> curve(const Cluster& cluster, double latency, double load) {
  CommModel model{cluster, {}};
  std::vector<CurvePoint> out;
  for (double size = 1024; size < 3e8; size *= 4) {
    const Duration all = model.time(Collective::all_reduce, Bytes{size});
    const Duration fixed = model.plan(Collective::all_reduce, Bytes{size}).latency();
    out.push_back({Bytes{size}, latency * fixed + load * (all - fixed)});
  }
  return out;
}

TEST_CASE("a refinement finds the factors that a curve was made with") {
  const Cluster cluster = dgx1v();
  const CommRefinement same = refine(cluster, {}, curve(cluster, 1, 1));
  CHECK(same.latency == doctest::Approx(1));
  CHECK(same.load == doctest::Approx(1));
  CHECK(same.log_sigma < 1e-6);
  const CommRefinement slow = refine(cluster, {}, curve(cluster, 1.5, 2));
  // The prior draws by its weight: (0.1 / 1)^2 of a point.
  CHECK(slow.latency == doctest::Approx(1.5).epsilon(0.01));
  CHECK(slow.load == doctest::Approx(2).epsilon(0.01));
  CommSpec refined;
  refined.refined = slow;
  CommModel before{cluster, {}}, after{cluster, refined};
  const double ratio = after.time(Collective::all_reduce, Bytes{268435456}) /
                       before.time(Collective::all_reduce, Bytes{268435456});
  CHECK(ratio == doctest::Approx(2).epsilon(0.02));
  CHECK(after.log_sigma() == slow.log_sigma);
  CHECK(contains(error_text([&] { refine(cluster, {}, {}); }), "at least four sizes"));
}

TEST_CASE("large sizes alone leave the latency at the model's") {
  const Cluster cluster = dgx1v();
  std::vector<CurvePoint> large = curve(cluster, 1, 1.25);
  large.erase(large.begin(), large.end() - 4);
  const CommRefinement r = refine(cluster, {}, large);
  CHECK(r.load == doctest::Approx(1.25).epsilon(0.05));
  CHECK(std::abs(std::log(r.latency)) < 0.7);
}

TEST_CASE("a scenario's own curve slows its exchange, and only that of machines like it") {
  const TemporaryFolder folder;
  const auto points_of = [&](double load) {
    const Cluster cluster = dgx1v();
    std::string points;
    for (const CurvePoint& p : curve(cluster, 1, load))
      points += (points.empty() ? "" : ", ") + std::string{"{\"size\": \""} + std::to_string(p.size.base()) +
                " B\", \"time\": \"" + std::to_string(p.time.base() * 1e6) + " us\"}";
    return "{\"operation\": \"all_reduce\", \"gpus\": 8, \"nodes\": 1, \"gpu\": \"v100_sxm2_16gb\", "
           "\"points\": [" +
           points + "]}";
  };
  const auto write_curve = [&](double load) {
    write_file_atomically(
        folder / "curve.json",
        R"({"format": "rackcast-import", "version": 1, "kind": "nccl-tests", "collective": )" +
            points_of(load) + "}");
  };
  const auto scenario = [&](const std::string& calibration, int nodes) {
    write_file_atomically(folder / "s.json",
                          R"({"name": "x", "data": {"samples": 1000000}, )" + calibration +
                              R"("workloads": [{"model": "vgg16", "epochs": 1, "batch_per_gpu": 16}],
      "cluster": {"node": "dgx1v_16gb", "nodes": )" +
                              std::to_string(nodes) + "}}");
    return simulate(load_scenario(folder / "s.json"), catalog(), nullptr, {});
  };
  const auto time = [](const Result& r) {
    return r.workloads.front().prediction.step_time.value;
  };
  const std::string own = R"("calibration": ["curve.json"], )";
  write_curve(8);
  CHECK(time(scenario(own, 1)) > 1.05 * time(scenario("", 1)));
  CHECK(time(scenario(own, 2)) == time(scenario("", 2)));  // one node says nothing of two
  write_curve(1);
  CHECK(time(scenario(own, 1)) == doctest::Approx(time(scenario("", 1))).epsilon(0.01));
  // The same from a fitted box; of several curves that of as many GPUs counts.
  std::string four = points_of(1);
  four.replace(four.find("\"gpus\": 8"), 9, "\"gpus\": 4");
  write_file_atomically(folder / "device.json",
                        R"({"format": "rackcast-device", "version": 1, "model": "v100_sxm2_16gb",
      "architecture": "volta", "source": "t", "kernels": [], "collectives": [)" +
                            four + ", " + points_of(8) + "]}");
  CHECK(time(scenario(R"("calibration": "device.json", )", 1)) > 1.05 * time(scenario("", 1)));
  CHECK(contains(error_text([&] { scenario(R"("calibration": "s.json", )", 1); }), "not a calibration"));
}

}  // namespace
}  // namespace rackcast
