#include "calibrate/measure/box.hpp"

#include <doctest/doctest.h>

#include "sim/base/error.hpp"
#include "tests/unit/schema_faults.hpp"

namespace rackcast {
namespace {

Box sample_box() {
  Box box;
  box.program = "0.1.0";
  box.date = "2024-05-01";
  box.effort = "quick";
  box.complete = true;
  box.seed = 3;
  box.host = {"Some CPU", "x86_64", "performance", 1, 8, 16, 1, Bytes{64e9}};
  box.gpus.push_back({"Some \"GPU\"",
                      "9.0",
                      "570.1",
                      "13.0",
                      {{"cublas", "13.0"}},
                      132,
                      Bytes{80e9},
                      Bytes{50e6},
                      Bandwidth{3.35e12},
                      1980});
  box.paths.push_back({"path1", "ext4", true, Bytes{1 << 30}});
  Measurement m;
  m.id = "cpu_gemm/fp32/m64";
  m.kind = "cpu_gemm";
  m.device = "cpu";
  m.numbers = {{"m", 64}};
  m.labels = {{"precision", "fp32"}};
  m.amount = 524288;
  m.amount_unit = "FLOP";
  m.samples = {1e-5, 1.25e-5, 1.125e-5};
  m.warm_up = 2;
  m.stop = SampleEnd::time;
  m.verified = true;
  m.conditions = {0.25, 2600, 0.125, 200, 60, {"power cap"}};
  box.measurements.push_back(m);
  box.not_measured.push_back({"NCCL collectives", "one GPU only"});
  box.warnings.emplace_back("something");
  return box;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

void check_refused(const std::string& text, const std::string& part) {
  try {
    read_box(text, "box.json");
    FAIL_CHECK("accepted");
  } catch (const Error& e) {
    CAPTURE(e.what());
    CHECK(e.message().find(part) != std::string::npos);
    CHECK(e.where().file == "box.json");
    CHECK(e.where().line > 0);
  }
}

TEST_CASE("a box that is written reads back equal") {
  const Box box = sample_box();
  CHECK(read_box(box_text(box), "box.json") == box);
  CHECK(box_text(read_box(box_text(box), "box.json")) == box_text(box));
}

TEST_CASE("the rate is work over the median time") {
  // 524288 FLOP in 11.25 us
  CHECK(sample_box().measurements[0].rate() == doctest::Approx(524288 / 1.125e-5));
  CHECK(sample_box().find("cpu_gemm/fp32/m64") != nullptr);
  CHECK(sample_box().find("nothing") == nullptr);
}

TEST_CASE("a written box fits its schema") {
  CHECK(schema_faults(box_schema(), box_text(sample_box())) == "");
}

TEST_CASE("issue 23, item 38: a box of another kind, version or hand is refused") {
  const std::string text = box_text(sample_box());
  check_refused(replaced(text, "rackcast-box", "rackcast-table"), "not a measured box");
  check_refused(replaced(text, "\"version\": 1", "\"version\": 2"), "version 1");
  check_refused(replaced(text, "\"median\":1.125e-05", "\"median\":1e-06"), "median of the samples");
  check_refused(replaced(text, "[1e-05,1.25e-05,1.125e-05]", "[]"), "without samples");
  check_refused(replaced(text, "1.25e-05,1.125e-05]", "-1,1.125e-05]"), "must be positive");
  check_refused(replaced(text, "\"stop\":\"time\"", "\"stop\":\"whim\""), "unknown stop reason");
  check_refused(replaced(text, "\"seed\"", "\"host_name\": \"x\", \"seed\""), "unknown key");
  check_refused(replaced(text, "\"device\":\"cpu\"", "\"device\":\"\""), "must not be empty");
  for (const char* count : {"0", "-1", "1.5", "1e300"})
    check_refused(replaced(text, "\"m\":64", std::string{"\"m\":"} + count), "must be a whole number from 1");
  check_refused(replaced(text, "\"interval\":[1e-05,", "\"interval\":[1e-308,"), "lower end of the interval");
  check_refused(replaced(text, "1.25e-05,1.125e-05]", "1e-308,1.125e-05]"), "between 1 ps and");
  check_refused(replaced(text, "\"sm_count\":132", "\"sm_count\":0"), "sm_count");
  Box product = sample_box();
  Measurement& m = product.measurements[0];
  m.kind = "gpu_gemm";
  m.numbers = {{"m", 64}, {"n", 64}, {"k", 64}, {"count", 1}};
  CHECK_NOTHROW(read_box(box_text(product), "box.json"));
  m.amount *= 10;
  check_refused(box_text(product), "the shape has a work of 524288 FLOP");
  m.kind = "gpu_vector";
  m.labels = {{"pattern", "add"}};
  m.numbers = {{"rows", 4}, {"columns", 8}};
  m.amount_unit = "B";
  check_refused(box_text(product), "the shape has a work of 384 B");
  Box nameless = sample_box();
  nameless.gpus[0].name.clear();
  check_refused(box_text(nameless), "must not be empty");
  Box twice = sample_box();
  twice.measurements.push_back(twice.measurements[0]);
  check_refused(box_text(twice), "stands twice");
}

}  // namespace
}  // namespace rackcast
