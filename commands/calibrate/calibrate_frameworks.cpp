/// `rackcast calibrate frameworks`: the numbers of the framework profiles, fitted to the cases that they
/// name.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "commands/calibrate/calibration.hpp"
#include "commands/calibrate/repeated_fits.hpp"
#include "commands/report_files.hpp"
#include "scenarios/validation/cases/case_loader.hpp"
#include "sim/base/atomic_file.hpp"

namespace rackcast {

namespace {

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
  const ProfileFits fits = draw_together(sample_profiles(catalog, cases, profile_tasks(cases)));
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
