/// The command about many jobs on one cluster: campaign.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands/commands.hpp"
#include "commands/progress_line.hpp"
#include "reports/pages/campaign_report.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/questions/questions.hpp"

namespace rackcast {

namespace {

std::size_t whole_days(Duration time) {
  return static_cast<std::size_t>(time / Duration{86400});
}

}  // namespace

void add_campaign(CLI::App& app, Arguments& args) {
  CLI::App* campaign = app.add_subcommand(
      "campaign", "Days to years of jobs on the scenario's cluster: queue waits, utilisation, goodput");
  add_scenario_flags(*campaign, args);
  add_output_flags(*campaign, args);
  add_planner_flags(*campaign, args);
  const auto limits = std::make_shared<std::vector<std::string>>();
  campaign
      ->add_option("--limit", *limits,
                   "End after that time: --limit 60s. Without intervals where the campaign itself is over by "
                   "then; with exit code 4 and no document where it is not")
      ->allow_extra_args(false);
  campaign->callback([&args, limits] { run_campaign_command(args, *limits); });
}

void run_campaign_command(const Arguments& args, const std::vector<std::string>& limits) {
  check_outputs(args);
  RunControl control = read_limits(limits);
  const Asked asked{load_scenario_text(args.scenario, args.sets), args.scenario, args.command_line};
  const Answered answer = [&] {
    ProgressLine steps("Simulated training steps"), days("Simulated days of the campaign"),
        draws("Draws of the campaign");
    std::size_t drawn = 0;
    control.on_run = [&](std::size_t runs) {
      steps.show(runs);
    };
    control.on_design = [&](std::size_t one, std::size_t all) {
      draws.show(drawn = one, all);
    };
    return ask_campaign(asked, open_catalog(args), control, [&](Duration now, Duration all) {
      if (drawn == 0) days.show(whole_days(now), whole_days(all));
    });
  }();
  deliver_campaign(args, answer.json);
}

void deliver_campaign(const Arguments& args, const std::string& json, const std::string& name) {
  const reports::Report report = reports::campaign_report(json, name);
  const auto written = write_outputs(args, report, json);
  print(args.json ? json : reports::write_text(report, terminal_options()));
  if (args.json) return;
  for (const std::string& path : written) print(fmt::format("Report: {}\n", path));
}

}  // namespace rackcast
