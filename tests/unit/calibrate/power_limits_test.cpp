// Power limits of boards, from products that were measured at them.
#include "calibrate/fit/power_limits.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "calibrate/fit/parameter_file.hpp"
#include "calibrate/tables/data_files.hpp"
#include "models/gpu/model_library.hpp"
#include "models/gpu/rates_of.hpp"
#include "sim/base/error.hpp"
#include "sim/base/random.hpp"
#include "sim/json/reader.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

using P = KernelParameter;

/// 100 TFLOP/s in 16 bits, 200 in 8 bits, 2 TB/s and 400 W on 100 multiprocessors.
MeasuredDevice device(const std::string& name, const std::string& architecture) {
  MeasuredDevice d;
  d.name = d.rates.name = d.model = name;
  d.rates.architecture = architecture;
  d.rates.sm_count = 100;
  d.rates.fp16_tensor = FlopRate{100e12};
  d.rates.fp8_tensor = FlopRate{200e12};
  d.rates.memory = Bandwidth{2e12};
  d.rates.l2 = Bytes{40e6};
  d.rates.tdp = Power{400};
  return d;
}

KernelParameters truth(double power_fraction, double traffic_power) {
  KernelParameters out = expected_parameters();
  out[P::power_fraction] = power_fraction;
  out.traffic_power = traffic_power;
  return out;
}

void add_products(KernelData& data, std::vector<MeasuredKernel>& rows, std::size_t device,
                  Arithmetic arithmetic, const KernelParameters& parameters, double smallest, int count) {
  RandomStream random{11, "products at the limit"};
  for (int i = 0; i < count; ++i) {
    MeasuredKernel k;
    k.device = device;
    k.call.kind = KernelClass::gemm;
    k.call.arithmetic = arithmetic;
    k.call.element_bytes = arithmetic == Arithmetic::tensor ? 2 : 1;
    k.call.result_bytes = 2;
    k.call.peak = peak_of(data.devices[device].rates, arithmetic);
    const auto side = [&] {
      return std::floor(std::exp(random.uniform(std::log(smallest), std::log(9000.0))));
    };
    k.call.matrix = {side(), side(), side(), 1};
    k.shape = std::to_string(i);
    k.seconds =
        kernel_time(k.call, data.devices[device].rates, parameters).total * std::exp(0.02 * random.normal());
    rows.push_back(std::move(k));
  }
}

constexpr double no_limit = 10;  // of the peak

void add_bursts(KernelData& data, std::size_t device, Arithmetic arithmetic) {
  add_products(data, data.kernels, device, arithmetic, truth(no_limit, 0), 16, 150);
}

void add_sustained(KernelData& data, std::size_t device, Arithmetic arithmetic, double fraction,
                   double traffic) {
  add_products(data, data.sustained, device, arithmetic, truth(fraction, traffic), 1000, 60);
}

const KernelFit& find(const std::vector<KernelFit>& fits, const std::string& model, Arithmetic arithmetic) {
  for (const KernelFit& fit : fits)
    if (fit.key.model == model && fit.key.arithmetic == arithmetic) return fit;
  FAIL("no such fit");
  return fits.front();
}

}  // namespace

TEST_CASE("a product takes at least the energy of its arithmetic and its bytes over the board's power") {
  const GpuRates gpu = device("board", "Hopper").rates;
  KernelCall call;
  call.kind = KernelClass::gemm;
  call.arithmetic = Arithmetic::tensor;
  call.element_bytes = 2;
  call.peak = gpu.fp16_tensor;
  call.matrix = {8192, 8192, 512, 1};
  // A tenth of the peak is far below what the tiles reach: the energy alone counts.
  // 2 x 8192^2 x 512 / (100e12 x 0.1) = 6.872 ms; 2 (2 x 8192 x 512 + 8192^2) x 0.5 / 2e12 = 37.7 us
  const KernelParameters limited = truth(0.1, 0.5);
  CHECK(kernel_time(call, gpu, limited).total ==
        doctest::Approx(6.8719e-3 + 37.749e-6 + limited[P::launch] * 1e-6).epsilon(1e-4));
}

TEST_CASE("products at the limit say where it is, and nothing else") {
  KernelData data;
  data.devices = {device("board", "Hopper")};
  add_bursts(data, 0, Arithmetic::tensor);
  const KernelFit bursts = fit_kernels(data, fit_keys(data).at(0));
  add_sustained(data, 0, Arithmetic::tensor, 0.45, 0.6);
  const KernelFit fit = fit_kernels(data, fit_keys(data).at(0));
  CHECK(fit.power_limit.rows == 60);
  CHECK(fit.parameters[P::power_fraction] == doctest::Approx(0.45).epsilon(0.03));
  CHECK(fit.parameters.traffic_power == doctest::Approx(0.6).epsilon(0.25));
  CHECK(fit.power_limit.fitted.median_abs < 0.03);
  CHECK(fit.power_limit.bursts.median_abs > 0.2);
  CHECK(bursts.parameters.traffic_power == 0);
  CHECK_FALSE(bursts.power_limit.known());
  CHECK(fit.residuals.median_abs == bursts.residuals.median_abs);
  for (std::size_t i = 0; i < kernel_parameter_count; ++i)
    if (i != static_cast<std::size_t>(P::power_fraction))
      CHECK(fit.parameters.values[i] == bursts.parameters.values[i]);
}

