/// The command that sets predictions beside published measurements.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "commands/commands.hpp"
#include "commands/progress_line.hpp"
#include "commands/report_files.hpp"
#include "reports/validation_report.hpp"
#include "scenarios/validation/case_loader.hpp"
#include "scenarios/validation/report.hpp"

namespace rackcast {

namespace {

int run_validate(const Arguments& args, const std::string& cases, const std::vector<std::string>& bound) {
  check_endings(args.outputs);  // before the work
  std::vector<ValidationBounds> bounds;
  for (const std::string& text : bound) bounds.push_back(parse_bounds(text));
  const std::vector<ValidationCase> all = load_cases(cases);
  const ValidationReport report = [&] {
    ProgressLine progress("Predicting cases");
    return validate_cases(open_catalog(args), all,
                          [&](std::size_t done) { progress.show(done, all.size()); });
  }();
  const std::string json = to_json_text(report);
  const reports::Report page = reports::build_validation_report(json, "validation");
  write_report_files(args.outputs, page, json);
  print(args.json ? json : reports::write_text(page, terminal_options()));
  int code = Exit::ok;
  for (const ValidationBounds& asked : bounds) {
    for (const std::string& sentence : missed_bounds(report, asked)) {
      std::fprintf(stderr, "bound missed: %s\n", sentence.c_str());
      code = Exit::bound_missed;
    }
  }
  return code;
}

}  // namespace

void add_validate(CLI::App& app, Arguments& args) {
  struct Flags {
    std::string cases;
    std::vector<std::string> bound;
  };
  CLI::App* validate = app.add_subcommand("validate", "Compare predictions with published measurements");
  const auto flags = std::make_shared<Flags>();
  validate->add_option("--cases", flags->cases, "Case file or folder")->required();
  validate->add_flag("--json", args.json, "Print every case and the summary as JSON");
  validate->add_option("-o,--output,--html", args.outputs, kOutputHelp);
  validate->add_option(
      "--bound", flags->bound,
      "Exit with 5 past it: median=0.08,p90=0.25,mean=...,coverage=0.85; of one row of a table: "
      "\"task/training, 1 GPU:median=0.08\" (repeatable)");
  validate->add_option("--catalog", args.catalog_dir, "Folder with catalogue entries of your own");
  validate->callback([&args, flags] { args.code = run_validate(args, flags->cases, flags->bound); });
}

}  // namespace rackcast
