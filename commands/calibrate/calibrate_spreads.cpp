/// `rackcast calibrate spreads`: the spreads of mechanisms, fitted to what `validate --leave-out source`
/// found.
#include <CLI/CLI.hpp>
#include <memory>

#include "commands/calibrate/calibration.hpp"
#include "commands/validate/left_out_spreads.hpp"
#include "models/data_files.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

void run(const Arguments& args, const std::string& file) {
  const std::vector<SpreadCase> cases =
      spread_cases(parse_json_file(file, {.max_bytes = std::size_t{64} << 20}));
  const SpreadFit fit = fit_spreads(cases);
  for (const std::string& output : args.outputs)
    write_file_atomically(output, with_fitted_spreads(model_data_text("mechanism_spreads.json"), fit));
  print(spread_fit_table(cases, fit));
}

}  // namespace

void add_calibrate_spreads(CLI::App& calibrate, Arguments& args) {
  CLI::App* spreads = calibrate.add_subcommand(
      "spreads",
      "Fit the spreads of mechanisms to errors of sources that no fit has seen; writes what "
      "models/data/mechanism_spreads.json holds");
  const auto file = std::make_shared<std::string>();
  spreads->add_option("--left-out", *file, "What `rackcast validate --leave-out source --json` printed")
      ->required();
  spreads->add_option("-o,--output", args.outputs, "mechanism_spreads.json; default: print the table only");
  spreads->callback([&args, file] { run(args, *file); });
}

}  // namespace rackcast
