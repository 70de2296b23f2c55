/// `rackcast calibrate frameworks`: the numbers of the framework profiles, fitted to the cases that they
/// name.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include "calibrate/fit/framework_fit.hpp"
#include "commands/calibrate/calibration.hpp"
#include "commands/report_files.hpp"
#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

namespace {

using CasesById = std::map<std::string, ValidationCase>;

/// A profile that adds nothing to the kernels ("library") has nothing to fit, its interval included.
bool adds_something(const FrameworkProfile& profile) {
  return profile.host_per_kernel > Duration{0};
}

std::vector<ProfileTask> tasks_of(const CasesById& cases) {
  std::vector<ProfileTask> tasks;
  for (FrameworkProfile& profile : framework_profiles()) {
    if (!adds_something(profile)) continue;
    std::vector<ProfileCase> own;
    for (const std::string& id : profile.fit) {
      const auto found = cases.find(id);
      if (found == cases.end())
        throw Error{
            fmt::format("no case is called \"{}\", which profile \"{}\" is fitted on", id, profile.id),
            {},
            "the cases come with the source in tests/validation/cases"};
      own.push_back({id, found->second.series});
    }
    tasks.push_back({std::move(profile), std::move(own)});
  }
  return tasks;
}

ProfileResidual predict(PredictionContext& context, FrameworkProfile profile, const ValidationCase& c) {
  profile.log_sigma = 0;  // what is left of the interval is the kernels'
  context.replace_profile(profile);
  const PredictedFigure figure = figure_to_fit(context, c);
  return {std::log(*c.measured / figure.value), std::log(figure.high / figure.value) / 1.645};
}

void write_files(const std::vector<ProfileFit>& fits, const std::string& folder) {
  make_folder(folder);
  for (const EmbeddedFile& file : framework_files()) {
    const std::filesystem::path name = std::filesystem::path{file.name}.filename();
    write_file_atomically((std::filesystem::path{folder} / name).string(),
                          with_fitted_numbers(std::string{file.text}, name.string(), fits));
  }
}

void run(const Arguments& args, const std::string& case_files) {
  CasesById cases;
  for (ValidationCase& c : load_cases(case_files)) cases.emplace(c.id, std::move(c));
  const Catalog catalog = open_catalog(args);
  PredictionContext context{catalog};
  const ProfileFits fits =
      fit_profiles(tasks_of(cases), [&](const FrameworkProfile& profile, const ProfileCase& c) {
        return predict(context, profile, cases.at(c.id));
      });
  for (const std::string& folder : args.outputs) write_files(fits.profiles, folder);
  print(framework_fit_table(fits));
}

}  // namespace

void add_calibrate_frameworks(CLI::App& calibrate, Arguments& args) {
  CLI::App* frameworks = calibrate.add_subcommand(
      "frameworks",
      "Fit framework profiles to the cases they name; writes what models/data/frameworks holds");
  const auto cases = std::make_shared<std::string>();
  frameworks->add_option("--cases", *cases, "Case file or folder")->required();
  frameworks->add_option("-o,--output", args.outputs,
                         "Folder for the profiles; default: print the table only");
  frameworks->callback([&args, cases] { run(args, *cases); });
}

}  // namespace rackcast
