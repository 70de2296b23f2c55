/// `rackcast calibrate collectives`: what NCCL's protocols cost inside a node, fitted to the measured curves
/// that models/data/collectives/links.json names.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>
#include <memory>

#include "calibrate/fit/link_fit.hpp"
#include "commands/calibrate/calibration.hpp"
#include "models/collectives/fitted_curves.hpp"
#include "models/data_files.hpp"
#include "scenarios/validation/cases/case_loader.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

using CasesById = std::map<std::string, ValidationCase>;

std::vector<LinkTask> tasks_of(const CasesById& cases) {
  std::vector<LinkTask> tasks;
  for (const FittedCurve& curve : fitted_curves()) {
    if (tasks.empty() || tasks.back().link != curve.link) tasks.push_back({curve.link, {}});
    const std::size_t before = tasks.back().cases.size();
    for (const auto& [id, c] : cases)
      if (c.series == curve.series && c.system.gpus == curve.gpus) tasks.back().cases.push_back(id);
    if (tasks.back().cases.size() == before)
      throw Error{fmt::format("there is no case of \"{}\" with {:g} GPUs, on which \"{}\" is fitted",
                              curve.series, curve.gpus, curve.link),
                  {},
                  "the cases come with the source in calibrate/data/collectives and tests/validation/cases"};
  }
  return tasks;
}

double residual_of(PredictionContext& context, const Json& links, const ValidationCase& c) {
  context.replace_links(links);
  const double log_ratio = std::log(*c.measured / figure_to_fit(context, c).value);
  return c.metric == "busbw_gb_per_s" ? -log_ratio : log_ratio;
}

void run(const Arguments& args, const std::vector<std::string>& folders) {
  CasesById cases;
  for (const std::string& folder : folders)
    for (ValidationCase& c : load_cases(folder)) cases.emplace(c.id, std::move(c));
  const Catalog catalog = open_catalog(args);
  PredictionContext context{catalog};
  const LinkFits fits = fit_links(
      model_data_text("collectives/links.json"), tasks_of(cases),
      [&](const Json& links, const std::string& id) { return residual_of(context, links, cases.at(id)); });
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
