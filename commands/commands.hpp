#pragma once
/// The commands of the program: each reads its flags, calls one function of the libraries and prints what
/// came out. Together with main.cpp the only place that prints.
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/pages/report.hpp"
#include "topologies/catalog/catalog.hpp"

namespace CLI {
class App;
}

namespace rackcast {

enum Exit {
  ok = 0,
  internal = 1,
  usage = 2,
  invalid_input = 3,
  infeasible = 4,
  bound_missed = 5,
  interrupted = 130
};

/// What the flags of the chosen command said. Members that several commands share mean the same in all.
struct Arguments {
  std::string command_line;  ///< as typed but for --threads, for the result document
  std::string scenario;      ///< file
  std::vector<std::string> sets, outputs;
  std::string catalog_dir;  ///< catalogue entries of the user's own; empty: none
  bool json = false;
  bool interactive = false;  ///< .html is the planner's page with the result in it
  std::string planner;       ///< where an .html report finds the planner's page; empty: not said
  bool full = false;         ///< print all sections of a result, and not its first page alone
  int code = Exit::ok;       ///< what the command ends with
};

/// Adds one command (or a family of them) to the program; its callback sets `code`.
struct Command {
  void (*add)(CLI::App& app, Arguments& args);
};
/// All of them, in the order of --help. A new command is one function and one line in commands.cpp.
std::span<const Command> commands();

void add_size(CLI::App& app, Arguments& args);
void add_simulate(CLI::App& app, Arguments& args);
void add_campaign(CLI::App& app, Arguments& args);
void add_explain(CLI::App& app, Arguments& args);
void add_check(CLI::App& app, Arguments& args);
void add_init(CLI::App& app, Arguments& args);
void add_report(CLI::App& app, Arguments& args);
void add_compare(CLI::App& app, Arguments& args);
void add_inference(CLI::App& app, Arguments& args);
void add_generation(CLI::App& app, Arguments& args);
void add_catalog(CLI::App& app, Arguments& args);
void add_sweep(CLI::App& app, Arguments& args);
void add_merge(CLI::App& app, Arguments& args);
void add_uncertainty(CLI::App& app, Arguments& args);
void add_topology(CLI::App& app, Arguments& args);
void add_validate(CLI::App& app, Arguments& args);
void add_calibrate(CLI::App& app, Arguments& args);
void add_import(CLI::App& app, Arguments& args);
void add_export(CLI::App& app, Arguments& args);
void add_schema(CLI::App& app, Arguments& args);
void add_completion(CLI::App& app, Arguments& args);

// What commands share.

/// Standard output; a full disk or a closed pipe is an error and not silence.
void print(std::string_view text);
reports::TextOptions terminal_options();
Catalog open_catalog(const Arguments& args);

void add_scenario_flags(CLI::App& command, Arguments& args);
void add_output_flags(CLI::App& command, Arguments& args);
void add_full_flag(CLI::App& command, Arguments& args);
/// --interactive and --planner.
void add_planner_flags(CLI::App& command, Arguments& args);
/// Throws Error, before the work, where a report cannot be written as it is asked for.
void check_outputs(const Arguments& args);
/// Writes the report of a question, all formats or none, and returns the names of the files.
std::vector<std::string> write_outputs(const Arguments& args, const reports::Report& report,
                                       const std::string& json);

/// The result document of a scenario, asked what it asks itself: its goal, or how long it takes on its own
/// cluster. `text` is the file as it stands. Throws Error for what is no scenario, and for a campaign.
std::string answer_scenario(const std::string& file, const Json& text);

/// Writes the result document in the formats that the outputs' endings name, all or none, and prints its
/// first page, or with --full all of it.
void deliver_result(const Arguments& args, const std::string& json);
/// The same of a text that is parsed already.
void deliver_result(const Arguments& args, const std::string& json, const Json& parsed);
/// The same of a campaign document, and of the campaign of args.scenario.
void deliver_campaign(const Arguments& args, const std::string& json, const std::string& name = "campaign");
void run_campaign_command(const Arguments& args, const std::vector<std::string>& limits = {});
/// Prints a table document as text, or as it is with --json.
void deliver_tables(const Arguments& args, const std::string& json);

}  // namespace rackcast
