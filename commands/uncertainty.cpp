/// The command about how sure an answer is: uncertainty.
#include <CLI/CLI.hpp>
#include <memory>

#include "commands/commands.hpp"
#include "commands/progress_line.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/questions/questions.hpp"

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
    const Asked asked{load_scenario_text(args.scenario, args.sets), args.scenario, args.command_line};
    const Answered answer = [&] {
      ProgressLine progress("Samples");
      RunControl control;
      control.on_design = [&](std::size_t done, std::size_t about) {
        progress.show(done, about);
      };
      return ask_uncertainty(asked, open_catalog(args), control, *samples);
    }();
    deliver_tables(args, answer.json);
  });
}

}  // namespace rackcast
