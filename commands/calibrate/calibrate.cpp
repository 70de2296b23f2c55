/// Calibration: fit the GPU cost models, and say how well they fit.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "calibrate/fit/calibrate_fit.hpp"
#include "calibrate/fit/power_fit.hpp"
#include "calibrate/tables/data_files.hpp"
#include "commands/calibrate/calibration.hpp"
#include "sim/base/atomic_file.hpp"

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
  add_calibrate_collectives(*calibrate, args);
  add_calibrate_spreads(*calibrate, args);
  add_calibrate_box(*calibrate, args);
  struct Flags {
    std::string data;
  };
  const auto flags = std::make_shared<Flags>();
  const auto output = std::make_shared<std::string>();

  CLI::App* fitting =
      calibrate->add_subcommand("fit", "Fit GPU kernel models to a measured box, or to tables of kernels");
  fitting->add_option("--data", flags->data, "Folder of measured kernels; default: the shipped ones");
  fitting
      ->add_option(
          "-o,--output", *output,
          "File for the model of a box (device.json); without a box, folder for what models/data/gpu_models "
          "holds")
      ->required();
  add_box_fit(*fitting, args, output, [flags, output] {
    const FitReport report = fit(flags->data);
    write_parameter_files(report, *output);
    print(fmt::format("{} fits of {} kernels; {} files in {}\n", report.fits, report.kernels,
                      report.files.size(), *output));
  });

  CLI::App* accuracy = calibrate->add_subcommand(
      "accuracy", "Errors of the fits on shapes they did not see, beside a roofline (Markdown)");
  accuracy->add_option("--data", flags->data, "Folder of measured kernels; default: the shipped ones");
  accuracy->callback([flags] { print(fit(flags->data).accuracy); });

  CLI::App* power = calibrate->add_subcommand("power", "Fit the power of GPUs to the shipped measurements");
  power->add_option("-o,--output", *output, "File for what models/data/power/gpus.json holds")->required();
  power->callback([output] {
    const std::vector<PowerFit> fits = fit_gpu_power();
    write_file_atomically(*output, gpu_power_file(fits));
    print(fmt::format("{} devices in {}\n", fits.size(), *output));
  });
}

}  // namespace rackcast
