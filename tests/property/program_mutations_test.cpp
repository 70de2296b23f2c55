// Shipped scenarios and a measured box with a few values replaced at random: the program answers or refuses,
// in bounded time, and what it answers holds together (tests/document_faults.hpp).
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "calibrate/measure/box.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "sim/base/random.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/unit/sim/temporary_folder.hpp"

namespace rackcast {
namespace {

using Mutated = nlohmann::ordered_json;

constexpr int kSecondsOfOne = 20;  ///< with --limit 5s; sanitizers included

void all_places(const Mutated& json, const std::string& at, std::vector<std::string>& out) {
  if (!at.empty()) out.push_back(at);
  if (json.is_object())
    for (const auto& [key, value] : json.items()) all_places(value, at + "/" + key, out);
  if (json.is_array())
    for (std::size_t i = 0; i < json.size(); ++i) all_places(json[i], at + "/" + std::to_string(i), out);
}

/// "12.5 GB/s" with another number; the text itself where it does not begin with one.
std::string with_number(const std::string& text, const std::string& number) {
  const std::size_t end = text.find_first_not_of("0123456789.");
  return end == 0 || end == std::string::npos ? text + number : number + text.substr(end);
}

void mutate(Mutated& json, RandomStream& random) {
  const std::vector<std::string> numbers{"0",    "-1",  "1",    "2",   "1e300", "1e-300",    "5e-324",
                                         "1e18", "1e9", "1e-6", "0.5", "1000",  "2147483648"};
  std::vector<std::string> places;
  all_places(json, "", places);
  const std::string place = places[random.below(places.size())];
  const std::string number = numbers[random.below(numbers.size())];
  Mutated& value = json[Mutated::json_pointer{place}];
  if (value.is_number()) {
    value = Mutated::parse(number);
  } else if (value.is_string()) {
    const std::string text = value;
    value = random.below(5) == 0 ? "" : with_number(text, number);
  } else if (value.is_array() && random.below(2) == 0) {
    value = Mutated::array();
  } else if (value.is_object() && random.below(2) == 0) {
    value = Mutated::object();
  } else {
    value = nullptr;
  }
}

/// Runs `command` ("words before the file|words after it") on `runs` mutations of the document, each with one
/// to three values replaced. Every run of the tests has the same mutations: what is drawn depends on `name`
/// and the words before the file, never on a folder's path. `written`: the JSON document that the program
/// writes. Returns how many are answered: mutations that are all refused would try nothing behind the reader.
int try_mutations(const std::string& name, const std::string& text, const std::string& command, int runs,
                  const std::string& written = {}) {
  const TemporaryFolder folder;
  const Mutated whole = Mutated::parse(text, nullptr, true, true);
  const std::string words = command.substr(0, command.find('|'));
  int answered = 0;
  for (int i = 0; i < runs; ++i) {
    RandomStream random{static_cast<std::uint64_t>(i), "mutations/" + name + "/" + words};
    Mutated json = whole;
    for (std::uint64_t n = 1 + random.below(3); n > 0; --n) mutate(json, random);
    write_file_atomically(folder / "in.json", json.dump(1));
    CAPTURE(name);
    CAPTURE(command);
    CAPTURE(i);  // the seed
    const Outcome out =
        run(words + folder / "in.json" + " " + command.substr(words.size() + 1), kSecondsOfOne);
    CAPTURE(out.output.substr(0, 2000));
    CHECK((out.code == 0 || out.code == 3 || out.code == 4));
    if (out.code == 3) CHECK(out.output.find("error: ") != std::string::npos);
    if (out.code == 0 && !written.empty()) CHECK(Mutated::accept(read_file(written)));
    answered += out.code != 3;
  }
  return answered;
}

std::string scenario_text(const std::string& name) {
  return read_file(std::string{RACKCAST_SOURCE_DIR} + "/scenarios/" + name + ".json");
}

/// Six matrix products and a copy, as `calibrate run` writes them; no real device's speed.
std::string box_of_products() {
  Box box;
  box.program = "0";
  box.date = "2024-05-01";
  box.effort = "quick";
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
  for (int i = 0; i < 8; ++i) {
    Measurement m;
    const double side = 256 << (i / 2);
    m.id = "gpu_gemm/" + std::to_string(i);
    m.kind = "gpu_gemm";
    m.device = "gpu0";
    m.numbers = {{"m", side}, {"n", side}, {"k", side * (1 + i % 2)}, {"count", 1}};
    m.labels = {{"precision", "fp32"}};
    m.amount = 2 * side * side * side * (1 + i % 2);
    m.amount_unit = "FLOP";
    m.samples = {m.amount / 1e13, m.amount / 1.01e13, m.amount / 0.99e13};
    box.measurements.push_back(m);
  }
  return box_text(box);
}

}  // namespace

TEST_CASE(
    "issue 23, item 37: mutated scenarios are answered or refused, in time, and what is answered holds "
    "together") {
  CHECK(try_mutations("imagenet_mn1", scenario_text("imagenet_mn1"), "simulate |--json --limit 5s", 25) > 0);
  CHECK(try_mutations("p100_64_nodes", scenario_text("p100_64_nodes"), "simulate |--json --limit 5s", 15) >
        0);
  CHECK(try_mutations("power_limited_site", scenario_text("power_limited_site"), "size |--json --limit 5s",
                      15) > 0);
  CHECK(try_mutations("dgx_pod_team_dgx1", scenario_text("dgx_pod_team_dgx1"), "campaign |--json --limit 5s",
                      25) > 0);
}

// What follows a limit takes longer than the rest of these twenty seconds under the sanitizers.
TEST_CASE("issue 23, item 37: mutated scenarios of servers are answered or refused, in time" *
          doctest::test_suite("long")) {
  CHECK(try_mutations("llm_serving", scenario_text("llm_serving"), "size |--json --limit 5s", 25) > 0);
  CHECK(try_mutations("inference_fleet", scenario_text("inference_fleet"), "size |--json --limit 5s", 15) >
        0);
}

TEST_CASE("issue 23, item 38: mutated boxes are fitted or refused, in time") {
  const std::string box = box_of_products();
  CHECK(try_mutations("box", box, "calibrate check |", 40) > 0);
  const TemporaryFolder folder;
  CHECK(try_mutations("box", box, "calibrate fit |-o " + folder / "device.json", 40, folder / "device.json") >
        0);
}

}  // namespace rackcast
