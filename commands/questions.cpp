/// Commands that ask a scenario something: size, simulate, explain, check.
#include "scenarios/questions/questions.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>

#include "commands/commands.hpp"
#include "commands/interruption.hpp"
#include "commands/progress_line.hpp"
#include "commands/report_files.hpp"
#include "reports/drawings/timeline.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "sim/base/parallel.hpp"
#include "sim/engine/trace.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

namespace {

/// The flags that say how much may be simulated, and how literally.
struct RunFlags {
  std::vector<std::string> limits;
  bool no_fold = false;
  int threads = 1;

  [[nodiscard]] RunControl control() const {
    RunControl control = read_limits(limits);
    control.fold = !no_fold;
    control.threads = threads;
    return control;
  }
};

std::shared_ptr<RunFlags> add_run_flags(CLI::App& command) {
  auto flags = std::make_shared<RunFlags>();
  command
      .add_option("--limit", flags->limits,
                  "End with what is known by then: --limit 10s, --limit events=1e6 (repeatable)")
      ->allow_extra_args(false);
  command.add_flag("--no-fold", flags->no_fold,
                   "Simulate every GPU, link and step instead of one of each kind (slow; to compare)");
  return flags;
}

/// A result document, and what the command ends with.
struct CodedAnswer {
  std::string json;
  int code = Exit::ok;
};

Asked asked_of(const Arguments& args, const Json& text) {
  return {text, args.scenario, args.command_line};
}

CodedAnswer coded(Answered answer) {
  return {std::move(answer.json), Interruption::asked() ? Exit::interrupted
                                  : answer.feasible     ? Exit::ok
                                                        : Exit::infeasible};
}

CodedAnswer answer_size(const Arguments& args, const Json& text, const RunFlags& flags) {
  const Interruption interruption;
  const Catalog catalog = open_catalog(args);
  Answered answer = [&] {
    ProgressLine progress("Simulated runs");
    ProgressLine designs(serves(text) ? "Nodes and precisions tried" : "Designs tried");
    ProgressLine building("Nodes of the cluster that is being laid out");
    RunControl control = flags.control();
    control.on_building = [&](int nodes) {
      building.show(static_cast<std::size_t>(nodes));
    };
    bool counted = false;  // designs have a total and so a time that is left; one line shows either
    control.on_run = [&](std::size_t runs) {
      if (!counted) progress.show(runs);
    };
    control.on_design = [&](std::size_t done, std::size_t all) {
      counted = all > 1 && done < all;
      if (counted) designs.show(done, all);
    };
    control.cancelled = Interruption::asked;
    return ask_size(asked_of(args, text), catalog, control);
  }();
  return coded(std::move(answer));
}

int run_size(const Arguments& args, const RunFlags& flags, const std::string& objective) {
  check_outputs(args);  // before the work
  std::vector<std::string> sets = args.sets;
  if (!objective.empty()) sets.push_back("goal.objective=" + objective);
  const CodedAnswer answered = answer_size(args, load_scenario_text(args.scenario, sets), flags);
  deliver_result(args, answered.json);
  return answered.code;
}

/// Where the simulated steps go, each if it is asked for.
struct TraceFiles {
  std::string perfetto, drawing;
};

CodedAnswer answer_simulate(const Arguments& args, const Json& text, const RunFlags& flags,
                            const TraceFiles& files) {
  if (serves(text) && (!files.perfetto.empty() || !files.drawing.empty()))
    throw Error{"--trace and --timeline show a training step", {}, "leave them out", ErrorKind::usage};
  const Catalog catalog = open_catalog(args);
  Tracer tracer{Clock{TickLength::picosecond}};
  Answered answer = [&] {
    ProgressLine progress("Simulated runs");
    ProgressLine building("Nodes of the cluster that is being laid out");
    std::optional<ProgressLine> nodes;  // rows of scaling tables have a total and so a time that is left
    RunControl control = flags.control();
    control.on_building = [&](int count) {
      building.show(static_cast<std::size_t>(count));
    };
    std::size_t tables = 0;
    control.on_run = [&](std::size_t runs) {
      if (!nodes) progress.show(runs);
    };
    control.on_nodes = [&](std::size_t done, std::size_t all) {
      if (!nodes) nodes.emplace("Simulated nodes");
      nodes->show(tables * all + done, text.require("workloads").array().size() * all);
      if (done == all) ++tables;
    };
    return ask_simulate(asked_of(args, text), catalog, control, files.perfetto.empty() ? nullptr : &tracer);
  }();
  if (!files.perfetto.empty()) {
    std::ostringstream timeline;
    tracer.write_chrome_trace(timeline);
    write_file_atomically(files.perfetto, timeline.str());
  }
  if (!files.drawing.empty())
    write_file_atomically(files.drawing,
                          reports::timeline_document(reports::load_result(answer.json, "result")));
  return coded(std::move(answer));
}

int run_simulate(const Arguments& args, const RunFlags& flags, const TraceFiles& files) {
  check_outputs(args);
  const CodedAnswer answered =
      answer_simulate(args, load_scenario_text(args.scenario, args.sets), flags, files);
  deliver_result(args, answered.json);
  return answered.code;
}

/// A document without "format" is a scenario if it has any of a scenario's parts.
void check_reported(const Json& document) {
  constexpr std::array<std::string_view, 6> parts{"name",    "cluster",  "workloads",
                                                  "serving", "campaign", "goal"};
  if (std::ranges::any_of(parts, [&](std::string_view part) { return document.find(part) != nullptr; }))
    return;
  document.fail("this is neither a result, nor a campaign, nor a scenario",
                "a result starts with \"format\": \"rackcast-result\", a campaign with \"format\": "
                "\"rackcast-campaign\"; a scenario has a \"name\" and a \"cluster\"");
}

/// Whether a scenario asks for a number of nodes, and not how long it takes on its own cluster.
bool asks_for_size(const Json& asked, const std::string& file) {
  return serves(asked) ? !asked.find("cluster") || !asked.require("cluster").find("nodes")
                       : read_scenario(asked, file).goal.has_value();
}

/// A scenario is asked what it asks itself: its goal, or how long it takes on its cluster.
int run_report(Arguments& args, const std::string& file) {
  check_outputs(args);
  const std::string text = read_file(file);
  const Json document = parse_json(text, file);
  const Json* format = document.kind() == JsonKind::object ? document.find("format") : nullptr;
  if (format && format->kind() == JsonKind::string && format->string() == "rackcast-campaign") {
    deliver_campaign(args, text, file);
    return Exit::ok;
  }
  if (document.kind() != JsonKind::object || format) {
    deliver_result(args, text, document);
    return Exit::ok;
  }
  check_reported(document);
  args.scenario = file;
  const Json asked = load_scenario_text(file);
  if (asked.find("campaign") && !asked.find("goal")) {
    run_campaign_command(args);
    return Exit::ok;
  }
  RunFlags flags;
  flags.threads = available_threads();
  return asks_for_size(asked, file) ? run_size(args, flags, "") : run_simulate(args, {}, {});
}

int run_check(const Arguments& args) {
  const Json text = load_scenario_text(args.scenario, args.sets);
  print(check_scenario(asked_of(args, text), open_catalog(args)) + "\n");
  return Exit::ok;
}

}  // namespace

