/// Commands that write documents: init, schema, export.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "calibrate/measure/box.hpp"
#include "commands/commands.hpp"
#include "models/recorded/chakra_file.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/listings/templates.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

namespace {

int run_init(const Arguments& args, const std::string& question) {
  if (question.empty()) {
    std::string text =
        "rackcast init QUESTION prints a commented scenario to start from. The questions are:\n";
    for (const Template& t : templates()) text += fmt::format("  {:8} {}\n", t.question, t.help);
    text +=
        "\nrackcast init PART prints a commented network or piece of hardware of your own. The parts are:\n";
    for (const Template& t : part_templates()) text += fmt::format("  {:8} {}\n", t.question, t.help);
    print(text);
    return Exit::ok;
  }
  const std::string_view text = template_text(question);
  if (args.outputs.empty()) {
    print(text);
    return Exit::ok;
  }
  const std::string& path = args.outputs.front();
  if (std::filesystem::exists(path)) {
    throw Error{
        fmt::format("{} exists already", path), {}, "choose another name or remove it", ErrorKind::usage};
  }
  write_file_atomically(path, text);
  print(fmt::format("Wrote {}\n", path));
  return Exit::ok;
}

const WorkloadSpec& workload_to_export(const Scenario& scenario, const std::string& wanted) {
  std::string known;
  for (const WorkloadSpec& w : scenario.workloads) {
    if (wanted.empty() ? scenario.workloads.size() == 1 : w.model == wanted) return w;
    known += (known.empty() ? "" : ", ") + w.model;
  }
  throw Error{wanted.empty() ? std::string{"the scenario has several workloads"}
                             : fmt::format("the scenario has no workload \"{}\"", wanted),
              scenario.text.where(), "choose one with --workload: " + known};
}

void run_export(const Arguments& args, const std::string& wanted, const std::string& folder) {
  const Catalog catalog = open_catalog(args);
  const Scenario scenario = resolve_clusters(load_scenario(args.scenario, args.sets), catalog);
  Evaluator evaluator{catalog, {}, scenario};
  const RecordedStep step = evaluator.record(question(scenario, workload_to_export(scenario, wanted)));
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

}  // namespace

void add_init(CLI::App& app, Arguments& args) {
  CLI::App* init =
      app.add_subcommand("init", "A commented scenario, network, GPU, node or link to start from");
  const auto question = std::make_shared<std::string>();
  init->add_option("question", *question,
                   "nodes, time, fleet, serving, tokens; network, gpu, node, link; none: list them");
  init->add_option("-o,--output", args.outputs, "File to write; default: standard output")->expected(1);
  init->callback([&args, question] { args.code = run_init(args, *question); });
}

void add_schema(CLI::App& app, Arguments&) {
  CLI::App* schema = app.add_subcommand("schema", "Print a JSON schema (draft-07)");
  const auto name = std::make_shared<std::string>("scenario");
  schema->add_option("name", *name,
                     "scenario (default), result, campaign, comparison, network, gpu, node, link, ..., box");
  auto reference = std::make_shared<bool>(false);
  schema->add_flag("--reference", *reference,
                   "Of result, campaign and comparison: every key with type, unit and meaning, as Markdown");
  schema->callback([name, reference] {
    if (*reference)
      print(reference_text(*name));
    else
      print(*name == "box" ? std::string{box_schema()} : schema_text(*name));
  });
}

void add_export(CLI::App& app, Arguments& args) {
  CLI::App* command = app.add_subcommand("export", "Write a training step for other simulators");
  command->require_subcommand(1);
  CLI::App* chakra = command->add_subcommand(
      "chakra", "One step as MLCommons Chakra execution traces, a file for each class of ranks");
  add_scenario_flags(*chakra, args);
  const auto workload = std::make_shared<std::string>(), folder = std::make_shared<std::string>();
  chakra->add_option("--workload", *workload, "Which network, where the scenario has several");
  chakra->add_option("-o,--output", *folder, "Folder for the files")->required();
  chakra->callback([&args, workload, folder] { run_export(args, *workload, *folder); });
}

}  // namespace rackcast
