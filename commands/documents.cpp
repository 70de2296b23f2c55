/// Commands that write documents: init, schema.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "calibrate/measure/box.hpp"
#include "commands/commands.hpp"
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

}  // namespace rackcast