std::string answer_scenario(const std::string& file, const Json& text) {
  check_reported(text);
  const Json asked = load_scenario_text(file);
  if (asked.find("campaign") && !asked.find("goal"))
    asked.require("campaign")
        .fail("a campaign is compared with nothing",
              "compare trainings, services, or the results of `rackcast size`");
  const bool sizes = asks_for_size(asked, file);
  Arguments args;
  args.scenario = file;
  args.command_line = fmt::format("rackcast {} {}", sizes ? "size" : "simulate", file);
  RunFlags flags;
  flags.threads = available_threads();
  return (sizes ? answer_size(args, asked, flags) : answer_simulate(args, asked, {}, {})).json;
}

void add_size(CLI::App& app, Arguments& args) {
  CLI::App* size = app.add_subcommand("size", "How many nodes meet the deadline of a scenario?");
  add_scenario_flags(*size, args);
  add_output_flags(*size, args);
  add_planner_flags(*size, args);
  add_full_flag(*size, args);
  const auto flags = add_run_flags(*size);
  flags->threads = available_threads();
  size->add_option("--threads", flags->threads,
                   "Threads that simulate; the answer is the same for any number (default: one per core)")
      ->check(CLI::Range(1, 4096));
  const auto objective = std::make_shared<std::string>();
  size->add_option("--objective", *objective, "fewest-nodes, lowest-cost, lowest-energy or fastest")
      ->check(CLI::IsMember(std::vector<std::string>{objective_names.begin(), objective_names.end()}));
  size->callback([&args, flags, objective] { args.code = run_size(args, *flags, *objective); });
}

void add_simulate(CLI::App& app, Arguments& args) {
  CLI::App* simulate =
      app.add_subcommand("simulate", "How long does training take on the scenario's cluster?");
  add_scenario_flags(*simulate, args);
  add_output_flags(*simulate, args);
  add_planner_flags(*simulate, args);
  add_full_flag(*simulate, args);
  const auto flags = add_run_flags(*simulate);
  const auto files = std::make_shared<TraceFiles>();
  simulate->add_option("--trace", files->perfetto, "Write the simulated steps as a Chrome/Perfetto timeline");
  simulate->add_option("--timeline", files->drawing, "Draw one repeating step as SVG");
  simulate->callback([&args, flags, files] { args.code = run_simulate(args, *flags, *files); });
}

void add_explain(CLI::App& app, Arguments& args) {
  struct Flags {
    std::string workload;
    int top = 15;
  };
  CLI::App* explain = app.add_subcommand("explain", "Where the time and the memory of one step go");
  add_scenario_flags(*explain, args);
  const auto flags = std::make_shared<Flags>();
  explain->add_option("--workload", flags->workload, "Only this network of the scenario");
  explain->add_option("--top", flags->top, "How many kernels to list")->check(CLI::Range(1, 1000));
  explain->add_flag("--json", args.json, "Print JSON instead of text");
  explain->callback([&args, flags] {
    const Catalog catalog = open_catalog(args);
    const Asked asked = asked_of(args, load_scenario_text(args.scenario, args.sets));
    deliver_tables(args, ask_explain(asked, catalog, flags->workload, flags->top).json);
  });
}

void add_report(CLI::App& app, Arguments& args) {
  CLI::App* report = app.add_subcommand(
      "report", "Make a page from a result document, without simulating; or from a scenario");
  const auto file = std::make_shared<std::string>();
  report->add_option("result", *file, "Result document or scenario (JSON)")->required();
  report->add_option("-o,--output", args.outputs, kOutputHelp);
  add_planner_flags(*report, args);
  add_full_flag(*report, args);
  report->callback([&args, file] { args.code = run_report(args, *file); });
}

void add_check(CLI::App& app, Arguments& args) {
  CLI::App* check = app.add_subcommand("check", "Read a scenario and resolve its names without simulating");
  add_scenario_flags(*check, args);
  check->callback([&args] { args.code = run_check(args); });
}

}  // namespace rackcast
