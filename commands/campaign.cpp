/// The command about many jobs on one cluster: campaign.
#include "scenarios/campaign/campaign.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "commands/commands.hpp"
#include "commands/report_files.hpp"
#include "reports/campaign_report.hpp"
#include "scenarios/scenario.hpp"

namespace rackcast {

void add_campaign(CLI::App& app, Arguments& args) {
  CLI::App* campaign = app.add_subcommand(
      "campaign", "Days to years of jobs on the scenario's cluster: queue waits, utilisation, goodput");
  add_scenario_flags(*campaign, args);
  add_output_flags(*campaign, args);
  campaign->callback([&args] { run_campaign_command(args); });
}

void run_campaign_command(const Arguments& args) {
  check_endings(args.outputs);
  const Catalog catalog = open_catalog(args);
  const Scenario scenario = resolve_clusters(load_scenario(args.scenario, args.sets), catalog);
  deliver_campaign(args, campaign_document(scenario, run_campaign(scenario, catalog), args.command_line));
}

void deliver_campaign(const Arguments& args, const std::string& json, const std::string& name) {
  const reports::Report report = reports::campaign_report(json, name);
  const auto written = write_report_files(args.outputs, report, json);
  print(args.json ? json : reports::write_text(report, terminal_options()));
  if (args.json) return;
  for (const std::string& path : written) print(fmt::format("Report: {}\n", path));
}

}  // namespace rackcast
