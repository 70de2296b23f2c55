// Every event of a run and every digit of its answer. The golden files are written by the gcc build and read
// by the sanitizer build, which clang makes: both compilers give the same bytes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "sim/engine/trace.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

TEST_CASE("trace and answer of 660 nodes are the same bytes whatever made the program") {
  const std::string folder = std::string{RACKCAST_SOURCE_DIR} + "/";
  Tracer tracer{Clock{TickLength::picosecond}};
  const Result result =
      simulate(load_scenario(folder + "scenarios/saturn_v.json"), Catalog::builtin(), &tracer);
  std::ostringstream out;
  tracer.write_chrome_trace(out);
  const Prediction& p = result.prediction;
  for (const auto& figure : {p.time_to_train, p.samples_per_s, p.step_time, p.scaling_efficiency})
    out << fmt::format("\n{} {} {}", figure.value, figure.low, figure.high);
  out << "\n";
  const std::string golden = folder + "tests/golden/bytes/saturn_v.txt";
  if (std::getenv("RACKCAST_UPDATE_GOLDEN") != nullptr) write_file_atomically(golden, out.str());
  INFO(golden, " differs; RACKCAST_UPDATE_GOLDEN=1 accepts the change, once it is understood");
  CHECK((out.str() == read_file(golden)));
}
