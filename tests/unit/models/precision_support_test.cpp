// Which precisions a GPU supports for which use.
#include "models/gpu/precision_support.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "models/gpu/rates_of.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/gpu_spec.hpp"

using namespace rackcast;

namespace {

std::string supported(const char* gpu, PrecisionUse use) {
  return names_of(supported_precisions(gpu_rates(gpu_spec(Catalog::builtin(), gpu)), use));
}

}  // namespace

TEST_CASE("issue 23, item 3: a GPU supports the precisions whose rates its file states") {
  CHECK(supported("v100_sxm2_16gb", PrecisionUse::training) == "fp32, fp16, mixed");
  CHECK(supported("a100_sxm4_80gb", PrecisionUse::training) == "fp32, tf32, fp16, mixed, bf16");
  CHECK(supported("h100_sxm5", PrecisionUse::training) == "fp32, tf32, fp16, mixed, bf16, fp8");
  CHECK(supported("b200_sxm", PrecisionUse::training) == "fp32, tf32, fp16, mixed, bf16, fp8, fp4");
  CHECK(supported("p100_sxm2", PrecisionUse::training) == "fp32, fp16, mixed");
}

TEST_CASE(
    "issue 23, item 3: no GPU trains in int8, and those with dot products or tensor cores answer requests in "
    "it") {
  const Catalog catalog = Catalog::builtin();
  for (const std::string& id : catalog.ids("gpus"))
    CHECK_FALSE(supports(gpu_rates(gpu_spec(catalog, id)), Precision::int8, PrecisionUse::training));
  CHECK(supported("v100_sxm2_16gb", PrecisionUse::inference) == "fp32, fp16, int8");
  CHECK(supported("p100_sxm2", PrecisionUse::inference) == "fp32, fp16");
  CHECK(supported("titan_x_pascal", PrecisionUse::inference) == "fp32, fp16, int8");
  // 16-bit tensors with products in 32 bits need no 16-bit arithmetic.
  CHECK(supported("k80", PrecisionUse::inference) == "fp32, fp16");
  CHECK(supported("a100_sxm4_80gb", PrecisionUse::inference) == "fp32, tf32, fp16, bf16, int8");
  CHECK(supported("h100_sxm5", PrecisionUse::inference) == "fp32, tf32, fp16, bf16, fp8, int8");
}

TEST_CASE("tokens are generated in 8 and 4 bits where products of that width exist") {
  CHECK(supported("a100_sxm4_80gb", PrecisionUse::generation) == "fp32, fp16, bf16, int8");
  CHECK(supported("h100_sxm5", PrecisionUse::generation) == "fp32, fp16, bf16, fp8, int8");
  CHECK(supported("b200_sxm", PrecisionUse::generation) == "fp32, fp16, bf16, fp8, int8, fp4");
  // By dot-product instructions no server of language models multiplies.
  CHECK(supported("v100_sxm2_16gb", PrecisionUse::generation) == "fp32, fp16");
  CHECK(supported("t4", PrecisionUse::generation) == "fp32, fp16, int8");
}

TEST_CASE("a GPU's list of precisions that it lacks agrees with its rates") {
  const Catalog catalog = Catalog::builtin();
  for (const std::string& id : catalog.ids("gpus")) {
    const CatalogEntry& entry = catalog.find("gpus", id);
    const Json* lacks = entry.json.find("unsupported_precisions");
    if (!lacks) continue;
    for (const Json& name : lacks->array())
      for (const char* unit : {"_tflops", "_tops"}) {
        CAPTURE(entry.id);
        CAPTURE(name.string());
        CHECK(entry.json.require("facts").find(name.string() + unit) == nullptr);
      }
  }
}

TEST_CASE("a refusal names what is supported") {
  const GpuSpec gpu = gpu_spec(Catalog::builtin(), "v100_sxm2_16gb");
  const PrecisionRefusal r =
      precision_refusal(gpu_rates(gpu), gpu.name, Precision::bf16, PrecisionUse::training);
  CHECK(r.message == gpu.name + " does not support bf16 for training");
  CHECK(r.hint == "supported for training: fp32, fp16, mixed");
}
