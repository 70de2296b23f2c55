// A measured box as a GPU model, on made-up samples: no speed of any real device is claimed here.
#include "calibrate/box/box_fit.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "calibrate/box/box_review.hpp"
#include "calibrate/gpu/gpu_experiments.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/rates_of.hpp"
#include "sim/base/random.hpp"
#include "sim/json/reader.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

using P = KernelParameter;

const Catalog& catalog() {
  static const Catalog all = Catalog::builtin();
  return all;
}

KernelParameters truth() {
  KernelParameters p = expected_parameters();
  p[P::peak_fraction] = 0.71;
  p[P::launch] = 4.2;
  p[P::bandwidth_fraction] = 0.83;
  return p;
}

Measurement measured(const NamedTask& task, double seconds) {
  Measurement m;
  m.id = task.id;
  m.kind = task.kind;
  m.device = "gpu0";
  for (const auto& [key, value] : task.task.numbers) m.numbers[key] = static_cast<double>(value);
  m.labels = {{"precision", task.task.precision}, {"pattern", task.task.pattern}};
  m.amount = task.amount;
  m.amount_unit = task.amount_unit;
  m.samples.assign(9, seconds);
  return m;
}

/// What `calibrate run` would write on a GPU that behaves exactly as the model with `truth()`, but for noise
/// of two per cent.
Box made_up_box() {
  Box box;
  box.program = "t";
  box.date = "2024-05-01";
  box.effort = "default";
  box.complete = true;
  box.gpus.push_back({"NVIDIA A100-SXM4-80GB",
                      "8.0",
                      "550",
                      "12.4",
                      {{"cublas", "12.4"}},
                      108,
                      Bytes{80e9},
                      Bytes{40e6},
                      Bandwidth{2.04e12},
                      1410});
  std::vector<NamedTask> tasks = gemm_tasks({"fp32", "fp16", "fp64", "fp3"}, 108, Effort::standard);
  for (const NamedTask& t : vector_tasks(Effort::standard)) tasks.push_back(t);
  for (const NamedTask& t : tasks) box.measurements.push_back(measured(t, 1));
  MeasuredDevice device;
  device.rates = gpu_rates(gpu_spec(catalog(), "a100_sxm4_80gb"));
  device.name = device.model = "a100_sxm4_80gb";
  std::vector<std::string> warnings;
  RandomStream noise{5, "made-up box"};
  for (const MeasuredKernel& k : box_kernels(box, device, warnings).kernels) {
    CHECK_FALSE(contains(k.where, "/fp3/"));  // no precision, so no model stands in for it
    const double factor = std::exp(0.02 * (noise.uniform() + noise.uniform() + noise.uniform() - 1.5) * 2);
    for (Measurement& m : box.measurements)
      if (m.id == k.where) m.samples.assign(9, factor * kernel_time(k.call, device.rates, truth()).total);
  }
  return box;
}

TEST_CASE("a fit of a box recovers the parameters that made it within their intervals") {
  const BoxFit fit = fit_box(catalog(), made_up_box(), {});
  CHECK(fit.gpu == "a100_sxm4_80gb");
  CHECK(contains(fit.warnings.front(), "no model has"));  // fp64, fp3
  bool gemm = false, norm = false;
  for (const KernelFit& f : fit.fits) {
    CAPTURE(std::string{to_string(f.key.kind)});
    CHECK(f.residuals.median_abs < 0.05);
    gemm = gemm || (f.key.kind == KernelClass::gemm && f.key.arithmetic == Arithmetic::fp32);
    norm = norm || f.key.kind == KernelClass::norm;
    for (const P p : {P::peak_fraction, P::launch, P::bandwidth_fraction}) {
      if (!uses(f.key.kind, f.key.arithmetic, p)) continue;
      const double off = std::abs(std::log(f.parameters[p] / truth()[p]));
      CAPTURE(std::string{info(p).name});
      // Three standard errors, and what two per cent of noise leave open at least.
      CHECK(off < 3 * f.relative_sigma[p] + 0.02);
    }
  }
  CHECK(gemm);
  CHECK(norm);
}

TEST_CASE("the device document serves its own GPU before everything shipped") {
  const BoxFit fit = fit_box(catalog(), made_up_box(), {});
  GpuModelLibrary library = GpuModelLibrary::builtin();
  const GpuRates gpu = gpu_rates(gpu_spec(catalog(), "a100_sxm4_80gb"));
  library.add(parse_json(fit.text, "device.json"));
  const KernelChoice own =
      library.choose(gpu, KernelClass::gemm, Arithmetic::fp32, LibraryGeneration::cudnn7);
  CHECK(own.model == "a100_sxm4_80gb");
  CHECK(own.borrowed_sigma == 0);
  CHECK(own.parameters[P::peak_fraction] == doctest::Approx(0.71).epsilon(0.05));
  // What the box did not measure still comes from the shipped fits.
  CHECK(library.choose(gpu, KernelClass::recurrent_forward, Arithmetic::fp32, LibraryGeneration::cudnn7)
            .model != "a100_sxm4_80gb");
  CHECK(contains(error_text([&] { library.add(parse_json("{\"format\": \"rackcast-box\"}", "b")); }),
                 "holds no GPU model"));
}