TEST_CASE("siblings lend their energies, and an arithmetic that none of them has its ratio to 16 bits") {
  KernelData data;
  data.devices = {device("one", "Hopper"), device("twin", "Hopper"), device("half", "Hopper"),
                  device("next", "Blackwell")};
  data.devices[1].rates.tdp = Power{100};
  data.devices[2].rates.fp16_tensor = FlopRate{50e12};  // matrix units of another kind
  for (const std::size_t board : {0U, 1U, 2U, 3U}) add_bursts(data, board, Arithmetic::tensor);
  for (const std::size_t board : {0U, 3U}) add_bursts(data, board, Arithmetic::fp8);
  add_sustained(data, 0, Arithmetic::tensor, 0.4, 0.5);
  add_sustained(data, 3, Arithmetic::tensor, 0.5, 0.5);
  add_sustained(data, 3, Arithmetic::fp8, 0.4, 0.5);
  const std::vector<KernelFit> fits = fit_all(data);
  const KernelFit& one = find(fits, "one", Arithmetic::tensor);
  // A quarter of the watts: half of the rate, and four times the share for a byte.
  const KernelFit& twin = find(fits, "twin", Arithmetic::tensor);
  CHECK(twin.power_limit.lenders == std::vector<std::string>{"one"});
  CHECK(twin.parameters[P::power_fraction] == doctest::Approx(one.parameters[P::power_fraction] / 2));
  CHECK(twin.parameters.traffic_power == doctest::Approx(4 * one.parameters.traffic_power));
  CHECK_FALSE(find(fits, "half", Arithmetic::tensor).power_limit.known());
  // 0.4 x 200 TFLOP/s in 8 bits beside 0.5 x 100 in 16 bits: 1.6 times the rate for the same watts.
  const KernelFit& narrow = find(fits, "one", Arithmetic::fp8);
  CHECK(narrow.power_limit.lenders == std::vector<std::string>{"next"});
  CHECK(narrow.parameters[P::power_fraction] == doctest::Approx(0.4 * 100 * 1.6 / 200).epsilon(0.05));
  CHECK(narrow.parameters.traffic_power == doctest::Approx(one.parameters.traffic_power));
}

TEST_CASE("two lenders count by their geometric mean, and a board without known watts takes it as it is") {
  KernelData data;
  data.devices = {device("one", "Hopper"), device("two", "Hopper"), device("third", "Hopper")};
  data.devices[2].rates.tdp = Power{0};
  for (const std::size_t board : {0U, 1U, 2U}) add_bursts(data, board, Arithmetic::tensor);
  add_sustained(data, 0, Arithmetic::tensor, 0.3, 0.5);
  add_sustained(data, 1, Arithmetic::tensor, 0.5, 0.5);
  const std::vector<KernelFit> fits = fit_all(data);
  const KernelFit& third = find(fits, "third", Arithmetic::tensor);
  CHECK(third.power_limit.lenders == std::vector<std::string>{"one", "two"});
  CHECK(third.parameters[P::power_fraction] == doctest::Approx(std::sqrt(0.3 * 0.5)).epsilon(0.03));
}

TEST_CASE("products that were repeated at the limit are met by the limit that was fitted on them") {
  const KernelData data = load_kernel_data(shipped_data_files());
  struct Expected {
    const char* model;
    Arithmetic arithmetic;
    double least_bias, most_error;  ///< ln of the times over those of bursts; median error of the fit
  };
  // The two backends of a GB200 in 16 bits differ by 20 %, and so do its bursts: there is no bias.
  for (const Expected& e : {Expected{"h200", Arithmetic::tensor, 0.04, 0.05},
                            {"b200", Arithmetic::tensor, 0.05, 0.03},
                            {"b200", Arithmetic::fp4, 0.05, 0.08},
                            {"gb200", Arithmetic::tensor, 0, 0.1},
                            {"gb200", Arithmetic::fp8, 0.1, 0.04},
                            {"gb200", Arithmetic::fp4, 0.05, 0.08}}) {
    CAPTURE(e.model);
    CAPTURE(to_string(e.arithmetic));
    const KernelFit fit =
        fit_kernels(data, {e.model, KernelClass::gemm, e.arithmetic, LibraryGeneration::cudnn8});
    CHECK(fit.power_limit.rows >= 40);
    CHECK(fit.power_limit.bursts.quantiles.at(2) > e.least_bias);
    CHECK(std::abs(fit.power_limit.fitted.quantiles.at(2)) < 0.05);
    CHECK(fit.power_limit.fitted.median_abs < e.most_error);
    CHECK(fit.power_limit.fitted.median_abs <= 1.01 * fit.power_limit.bursts.median_abs);
  }
}

