#include "commands/commands.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "commands/planner_link.hpp"
#include "commands/planner_page.hpp"
#include "commands/report_files.hpp"
#include "reports/pages/table_document.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

namespace {

constexpr Command kCommands[] = {
    {add_size},       {add_simulate}, {add_campaign},   {add_uncertainty}, {add_sweep},     {add_merge},
    {add_explain},    {add_check},    {add_init},       {add_report},      {add_compare},   {add_inference},
    {add_generation}, {add_catalog},  {add_topology},   {add_validate},    {add_calibrate}, {add_import},
    {add_export},     {add_schema},   {add_completion},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

/// Standard output; a full disk or a closed pipe is an error and not silence.
void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error{"cannot write to standard output", {}, {}, ErrorKind::internal};
  }
}

reports::TextOptions terminal_options() {
  reports::TextOptions options;
  winsize size{};
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    options.width = size.ws_col;
  const char* no_color = std::getenv("NO_COLOR");
  options.colour = terminal && (no_color == nullptr || *no_color == '\0');
  return options;
}

Catalog open_catalog(const Arguments& args) {
  return Catalog::builtin(args.catalog_dir);
}

void add_scenario_flags(CLI::App& command, Arguments& args) {
  command.add_option("scenario", args.scenario, "Scenario file (JSON; `rackcast init` writes one)")
      ->required();
  command.add_option("--set", args.sets, "Replace a value: --set goal.deadline=\"21 days\" (repeatable)")
      ->allow_extra_args(false);
  command.add_option("--catalog", args.catalog_dir, "Folder with catalogue entries of your own");
}

void add_output_flags(CLI::App& command, Arguments& args) {
  command.add_option("-o,--output", args.outputs, kOutputHelp)->allow_extra_args(false);
  command.add_flag("--json", args.json, "Print the result document instead of text");
}

void add_full_flag(CLI::App& command, Arguments& args) {
  command.add_flag("--full", args.full, "Print the reasons behind the decision, too");
}

void add_planner_flags(CLI::App& command, Arguments& args) {
  CLI::Option* inside = command.add_flag(
      "--interactive", args.interactive,
      "Let the .html report carry the planner, which answers further questions in the browser");
  command
      .add_option(
          "--planner", args.planner,
          "Where the .html report finds the planner's page to ask again: the path of rackcast.html or "
          "an https address (default: a rackcast.html beside the report)")
      ->excludes(inside);
}

void check_outputs(const Arguments& args) {
  check_endings(args.outputs);
  if (!args.interactive && args.planner.empty()) return;
  const auto is_page = [](const std::string& path) {
    return path.ends_with(".html");
  };
  if (std::ranges::none_of(args.outputs, is_page))
    throw Error{fmt::format("{} is of an .html report, and none is asked for",
                            args.interactive ? "--interactive" : "--planner"),
                {},
                "add -o report.html",
                ErrorKind::usage};
  if (args.interactive) return check_planner_page();
  for (const std::string& path : args.outputs)
    if (is_page(path)) (void)planner_link(args.planner, path);
}

std::vector<std::string> write_outputs(const Arguments& args, const reports::Report& report,
                                       const std::string& json) {
  return write_report_files(args.outputs, report, json,
                            {.page = args.interactive ? planner_page(json) : "", .planner = args.planner});
}

void deliver_result(const Arguments& args, const std::string& json) {
  deliver_result(args, json, parse_json(json, "result"));
}

void deliver_result(const Arguments& args, const std::string& json, const Json& parsed) {
  const reports::ResultDocument document = reports::load_result(parsed);
  const reports::Report report = reports::build_report(document);
  const auto written = write_outputs(args, report, json);
  if (args.json) return print(json);
  print(write_text(args.full ? report : decide_layer(report, terminal_options()), terminal_options()));
  for (const std::string& path : written) print(fmt::format("Report: {}\n", path));
  if (!args.full && written.empty()) print("Why, and all figures: --full, or a report with -o report.html\n");
}

void deliver_tables(const Arguments& args, const std::string& json) {
  print(args.json ? json : reports::render_tables(json, terminal_options()));
}

}  // namespace rackcast
