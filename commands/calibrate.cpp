/// Calibration: fit the GPU cost models, and say how well they fit.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "calibrate/calibrate_fit.hpp"
#include "calibrate/data_files.hpp"
#include "commands/calibration.hpp"

namespace rackcast {

namespace {

FitReport fit(const std::string& folder) {
  return calibrate_fit(folder.empty() ? shipped_data_files() : read_data_folder(folder));
}

}  // namespace

void add_calibrate(CLI::App& app, Arguments& args) {
  CLI::App* calibrate = app.add_subcommand("calibrate", "Measure a machine, fit the models to measurements");
  calibrate->require_subcommand(1);
  add_calibrate_run(*calibrate, args);
  add_calibrate_frameworks(*calibrate, args);
  struct Flags {
    std::string data, output;
  };
  const auto flags = std::make_shared<Flags>();

  CLI::App* fitting =
      calibrate->add_subcommand("fit", "Fit GPU kernel models; writes what models/data/gpu_models holds");
  fitting->add_option("--data", flags->data, "Folder of measured kernels; default: the shipped ones");
  fitting->add_option("-o,--output", flags->output, "Folder for the parameter files")->required();
  fitting->callback([flags] {
    const FitReport report = fit(flags->data);
    write_parameter_files(report, flags->output);
    print(fmt::format("{} fits of {} kernels; {} files in {}\n", report.fits, report.kernels,
                      report.files.size(), flags->output));
  });

  CLI::App* accuracy = calibrate->add_subcommand(
      "accuracy", "Errors of the fits on shapes they did not see, beside a roofline (Markdown)");
  accuracy->add_option("--data", flags->data, "Folder of measured kernels; default: the shipped ones");
  accuracy->callback([flags] { print(fit(flags->data).accuracy); });
}

}  // namespace rackcast