TEST_CASE("the shipped limits that were lent are what the lenders' measurements give") {
  KernelData data = load_kernel_data(shipped_data_files());
  std::erase_if(data.kernels, [&](const MeasuredKernel& k) {
    const std::string& model = data.devices[k.device].model;
    return k.call.kind != KernelClass::gemm || (model != "h200" && model != "gb200" && model != "b300");
  });
  const std::vector<KernelFit> fits = fit_all(data);
  // Without the B200's rows: the GB200 alone lends in 8 bits.
  for (const std::string model : {"h200", "b300"}) {
    CAPTURE(model);
    const KernelFit& fit = find(fits, model, Arithmetic::fp8);
    const std::string text = kernels_text(data, {&fit});
    CHECK(text.find("\"lent_by\": [\"gb200\"]") != std::string::npos);
    const std::string limit = text.substr(text.find("\"power_limit\""), 40);
    const std::string fraction = text.substr(text.find("\"power_fraction\""), 25);
    std::ifstream in{std::filesystem::path{RACKCAST_SOURCE_DIR} / "models/data/gpu_models" /
                     (model + ".json")};
    std::ostringstream shipped;
    shipped << in.rdbuf();
    CHECK(shipped.str().find(limit) != std::string::npos);
    CHECK(shipped.str().find(fraction) != std::string::npos);
  }
}

TEST_CASE("convolutions have the limit of the products of their GPU") {
  const GpuModelLibrary library = GpuModelLibrary::builtin();
  const GpuRates gpu = gpu_rates(gpu_spec(Catalog::builtin(), "h100_sxm5"));
  const auto choose = [&](KernelClass kind) {
    return library.choose(gpu, kind, Arithmetic::tensor, LibraryGeneration::cudnn8).parameters;
  };
  const KernelParameters products = choose(KernelClass::gemm), maps = choose(KernelClass::conv_forward);
  CHECK(products.traffic_power > 0.1);
  CHECK(maps.traffic_power == products.traffic_power);
  CHECK(maps.power_share == products[P::power_fraction]);
}

namespace {

std::string device_document(const std::string& arithmetic, const std::string& limit) {
  return R"({"format": "rackcast-device", "version": 1, "source": "made up", "model": "h200_sxm",
    "architecture": "Hopper", "kernels": [{"class": "gemm", "arithmetic": ")" +
         arithmetic + R"(", "library": "cudnn8",)" + limit +
         R"("parameters": {"peak_fraction": 0.9, "operand_cost": 30, "prologue_depth": 20, "latency_warps": 4,
      "launch": "3 us", "bandwidth_fraction": 0.8, "cache_ratio": 3, "split": "5 us")" +
         (arithmetic == "tensor" ? R"(, "power_fraction": 0.95)" : "") +
         R"(}, "held_out": {"log_sigma": 0.05}}]})";
}

}  // namespace

TEST_CASE("a user's own bursts leave the limit that was measured on the same GPU in place") {
  const GpuRates gpu = gpu_rates(gpu_spec(Catalog::builtin(), "h200_sxm"));
  const auto choose = [&](const GpuModelLibrary& library) {
    return library.choose(gpu, KernelClass::gemm, Arithmetic::tensor, LibraryGeneration::cudnn8).parameters;
  };
  const KernelParameters shipped = choose(GpuModelLibrary::builtin());
  GpuModelLibrary bursts = GpuModelLibrary::builtin();
  bursts.add(parse_json(device_document("tensor", ""), "device.json"));
  const KernelParameters own = choose(bursts);
  CHECK(own[P::peak_fraction] == 0.9);
  CHECK(own[P::power_fraction] == doctest::Approx(shipped[P::power_fraction]));
  CHECK(own.traffic_power == doctest::Approx(shipped.traffic_power));
  GpuModelLibrary at_limit = GpuModelLibrary::builtin();
  at_limit.add(parse_json(device_document("tensor", R"("power_limit": {"traffic": 0.2},)"), "device.json"));
  CHECK(choose(at_limit)[P::power_fraction] == 0.95);
  CHECK(choose(at_limit).traffic_power == 0.2);
}

TEST_CASE("a limit with a key that nobody knows, or of kernels that have none, is refused in its place") {
  const auto refused = [](const std::string& arithmetic, const std::string& limit) {
    GpuModelLibrary library = GpuModelLibrary::builtin();
    try {
      library.add(parse_json(device_document(arithmetic, limit), "device.json"));
    } catch (const Error& e) {
      CHECK(e.where().file == "device.json");
      CHECK(e.where().line > 1);
      return std::string{e.what()};
    }
    return std::string{"accepted"};
  };
  CHECK(refused("tensor", R"("power_limit": {"traffic": 0.2, "rwos": 3},)").find("rwos") !=
        std::string::npos);
  CHECK(refused("tensor", R"("power_limit": {"rows": 3},)").find("traffic") != std::string::npos);
  CHECK(refused("tensor", R"("power_limit": {"traffic": -1},)").find("accepted") == std::string::npos);
  CHECK(refused("fp32", R"("power_limit": {"traffic": 0.2},)").find("no power limit") != std::string::npos);
}

}  // namespace rackcast
