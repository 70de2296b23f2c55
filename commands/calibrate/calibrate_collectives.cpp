/// `rackcast calibrate collectives`: what NCCL's protocols cost inside a node, fitted to the measured curves
/// that models/data/collectives/links.json names.
#include <CLI/CLI.hpp>
#include <memory>

#include "commands/calibrate/calibration.hpp"
#include "commands/calibrate/repeated_fits.hpp"
#include "scenarios/validation/cases/case_loader.hpp"
#include "sim/base/atomic_file.hpp"

namespace rackcast {
namespace {

void run(const Arguments& args, const std::vector<std::string>& folders) {
  CasesById cases;
  for (const std::string& folder : folders)
    for (ValidationCase& c : load_cases(folder)) cases.emplace(c.id, std::move(c));
  const Catalog catalog = open_catalog(args);
  const LinkFits fits = refit_links(catalog, cases, link_tasks(cases));
  for (const std::string& file : args.outputs) write_file_atomically(file, fits.text);
  print(link_fit_table(fits));
}

}  // namespace

void add_calibrate_collectives(CLI::App& calibrate, Arguments& args) {
  CLI::App* collectives = calibrate.add_subcommand(
      "collectives",
      "Fit what NCCL's protocols cost inside a node; writes what models/data/collectives holds");
  const auto cases = std::make_shared<std::vector<std::string>>();
  collectives->add_option("--cases", *cases, "Case file or folder (repeatable)")->required();
  collectives->add_option("-o,--output", args.outputs, "links.json; default: print the table only");
  collectives->callback([&args, cases] { run(args, *cases); });
}

}  // namespace rackcast
