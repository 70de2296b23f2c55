/// The command about how sure an answer is: uncertainty.
#include "scenarios/uncertainty/uncertainty.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "commands/commands.hpp"
#include "commands/progress_line.hpp"
#include "scenarios/uncertainty/service_uncertainty.hpp"

namespace rackcast {

void add_uncertainty(CLI::App& app, Arguments& args) {
  CLI::App* command = app.add_subcommand(
      "uncertainty", "How sure is the answer, what is it sensitive to, how many nodes give 90 % confidence?");
  add_scenario_flags(*command, args);
  const auto samples = std::make_shared<std::size_t>(256);
  command->add_option("--samples", *samples, "Quasi-random samples")
      ->check(CLI::Range(16, 65536))
      ->capture_default_str();
  command->add_flag("--json", args.json, "Print JSON instead of text");
  command->callback([&args, samples] {
    const Catalog catalog = open_catalog(args);
    const Json text = load_scenario_text(args.scenario, args.sets);
    if (serves(text)) {
      const Scenario scenario = resolve_clusters(read_serving_scenario(text, args.scenario), catalog);
      const ServiceUncertainty report = [&] {
        ProgressLine progress("Samples");
        return service_uncertainty(scenario, catalog, *samples,
                                   [&](std::size_t done, std::size_t about) { progress.show(done, about); });
      }();
      deliver_tables(args, service_uncertainty_document(scenario, report));
      return;
    }
    const Scenario scenario = resolve_clusters(read_scenario(text, args.scenario), catalog);
    const SampledAnswer report = [&] {
      ProgressLine progress("Samples");
      return uncertainty(scenario, catalog, *samples,
                         [&](std::size_t done, std::size_t about) { progress.show(done, about); });
    }();
    deliver_tables(args, uncertainty_document(scenario, report));
  });
}

}  // namespace rackcast
