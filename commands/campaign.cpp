/// The command about many jobs on one cluster: campaign.
#include "scenarios/campaign/campaign.hpp"

#include <CLI/CLI.hpp>

#include "commands/commands.hpp"
#include "scenarios/scenario.hpp"

namespace rackcast {

void add_campaign(CLI::App& app, Arguments& args) {
  CLI::App* campaign = app.add_subcommand(
      "campaign", "Days to years of jobs on the scenario's cluster: queue waits, utilisation, goodput");
  add_scenario_flags(*campaign, args);
  campaign->add_flag("--json", args.json, "Print JSON instead of text");
  campaign->callback([&args] {
    const Catalog catalog = open_catalog(args);
    const Scenario scenario = resolve_clusters(load_scenario(args.scenario, args.sets), catalog);
    deliver_tables(args, campaign_document(scenario, run_campaign(scenario, catalog)));
  });
}

}  // namespace rackcast
