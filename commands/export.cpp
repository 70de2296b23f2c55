/// `rackcast export`: a training step for other simulators, and the files that start a run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "commands/commands.hpp"
#include "commands/interruption.hpp"
#include "commands/progress_line.hpp"
#include "models/recorded/chakra_file.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/format/workload_choice.hpp"
#include "scenarios/launch/launch_text.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

namespace {

void run_export_chakra(const Arguments& args, const std::string& wanted, const std::string& folder) {
  const Catalog catalog = open_catalog(args);
  const Scenario scenario = resolve_clusters(load_scenario(args.scenario, args.sets), catalog);
  Evaluator evaluator{catalog, {}, scenario};
  const RecordedStep step = evaluator.record(question(scenario, workload_named(scenario, wanted)));
  const auto files = chakra_files(step);
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw Error{fmt::format("cannot make the folder {}: {}", folder, failed.message()), {.file = folder}};
  for (const auto& entry : std::filesystem::directory_iterator{folder, failed}) {
    const std::string name = entry.path().filename().string();
    const bool other = std::ranges::none_of(files, [&](const auto& file) { return file.first == name; });
    if (name.starts_with("et.") && name.ends_with(".et") && other)
      throw Error{fmt::format("{} is of another export", entry.path().string()),
                  {.file = folder},
                  "choose an empty folder, or remove it",
                  ErrorKind::usage};
  }
  std::string text;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string path = (std::filesystem::path{folder} / files[i].first).string();
    write_file_atomically(path, files[i].second);
    text += fmt::format("{}: rank {}, {} nodes\n", path, step.ranks[i].rank, step.ranks[i].tasks.size());
  }
  const int each = step.ranks.front().stands_for;
  print(text + (each == 1 ? std::string{} : fmt::format("Each file stands for {} ranks.\n", each)));
}

struct LaunchFlags {
  std::string target, workload, output;
};

void run_export_launch(const Arguments& args, const LaunchFlags& flags) {
  const Json text = load_scenario_text(args.scenario, args.sets);
  const Interruption interruption;
  const Catalog catalog = open_catalog(args);
  const std::string launched = [&] {
    ProgressLine progress("Simulated runs");
    RunControl control;
    control.on_run = [&](std::size_t runs) {
      progress.show(runs);
    };
    control.cancelled = Interruption::asked;
    return launch_text(text, args.scenario, catalog, flags.target, flags.workload, control);
  }();
  if (flags.output.empty()) {
    print(launched);
    return;
  }
  write_file_atomically(flags.output, launched);
  print(fmt::format("Wrote {}\n", flags.output));
}

void add_export_launch(CLI::App& command, Arguments& args) {
  CLI::App* launch = command.add_subcommand(
      "launch",
      "What starts the scenario's training or server: Slurm, Megatron-LM, vLLM, TensorRT-LLM, SGLang");
  add_scenario_flags(*launch, args);
  const auto flags = std::make_shared<LaunchFlags>();
  launch
      ->add_option("--for", flags->target,
                   "megatron, slurm, vllm, tensorrt-llm or sglang; default: slurm, or the "
                   "scenario's server")
      ->check(CLI::IsMember(std::vector<std::string>{launch_targets.begin(), launch_targets.end()}));
  launch->add_option("--workload", flags->workload, "Which network, where the scenario has several");
  launch->add_option("-o,--output", flags->output, "File to write; default: standard output");
  launch->callback([&args, flags] { run_export_launch(args, *flags); });
}

}  // namespace

void add_export(CLI::App& app, Arguments& args) {
  CLI::App* command =
      app.add_subcommand("export", "Write a training step for other simulators, or what starts a run");
  command->require_subcommand(1);
  CLI::App* chakra = command->add_subcommand(
      "chakra", "One step as MLCommons Chakra execution traces, a file for each class of ranks");
  add_scenario_flags(*chakra, args);
  const auto workload = std::make_shared<std::string>(), folder = std::make_shared<std::string>();
  chakra->add_option("--workload", *workload, "Which network, where the scenario has several");
  chakra->add_option("-o,--output", *folder, "Folder for the files")->required();
  chakra->callback([&args, workload, folder] { run_export_chakra(args, *workload, *folder); });
  add_export_launch(*command, args);
}

}  // namespace rackcast
