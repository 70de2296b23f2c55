// The rules themselves, on text that keeps or breaks them.
#include "tests/layering/source_rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace rackcast::layering {
namespace {

std::vector<int> lines_of(const std::vector<Finding>& findings) {
  std::vector<int> lines;
  for (const Finding& finding : findings) lines.push_back(finding.line);
  return lines;
}

const Layer& layer(std::string_view folder) {
  const Layer* found = find_layer(folder);
  REQUIRE(found != nullptr);
  return *found;
}

TEST_CASE("the table of layers has no cycle and is transitive") {
  for (const Layer& upper : layers()) {
    for (const std::string_view name : upper.may_include) {
      CAPTURE(upper.folder);
      CAPTURE(name);
      const Layer& lower = layer(name);
      CHECK(std::ranges::count(lower.may_include, upper.folder) == 0);
      for (const std::string_view below : lower.may_include) {
        CHECK(std::ranges::count(upper.may_include, below) == 1);
      }
    }
  }
}

TEST_CASE("a layer may include itself, layers below and other libraries") {
  const char* code =
      "#include \"models/networks/operator.hpp\"\n"
      "#include \"topologies/graph/graph.hpp\"\n"
      "  #  include \"sim/base/error.hpp\"\n"
      "#include <boost/graph/adjacency_list.hpp>\n"
      "#include <vector>\n"
      "// models and scenarios/answer/planner.hpp in a comment\n";
  CHECK(forbidden_includes(layer("models"), code).empty());
}

TEST_CASE("a layer may not include from above, from beside, from the tests or by a relative path") {
  const char* code =
      "#include \"sim/base/error.hpp\"\n"
      "#include \"scenarios/answer/planner.hpp\"\n"
      "#include <calibrate/fit/fit.hpp>\n"
      "  # include \"tests/helper.hpp\"\n"
      "#include \"../scenarios/answer/planner.hpp\"\n";
  CHECK(lines_of(forbidden_includes(layer("models"), code)) == std::vector{2, 3, 4, 5});
  CHECK(forbidden_includes(layer("models"), code).front().message == "models may not include from scenarios");
}

TEST_CASE("reports see nothing but sim and the result document") {
  CHECK(forbidden_includes(layer("reports"), "#include \"scenarios/document/site.hpp\"\n").empty());
  CHECK(forbidden_includes(layer("reports"), "#include \"sim/base/error.hpp\"\n").empty());
  CHECK(forbidden_includes(layer("reports"), "#include \"models/networks/operator.hpp\"\n").size() == 1);
  CHECK(forbidden_includes(layer("reports"), "#include \"scenarios/result/result.hpp\"\n").size() == 1);
}

TEST_CASE("validation is a layer of its own above the scenarios, whose questions it asks") {
  CHECK(layer_of("scenarios/validation/cases/case.hpp")->folder == "scenarios/validation");
  CHECK(layer_of("scenarios/answer/planner.hpp")->folder == "scenarios");
  CHECK(layer_of("tests/main.cpp") == nullptr);
  CHECK(forbidden_includes(layer("scenarios"), "#include \"scenarios/validation/report.hpp\"\n").size() == 1);
  CHECK(forbidden_includes(layer("scenarios/validation"), "#include \"scenarios/format/scenario.hpp\"\n")
            .empty());
}

TEST_CASE("a room may include its own floor and those below, not those above") {
  CHECK(room_of("sim/engine/fluid.hpp") == "engine");
  CHECK(room_of("models/data_files.hpp") == ".");
  CHECK(room_of("scenarios/validation/cases/case.hpp") == "cases");
  CHECK(includes_from_above("models/step/training.cpp",
                            "#include \"models/gpu/cost.hpp\"\n#include \"models/step/crews.hpp\"\n"
                            "#include \"topologies/drawings/svg.hpp\"\n#include <vector>\n")
            .empty());
  CHECK(lines_of(includes_from_above("models/gpu/cost.cpp",
                                     "#include <string>\n#include \"models/split/split_training.hpp\"\n")) ==
        std::vector{2});
  CHECK(
      includes_from_above("scenarios/answer/planner.cpp", "#include \"scenarios/plan/plan.hpp\"\n").empty());
  CHECK(lines_of(includes_from_above("scenarios/plan/plan.cpp",
                                     "#include \"scenarios/answer/planner.hpp\"\n")) == std::vector{1});
  CHECK(lines_of(includes_from_above("models/attic/old.cpp", "")) == std::vector{1});
}

TEST_CASE("comments and literals are blanked and lines stay where they are") {
  CHECK(without_comments_and_literals("a; // exit(1)\nb;") == "a;           \nb;");
  CHECK(without_comments_and_literals("a /* x\ny */ b") == "a     \n     b");
  CHECK(without_comments_and_literals(R"(f("a\"exit(", 'x', 1'000))") == "f(          ,    , 1'000)");
  CHECK(without_comments_and_literals("R\"x(a\"b)x\" c") == "           c");
}

TEST_CASE("printing and exiting are found in code and not in comments or text") {
  CHECK(lines_of(prints_or_exits("std::cout << 1;\nfmt::print(\"\");\nprintf(\"%d\", 1);\nstd::exit(1);\n"
                                 "fprintf(stderr, \"\");\n::puts(\"\");\n")) ==
        std::vector{1, 2, 3, 4, 5, 6});
  CHECK(prints_or_exits(
            "// std::cout\nauto s = \"exit(1)\";\nstd::snprintf(b, n, \"\");\nfmt::format_to(o, \"\");\n"
            "on_exit(f);\nnode.print(out);\nreprintf(1);\n")
            .empty());
}

TEST_CASE("clocks that may jump are found in code and not in comments or text") {
  CHECK(lines_of(reads_wall_clock("auto t = std::chrono::system_clock::now();\nstd::time(nullptr);\n"
                                  "clock_gettime(CLOCK_REALTIME, &t);\n::gettimeofday(&t, nullptr);\n"
                                  "localtime_r(&t, &tm);\nstd::chrono::high_resolution_clock c;\n")) ==
        std::vector{1, 2, 3, 4, 5, 6});
  CHECK(reads_wall_clock("// std::time(nullptr)\nstd::chrono::steady_clock::now();\nplan.time(3);\n"
                         "auto s = \"system_clock\";\nclock_gettime(CLOCK_MONOTONIC, &t);\n")
            .empty());
}

TEST_CASE("names are found as whole words of code and text, and not in comments") {
  const std::vector<std::string> names{"v100", "volta"};
  const auto lines = [&](std::string_view code) {
    std::vector<int> out;
    for (const Finding& finding : names_in_code(code, names)) out.push_back(finding.line);
    return out;
  };
  CHECK(lines("// Volta\n/* V100 */ int x;\n#include \"volta.hpp\"\n").empty());
  CHECK(lines("int a;\nif (gpu == \"V100\") x = volta_gain;\n") == std::vector<int>{2, 2});
  CHECK(lines("f(\"v100_sxm2\", v1000, revolta);\n") == std::vector<int>{1});
}

TEST_CASE("link lines follow the same table") {
  CHECK(
      forbidden_links(layer("models"), "rackcast_library(rackcast_models DEPS rackcast_topologies fmt::fmt)")
          .empty());
  CHECK(forbidden_links(layer("models"), "rackcast_library(rackcast_models\n DEPS rackcast_scenarios)")
            .size() == 1);
  CHECK(forbidden_links(layer("reports"), "rackcast_library(rackcast_reports PRIVATE_DEPS rackcast_models)")
            .size() == 1);
  CHECK(forbidden_links(layer("reports"), "rackcast_library(rackcast_other DEPS rackcast_sim)").size() == 1);
  CHECK(forbidden_links(layer("reports"), "add_library(x)").size() == 1);
}

}  // namespace
}  // namespace rackcast::layering
