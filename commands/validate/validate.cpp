/// The command that sets predictions beside published measurements.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <span>

#include "commands/commands.hpp"
#include "commands/progress_line.hpp"
#include "commands/report_files.hpp"
#include "commands/validate/leave_out.hpp"
#include "commands/validate/left_out_spreads.hpp"
#include "reports/pages/case_rows.hpp"
#include "reports/pages/scaling_report.hpp"
#include "reports/pages/validation_report.hpp"
#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/evidence_writer.hpp"
#include "scenarios/validation/report.hpp"
#include "scenarios/validation/scaling.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

namespace {

/// All drawings are made before the first is written.
void write_curves(const Arguments& args, std::span<const ValidationCase> cases, const std::string& folder) {
  const std::vector<ScalingCurve> curves = [&] {
    ProgressLine progress("Scaling curves");
    return scaling_curves(open_catalog(args), cases, [&](std::size_t done) { progress.show(done, 0); });
  }();
  for (const reports::NamedFile& file : reports::scaling_files(to_json_text(curves), "curves"))
    write_file_atomically(folder + "/" + file.name, file.text);
}

struct ValidateFlags {
  std::string cases, only, show, curves, evidence, leave_out, anchor;
  bool rows = false, keep_going = false;
  int threads = 0;
  std::vector<std::string> bound;
};

/// Those whose id holds the text.
std::vector<ValidationCase> chosen_cases(const std::vector<ValidationCase>& all, const std::string& only) {
  std::vector<ValidationCase> out;
  for (const ValidationCase& c : all)
    if (c.id.find(only) != std::string::npos) out.push_back(c);
  if (!out.empty() || all.empty()) return out;
  throw Error{fmt::format("no case has \"{}\" in its id", only),
              {},
              fmt::format("the first of {} cases is \"{}\"", all.size(), all.front().id),
              ErrorKind::usage};
}

/// What writes the page of rows again.
std::string command_of(const ValidateFlags& flags) {
  const std::string only = flags.only.empty() ? "" : " --only " + flags.only;
  std::string left_out = flags.leave_out.empty() ? "" : " --leave-out " + flags.leave_out;
  if (!flags.anchor.empty()) left_out += " --anchor " + flags.anchor;
  return fmt::format("rackcast validate --cases {}{}{} --rows", flags.cases, only, left_out);
}

const ValidationCase& case_called(const std::vector<ValidationCase>& cases, const std::string& id) {
  const auto found = std::ranges::find(cases, id, &ValidationCase::id);
  if (found != cases.end()) return *found;
  std::vector<std::string> ids;
  for (const ValidationCase& c : cases) ids.push_back(c.id);
  throw Error{fmt::format("no case is called \"{}\"", id), {}, did_you_mean(id, ids), ErrorKind::usage};
}

ValidationReport predicted(const Catalog& catalog, std::span<const ValidationCase> all,
                           std::span<const ValidationCase> known, const ValidateFlags& flags) {
  std::map<std::string, FittedConstants> without;
  if (!flags.leave_out.empty()) {
    ProgressLine progress("Repeating fits");
    without = constants_without_sources(
        catalog, known, all, [&](std::size_t done, std::size_t sources) { progress.show(done, sources); });
  }
  ProgressLine progress("Predicting cases");
  const auto show = [&](std::size_t done) {
    progress.show(done, all.size());
  };
  ValidationReport report = validate_cases(catalog, all,
                                           {.anchored = !flags.anchor.empty(),
                                            .on_case = show,
                                            .known = known,
                                            .threads = flags.threads,
                                            .without_source = flags.leave_out.empty() ? nullptr : &without});
  return flags.leave_out.empty() ? report : with_left_out_spreads(std::move(report));
}

int run_validate(const Arguments& args, const ValidateFlags& flags) {
  if (!flags.show.empty()) {
    const std::vector<ValidationCase> cases = load_cases(flags.cases);
    print(shown_scenario(open_catalog(args), case_called(cases, flags.show)));
    return Exit::ok;
  }
  check_endings(args.outputs);  // before the work
  if (!flags.curves.empty()) make_folder(flags.curves);
  std::vector<ValidationBounds> bounds;
  for (const std::string& text : flags.bound) bounds.push_back(parse_bounds(text));
  const std::vector<ValidationCase> known = load_cases(flags.cases);
  if (!flags.keep_going) require_readable(known);
  const std::vector<ValidationCase> all = chosen_cases(known, flags.only);
  const Catalog catalog = open_catalog(args);
  const ValidationReport report = predicted(catalog, all, known, flags);
  const std::string json = to_json_text(report);
  const reports::Report page = flags.rows ? reports::build_case_rows(json, "validation", command_of(flags))
                                          : reports::build_validation_report(json, "validation");
  write_report_files(args.outputs, page, json);
  if (!flags.evidence.empty()) write_file_atomically(flags.evidence, evidence_text(catalog, all, report));
  if (!flags.curves.empty()) write_curves(args, all, flags.curves);
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
  CLI::App* validate = app.add_subcommand("validate", "Compare predictions with published measurements");
  const auto flags = std::make_shared<ValidateFlags>();
  validate->add_option("--cases", flags->cases, "Case file or folder")->required();
  validate->add_option("--only", flags->only, "Only cases whose id holds this text");
  validate->add_option(
      "--show", flags->show,
      "Print the scenario of the case with this id, and predict nothing; `rackcast simulate` "
      "answers it with the same number and interval");
  validate->add_flag("--rows", flags->rows,
                     "A row for every case: measured, predicted, interval, what binds, and why it is off");
  validate->add_flag("--keep-going", flags->keep_going,
                     "Count cases that cannot be read as skipped, instead of ending at the first one");
  validate
      ->add_option(
          "--leave-out", flags->leave_out,
          "\"source\": predict each source with every fit repeated without it; \"judged\" are then all "
          "measurements, used by a fit or not. Takes minutes")
      ->check(CLI::IsMember({"source"}));
  validate
      ->add_option("--threads", flags->threads,
                   "Default: one per core; the report is the same for any number")
      ->check(CLI::Range(1, 4096));
  validate
      ->add_option("--anchor", flags->anchor,
                   "\"smallest\": take the smallest run of each series as measured, and predict the others "
                   "conditioned on it")
      ->check(CLI::IsMember({"smallest"}))
      ->excludes("--leave-out");
  validate->add_flag("--json", args.json, "Print every case and the summary as JSON");
  validate->add_option("-o,--output,--html", args.outputs, kOutputHelp);
  validate->add_option(
      "--bound", flags->bound,
      "Exit with 5 past it: median=0.08,p90=0.25,mean=...,coverage=0.85; of one row of a table: "
      "\"task/training, 1 GPU:median=0.08\" (repeatable)");
  validate->add_option(
      "--curves", flags->curves,
      "Also draw how rates grow with GPUs: one SVG for each system and a README.md in this folder");
  validate
      ->add_option("--evidence", flags->evidence,
                   "Write the predicted trainings, one row for near repeats, as size and simulate show them")
      ->excludes("--anchor");
  validate->add_option("--catalog", args.catalog_dir, "Folder with catalogue entries of your own");
  validate->callback([&args, flags] { args.code = run_validate(args, *flags); });
}

}  // namespace rackcast
