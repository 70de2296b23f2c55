/// The command that lays results beside each other: compare.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <system_error>

#include "commands/commands.hpp"
#include "commands/interruption.hpp"
#include "commands/report_files.hpp"
#include "reports/pages/comparison_report.hpp"
#include "scenarios/document/whole.hpp"
#include "scenarios/result/comparison.hpp"
#include "sim/base/error.hpp"
#include "sim/base/input_file.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

namespace {

/// Throws Error where two names are of one file: all its differences would be nothing.
void check_different(const std::vector<std::string>& files) {
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t k = i + 1; k < files.size(); ++k) {
      std::error_code code;
      if (files[i] != files[k] && !std::filesystem::equivalent(files[i], files[k], code)) continue;
      throw Error{fmt::format("{} and {} are the same file", files[i], files[k]),
                  {},
                  "name two results, or two scenarios"};
    }
}

/// The result in a file, or what its scenario is answered with.
ComparedResult read_compared(const std::string& file) {
  const std::string text = read_file(file);
  const Json document = parse_json(text, file);
  const Json* format = document.kind() == JsonKind::object ? document.find("format") : nullptr;
  if (document.kind() != JsonKind::object || format) return {file, doc::read_document<doc::Result>(document)};
  return {file, doc::read_document<doc::Result>(parse_json(answer_scenario(file, document), file))};
}

int run_compare(const Arguments& args, const std::vector<std::string>& files) {
  check_endings(args.outputs);  // before the work
  check_different(files);
  std::vector<ComparedResult> results;
  for (const std::string& file : files) {
    results.push_back(read_compared(file));
    if (Interruption::asked()) return Exit::interrupted;
  }
  doc::Comparison comparison = compare(results);
  comparison.command = args.command_line;
  const std::string json = doc::document_text(comparison);
  const reports::Report report = reports::comparison_report(json, "comparison");
  const auto written = write_report_files(args.outputs, report, json);
  print(args.json ? json : write_text(report, terminal_options()));
  if (args.json) return Exit::ok;
  for (const std::string& path : written) print(fmt::format("Report: {}\n", path));
  return Exit::ok;
}

}  // namespace

void add_compare(CLI::App& app, Arguments& args) {
  CLI::App* compare = app.add_subcommand(
      "compare", "Results or scenarios side by side, with the differences to the first of them");
  const auto files = std::make_shared<std::vector<std::string>>();
  compare->add_option("results", *files, "Result documents or scenarios (JSON), two or more")->required();
  add_output_flags(*compare, args);
  compare->callback([&args, files] { args.code = run_compare(args, *files); });
}

}  // namespace rackcast
