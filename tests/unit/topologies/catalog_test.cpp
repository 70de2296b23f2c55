#include "topologies/catalog/catalog.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/base/error.hpp"
#include "sim/units/dimension_text.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/hardware/gpu_spec.hpp"
#include "topologies/hardware/link_spec.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

/// What the Error of `call` says, or "no error".
template <class Call>
std::string message_of(Call call) {
  try {
    (void)call();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// A folder of catalogue files that lives for one test.
class Overlay {
 public:
  explicit Overlay(std::string_view name) : dir_(std::filesystem::temp_directory_path() / name) {
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
  }
  ~Overlay() { std::filesystem::remove_all(dir_); }
  void write(const std::string& path, std::string_view text) const {
    std::filesystem::create_directories((dir_ / path).parent_path());
    std::ofstream{dir_ / path} << text;
  }
  std::string path() const { return dir_.string(); }

 private:
  std::filesystem::path dir_;
};

}  // namespace

TEST_CASE("every catalogue entry parses and every fact has unit, source and confidence") {
  std::size_t entries = 0;
  std::size_t facts = 0;
  for (const std::string& kind : catalog().kinds()) {
    for (const std::string& id : catalog().ids(kind)) {
      const CatalogEntry& entry = catalog().find(kind, id);
      CHECK_MESSAGE(!entry.name.empty(), kind << "/" << id);
      ++entries;
      for (const Fact& fact : entry.facts) {
        ++facts;
        CHECK_MESSAGE((!fact.source().empty() && !fact.unit().empty()),
                      kind << "/" << id << "/" << fact.key());
      }
    }
  }
  CHECK(entries > 200);
  CHECK(facts > 2400);
}

TEST_CASE("facts have typed values in base units") {
  const CatalogEntry& p100 = catalog().find("gpus", "p100_sxm2");
  CHECK(p100.require("memory_bandwidth_gb_per_s").quantity<Bandwidth>().base() == doctest::Approx(732.2e9));
  CHECK(p100.require("tdp_w").quantity<Power>().base() == doctest::Approx(300));
  CHECK(p100.require("sm_count").number() == 56);
  CHECK(p100.attribute("architecture") == "Pascal");
  CHECK(has(message_of([&] { return p100.require("tdp_w").quantity<Bandwidth>(); }), "tdp_w"));
}

TEST_CASE("names resolve by alias, whatever their case and punctuation") {
  CHECK(catalog().find("nodes", "DGX-1V").id == "dgx1v_16gb");
  CHECK(catalog().find("nodes", "dgx 1").id == "dgx1_p100");
  CHECK(catalog().find("nodes", "Minsky").id == "ibm_s822lc_hpc");
  CHECK(catalog().find("gpus", "GTX1080Ti").id == "gtx_1080_ti");
}

TEST_CASE("an ambiguous or unknown name lists what was meant") {
  const std::string ambiguous = message_of([] { return catalog().find("gpus", "p100").id; });
  CHECK(has(ambiguous, "p100_sxm2"));
  CHECK(has(ambiguous, "p100_pcie_16gb"));
  CHECK(has(message_of([] { return catalog().find("gpus", "v100_smx2_16gb").id; }), "v100_sxm2_16gb"));
  CHECK(has(message_of([] { return catalog().ids("gpoos"); }), "gpus"));
  CHECK(has(message_of([] { return catalog().find("gpus", "p100_sxm2").require("fp32_tflop").key(); }),
            "fp32_tflops"));
  CHECK(has(message_of([] { return catalog().find("gpus", "").id; }), "no entry"));
}

TEST_CASE("search looks in ids, names, aliases, fact keys and sources") {
  const auto found = [](std::string_view text, std::string_view id) {
    const auto hits = catalog().search(text);
    return std::ranges::any_of(hits, [&](const SearchHit& hit) { return hit.id == id; });
  };
  CHECK(found("SB7800", "sb7800"));
  CHECK(found("minsky", "ibm_s822lc_hpc"));
  CHECK(found("nvswitch_baseboards", "dgx2"));
  CHECK(found("OLCF", "v100_sxm2_16gb"));
  CHECK(catalog().search("no such thing anywhere").empty());
}

TEST_CASE("a GPU has its rates with their sources") {
  const GpuSpec v100 = gpu_spec(catalog(), "v100_sxm2_16gb");
  CHECK(v100.peak.fp16_tensor->value.base() == doctest::Approx(125e12));
  CHECK(v100.peak.fp16_tensor->fact == "gpus/v100_sxm2_16gb/fp16_tensor_tflops");
  CHECK(v100.peak.fp16_tensor->confidence == Confidence::verified);
  CHECK_FALSE(v100.peak.bf16_tensor.has_value());
  CHECK(**v100.nvlink_links == 6);
  CHECK(v100.memory->base() == doctest::Approx(16e9));
}

TEST_CASE("a K80 is given as one of the two GPUs of its board") {
  const GpuSpec k80 = gpu_spec(catalog(), "k80");
  CHECK(k80.per_board == 2);
  CHECK(k80.peak.fp32->value.base() == doctest::Approx(8.126e12 / 2));
  CHECK(k80.memory->base() == doctest::Approx(12e9));
  CHECK(k80.memory_bandwidth->base() == doctest::Approx(240.6e9));
  CHECK(**k80.sm_count == 13);
  CHECK(k80.tdp->value.base() == doctest::Approx(150));
}

TEST_CASE("every GPU has the specs that cost models need") {
  for (const std::string& id : catalog().ids("gpus")) {
    const GpuSpec gpu = gpu_spec(catalog(), id);
    CHECK_MESSAGE(gpu.peak.fp32.has_value(), id);
    CHECK_MESSAGE(gpu.sm_count.has_value(), id);
    CHECK_MESSAGE(gpu.tdp.has_value(), id);
    CHECK_MESSAGE(!gpu.architecture.empty(), id);
  }
}

TEST_CASE("links are found by short and long names") {
  const LinkSpec edr = link_spec(catalog(), "edr");
  CHECK(edr.id == "infiniband_4x/edr");
  CHECK(edr.raw->base() == doctest::Approx(12.5e9));
  CHECK(edr.achievable->base() == doctest::Approx(12.1e9));
  CHECK(link_spec(catalog(), "ipoib/edr").achievable->base() == doctest::Approx(35e9 / 8));
  CHECK(link_spec(catalog(), "nvlink2").achievable->base() == doctest::Approx(20e9));
  CHECK(link_spec(catalog(), "efa_v2_p5").raw->base() == doctest::Approx(100e9 / 8));  // 3200 Gbit/s over 32
  CHECK(pcie_spec(catalog(), 3, 8).achievable->base() == doctest::Approx(6e9));
  CHECK(has(message_of([] { return link_spec(catalog(), "edrr"); }), "edr"));
  CHECK(has(message_of([] { return port_link_spec(catalog(), "Ethernet", Bandwidth{2.3e9}); }), "gbe25"));
}

TEST_CASE("a user's folder adds and replaces entries") {
  const Overlay overlay{"rackcast_overlay_good"};
  const auto gpu = [](const std::string& name) {
    const auto fact = [](const char* key, const char* unit) {
      return std::string{"\""} + key + "\": {\"value\": 10, \"unit\": \"" + unit +
             "\", \"source\": \"me\", \"confidence\": \"memory\"}";
    };
    return "{\"name\": \"" + name + "\", \"vendor\": \"NVIDIA\", \"architecture\": \"Kepler\", \"facts\": {" +
           fact("memory_gb", "GB") + ", " + fact("memory_bandwidth_gb_per_s", "GB/s") + ", " +
           fact("fp32_tflops", "TFLOP/s") + ", " + fact("sm_count", "SM") + ", " + fact("tdp_w", "W") + "}}";
  };
  overlay.write("gpus/mine.json", gpu("My GPU"));
  overlay.write("gpus/k40.json", gpu("Another K40"));
  const Catalog both = Catalog::builtin(overlay.path());
  CHECK(gpu_spec(both, "My GPU").memory->base() == doctest::Approx(10e9));
  CHECK(both.find("gpus", "k40").name == "Another K40");
  CHECK(both.find("gpus", "k20").name == "Tesla K20");
}

TEST_CASE("a broken file of a user says what is wrong and where") {
  const auto error_for = [](const std::string& path, std::string_view text) {
    const Overlay overlay{"rackcast_overlay_bad"};
    overlay.write(path, text);
    return message_of([&] { return Catalog::builtin(overlay.path()).kinds(); });
  };
  const auto with_fact = [&](std::string_view fact) {
    return error_for("gpus/x.json",
                     std::string{"{\"name\": \"x\", \"facts\": {\"tdp_w\": "} + std::string{fact} + "}}");
  };
  CHECK(has(error_for("gpus/x.json", "{"), "x.json"));
  CHECK(has(error_for("gpus/x.json", "[]"), "x.json"));
  CHECK(has(error_for("gpus/x.json", "{}"), "name"));
  CHECK(has(error_for("gpus/x.json", R"({"name": "x", "facts": []})"), "an object"));
  CHECK(has(error_for("gpux/x.json", R"({"name": "x"})"), "gpus"));
  CHECK(has(error_for("x.json", R"({"name": "x"})"), "folder named after its kind"));
  CHECK(has(with_fact(R"({"value": 1, "unit": "W"})"), "source"));
  CHECK(has(with_fact(R"({"value": 1, "unit": "W", "source": "", "confidence": "memory"})"), "empty"));
  CHECK(has(with_fact(R"({"value": 1, "unit": "W", "source": "s", "confidence": "sure"})"), "verified"));
  CHECK(has(with_fact(R"({"value": 1, "unit": "W", "source": "s", "confidence": "memory", "nott": "n"})"),
            "note"));  // did you mean
  CHECK(has(message_of([] { return Catalog::builtin("/no/such/folder").kinds(); }), "/no/such/folder"));
}

TEST_CASE("issue 23, item 36: a fact far outside of what exists is refused with its key") {
  const auto fact = [](const char* key, const char* value, const char* unit) {
    return Fact{key, parse_json(std::string{"{\"value\": "} + value + ", \"unit\": \"" + unit +
                                    "\", \"source\": \"s\", \"confidence\": \"memory\"}",
                                "gpus/mine.json")};
  };
  const auto said = [&](const char* key, const char* value, const char* unit, auto zero) {
    return message_of([&] { return fact(key, value, unit).quantity<decltype(zero)>(); });
  };
  CHECK(has(said("fp32_tflops", "1e-9", "TFLOP/s", FlopRate{}),
            "\"fp32_tflops\": \"1e-09 TFLOP/s\" cannot be"));
  CHECK(has(said("nvlink", "1e-30", "GB/s", Bandwidth{}), "between 1 B/s and 1 EB/s"));
  CHECK(has(said("read", "0", "GB/s", Bandwidth{}), "must be more than zero"));
  CHECK(has(said("list_price_usd", "1e308", "USD", Money{}), "between 1e-9 USD and 1e15 USD"));
  CHECK(said("idle", "0", "W", Power{}) == "no error");
}

TEST_CASE("no shipped fact is outside of what exists") {
  std::size_t checked = 0;
  for (const std::string& kind : catalog().kinds()) {
    for (const std::string& id : catalog().ids(kind)) {
      for (const Fact& f : catalog().find(kind, id).facts) {
        if (f.value().kind() != JsonKind::number) continue;
        AnyQuantity unit;
        try {
          unit = parse_unit(f.unit());
        } catch (const Error&) {
          continue;  // a count of something
        }
        CAPTURE(kind + "/" + id + "/" + f.key());
        CHECK_NOTHROW(require_plausible(f.display(), f.number() * unit.base, unit.dimension));
        ++checked;
      }
    }
  }
  CHECK(checked > 1000);
}