TEST_CASE("all-reduces of the box become curves, those of most GPUs first") {
  Box box = made_up_box();
  const auto add = [&](const std::vector<NamedTask>& tasks) {
    for (const NamedTask& t : tasks) box.measurements.push_back(measured(t, 1e-5 + t.amount / 1e11));
  };
  add(collective_tasks(8, Effort::quick));
  add(node_collective_tasks({8, 8}, Effort::quick));
  box.measurements.back().samples.assign(9, 1);  // an all-to-all: of no model
  const Json document = parse_json(fit_box(catalog(), box, {}).text, "device.json");
  const std::vector<Json>& curves = document.require("collectives").array();
  REQUIRE(curves.size() == 4);  // 16 on 2 nodes; 8, 4 and 2 on one
  CHECK(curves[0].require("gpus").integer() == 16);
  CHECK(curves[0].require("nodes").integer() == 2);
  CHECK(curves[1].require("gpus").integer() == 8);
  CHECK(curves[0].require("points").array().size() == 4);
  // 4096 B / 100 GB/s + 10 us
  CHECK(curves[0].require("points").array()[0].require("time").string() == "10.041 us");
  GpuModelLibrary::builtin().add(document);
  for (Measurement& m : box.measurements)
    if (m.kind == "gpu_collective" && m.numbers["bytes"] > 1e9) m.conditions.throttle = {"power cap"};
  CHECK(fit_box(catalog(), box, {}).text.find("collectives") == std::string::npos);
}

TEST_CASE("boxes that cannot be fitted say why") {
  Box box = made_up_box();
  box.gpus.front().name = "Mystery GPU";
  CHECK(contains(error_text([&] { fit_box(catalog(), box, {}); }), "--gpu"));
  CHECK(fit_box(catalog(), box, {.gpu = "a100_sxm4_80gb", .with = {}}).fits.size() > 2);
  CHECK(contains(error_text([&] { fit_box(catalog(), box, {.gpu = "a100_sxm4_80gb", .with = {"nothing"}}); }),
                 "no shipped measurements"));
  for (Measurement& m : box.measurements) m.conditions.throttle = {"hardware thermal slowdown"};
  CHECK(contains(error_text([&] { fit_box(catalog(), box, {.gpu = "a100_sxm4_80gb", .with = {}}); }),
                 "no kernel class"));
  box.gpus.clear();
  CHECK(contains(error_text([&] { fit_box(catalog(), box, {}); }), "no GPU"));
}

std::string words_of(const Box& box) {
  std::string out;
  for (const Finding& f : check_box(box)) out += f.what + "\n";
  return out;
}

Measurement copy_between(int a, int b, double rate) {
  Measurement m;
  m.device = "gpu" + std::to_string(a) + "-gpu" + std::to_string(b);
  m.id = "gpu_peer_copy/" + m.device + "/bytes268435456";
  m.kind = "gpu_peer_copy";
  m.amount = 268435456;
  m.amount_unit = "B";
  m.samples.assign(9, m.amount / rate);
  return m;
}

TEST_CASE("a check names what an operator should look at") {
  Box box;
  box.complete = true;
  box.not_measured.push_back({"GPU matrix products", "built without CUDA"});
  CHECK(contains(words_of(box), "not measured: GPU matrix products: built without CUDA"));
  CHECK(contains(words_of(box), "nothing suspicious"));
  box.measurements = {copy_between(0, 1, 48e9), copy_between(1, 0, 48e9), copy_between(0, 2, 24e9)};
  CHECK(contains(words_of(box), "gpu_peer_copy/gpu0-gpu2/bytes268435456: 24 GB/s, and gpu"));
  CHECK(check_box(box).front().weight == Finding::Weight::fault);
  box.measurements[2] = copy_between(0, 2, 47e9);
  CHECK(contains(words_of(box), "nothing suspicious"));
  box.measurements[0].conditions.throttle = {"power cap"};
  box.measurements[1].conditions.load = 1.5;
  box.measurements[2].conditions.clock_drop = 0.2;
  const std::string words = words_of(box);
  CHECK(contains(words, "slowed down by the device: power cap"));
  CHECK(contains(words, "beside other work"));
  CHECK(contains(words, "clock fall"));
  box.measurements[0].samples = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  CHECK(contains(words_of(box), "are noisy"));
  box.not_measured.push_back({"gpu_gemm/x", "wrong result, so its time means nothing: element 3 is 0"});
  CHECK(check_box(box).front().weight == Finding::Weight::fault);
}

TEST_CASE("a difference counts only beyond noise and three per cent") {
  Box a, b;
  a.measurements = {copy_between(0, 1, 48e9), copy_between(1, 0, 48e9), copy_between(0, 2, 48e9)};
  b.measurements = {copy_between(0, 1, 47.5e9), copy_between(1, 0, 24e9), copy_between(2, 0, 48e9)};
  b.host.cpu_model = "Other CPU";
  const BoxDifference d = compare_boxes(a, b);
  REQUIRE(d.changes.size() == 2);
  CHECK(d.changes[0].id == "gpu_peer_copy/gpu1-gpu0/bytes268435456");
  CHECK(d.changes[0].significant);
  CHECK(d.changes[0].ratio == doctest::Approx(0.5));
  CHECK_FALSE(d.changes[1].significant);
  CHECK(d.only_a.size() == 1);
  CHECK(d.only_b.size() == 1);
  CHECK(d.facts.size() == 1);
}

}  // namespace
}  // namespace rackcast
