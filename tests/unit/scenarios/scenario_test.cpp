#include "scenarios/format/scenario.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "sim/base/atomic_file.hpp"
#include "tests/unit/sim/error_text.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

using namespace rackcast;

namespace {

const std::string kGood = R"({
  "name": "x",
  "data": {"size": "1 TB", "bytes_per_sample": "100 kB"},
  "workloads": [{"model": "resnet50", "epochs": 2}],
  "cluster": {"node": "dgx1_p100"}
})";

Scenario read(const std::string& text) {
  return read_scenario(parse_json(text, "t.json"), "t.json");
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a fleet's data is vehicles x rate x hours x days x kept") {
  // 100 x 1 TB/h x 8 h x 260 x 0.0005 = 104 TB; 125 x 1.5 x 10 x 325 x 0.0008 = 487.5 TB
  const FleetSource very{100, Bandwidth{1e12 / 3600}, Duration{8 * 3600.0}, 260, 0.0005};
  CHECK(very.total().base() == doctest::Approx(104e12));
  const FleetSource larger{125, Bandwidth{1.5e12 / 3600}, Duration{10 * 3600.0}, 325, 0.0008};
  CHECK(larger.total().base() == doctest::Approx(487.5e12));
}

TEST_CASE("samples are whole samples of the size given") {
  // 1 TB / 100 kB = 10^7
  CHECK(read(kGood).data.samples == 1e7);
  CHECK(read(with("\"size\": \"1 TB\"", "\"samples\": 1000")).data.size.base() == doctest::Approx(1e8));
}

TEST_CASE("defaults are used and remembered as defaults") {
  const Scenario s = read(kGood);
  CHECK(s.workloads[0].batch_per_gpu == 64);
  CHECK(s.workloads[0].batch_is_default);
  CHECK_FALSE(s.workloads[0].epochs_is_default);
  CHECK(s.storage.array == "none");
}

TEST_CASE("wrong scenarios say what is wrong and where") {
  const auto message = [](const std::string& text) {
    return error_text([&] { (void)read(text); });
  };
  CHECK(contains(message(with("\"workloads\"", "\"worklaods\"")), "workloads"));
  CHECK(contains(message(with("\"1 TB\"", "12")), "write"));
  CHECK(contains(message(with("\"1 TB\"", "\"-1 TB\"")), "t.json:3"));
  CHECK(contains(message(with("\"1 TB\"", "\"1 kW\"")), "data size"));
  CHECK(contains(message(with("\"1 TB\"", "\"1 kB\"")), "smaller than one sample"));
  CHECK(contains(message(with("\"size\": \"1 TB\",", "")), "exactly one of"));
  CHECK(
      contains(message(with("\"size\": \"1 TB\"", "\"size\": \"1 TB\", \"samples\": 4")), "exactly one of"));
  CHECK(contains(message(with("[{\"model\": \"resnet50\", \"epochs\": 2}]", "[]")), "at least one workload"));
  CHECK(contains(message(with("\"epochs\": 2", "\"epochs\": -2")), "epochs"));
  CHECK(contains(message(with("\"epochs\": 2", "\"epochs\": 1e300")), "epochs"));
  CHECK(contains(message(with("\"epochs\": 2", "\"precision\": \"fp31\"")), "fp32"));
}

TEST_CASE("--set lays a value over the file, with or without quotes") {
  const TemporaryFolder folder;
  const std::string path = folder / "s.json";
  write_file_atomically(path, kGood);
  CHECK(load_scenario(path, {"data.size=2 TB"}).data.samples == 2e7);
  CHECK(load_scenario(path, {"data.size=\"3 TB\"", "workloads.0.epochs=5"}).workloads[0].epochs == 5);
  CHECK(contains(error_text([&] { (void)load_scenario(path, {"data.sise=2 TB"}); }), "size"));
  CHECK(contains(error_text([&] { (void)load_scenario(path, {"nonsense"}); }), "path=value"));
}

TEST_CASE("extends lays a file over another; circles and missing files are errors") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "base.json", kGood);
  write_file_atomically(folder / "over.json", R"({"extends": "base.json", "data": {"size": "4 TB"}})");
  CHECK(load_scenario(folder / "over.json").data.samples == 4e7);
  write_file_atomically(folder / "a.json", R"({"extends": "b.json"})");
  write_file_atomically(folder / "b.json", R"({"extends": "a.json"})");
  CHECK(contains(error_text([&] { (void)load_scenario(folder / "a.json"); }), "circle"));
  write_file_atomically(folder / "c.json", R"({"extends": "bsae.json"})");
  CHECK(contains(error_text([&] { (void)load_scenario(folder / "c.json"); }), "no such file"));
}
