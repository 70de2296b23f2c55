/// `rackcast calibrate collectives`: what NCCL costs inside a node, fitted to the measured curves that
/// models/data/collectives/links.json names.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <set>

#include "commands/calibrate/calibration.hpp"
#include "commands/calibrate/repeated_fits.hpp"
#include "scenarios/validation/cases/case_loader.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/normal.hpp"

namespace rackcast {
namespace {

struct LeftOutPoint {
  std::string measured_by;
  double bytes = 0;
  double log_ratio = 0;  ///< measured / predicted
};

/// Every curve, predicted by a fit of its link without those who measured it. Links with one source have no
/// such prediction.
std::vector<LeftOutPoint> left_out_points(const Catalog& catalog, const CasesById& cases) {
  std::vector<LeftOutPoint> out;
  for (const LinkTask& task : link_tasks(cases)) {
    const std::set<std::string> sources{task.measured_by.begin(), task.measured_by.end()};
    if (sources.size() < 2) continue;
    for (const std::string& source : sources) {
      LinkTask others{task.link, {}, {}};
      std::vector<std::string> asked;
      for (std::size_t i = 0; i < task.cases.size(); ++i) {
        if (task.measured_by[i] == source) {
          asked.push_back(task.cases[i]);
        } else {
          others.cases.push_back(task.cases[i]);
          others.measured_by.push_back(task.measured_by[i]);
        }
      }
      const std::vector<double> ratios =
          link_residuals(catalog, cases, refit_links(catalog, cases, {others}).text, asked);
      for (std::size_t i = 0; i < asked.size(); ++i)
        out.push_back(
            {source, number_in(cases.at(asked[i]).workload.extra, "message_bytes").value_or(0), ratios[i]});
    }
  }
  return out;
}

/// Errors of the points between two sizes, as a line of the table. `sigma`: of a normal distribution with the
/// same 90 % within.
std::string left_out_line(const std::string& name, std::vector<LeftOutPoint> points) {
  if (points.empty()) return {};
  std::vector<double> sizes;
  for (const LeftOutPoint& point : points) sizes.push_back(std::abs(point.log_ratio));
  std::ranges::sort(sizes);
  const auto at = [&sizes](double level) {
    return sizes[static_cast<std::size_t>(level * static_cast<double>(sizes.size() - 1))];
  };
  return fmt::format("| {} | {} | {:.1f} % | {:.2f} |\n", name, sizes.size(), 100 * std::expm1(at(0.5)),
                     at(0.9) / half_of_90_percent);
}

std::string left_out_table(const std::vector<LeftOutPoint>& points) {
  std::string out = "| left out | points | median error | sigma |\n|---|---:|---:|---:|\n";
  std::set<std::string> sources;
  for (const LeftOutPoint& point : points) sources.insert(point.measured_by);
  const auto those = [&points](auto&& wanted) {
    std::vector<LeftOutPoint> chosen;
    std::ranges::copy_if(points, std::back_inserter(chosen), wanted);
    return chosen;
  };
  for (const std::string& source : sources)
    out += left_out_line(source, those([&](const LeftOutPoint& p) { return p.measured_by == source; }));
  constexpr std::array edges{0.0, 65536.0, 2.5e6, 20e6, 1e99};
  constexpr std::array names{"below 64 KiB", "64 KiB to 2.5 MB", "2.5 to 20 MB", "longer"};
  for (std::size_t i = 0; i < names.size(); ++i)
    out += left_out_line(names[i], those([&](const LeftOutPoint& p) {
                           return p.bytes >= edges[i] && p.bytes < edges[i + 1];
                         }));
  return out;
}

void run(const Arguments& args, const std::vector<std::string>& folders, bool left_out) {
  CasesById cases;
  for (const std::string& folder : folders)
    for (ValidationCase& c : load_cases(folder)) cases.emplace(c.id, std::move(c));
  const Catalog catalog = open_catalog(args);
  if (left_out) {
    print(left_out_table(left_out_points(catalog, cases)));
    return;
  }
  const LinkFits fits = refit_links(catalog, cases, link_tasks(cases));
  for (const std::string& file : args.outputs) write_file_atomically(file, fits.text);
  print(link_fit_table(fits));
}

}  // namespace

void add_calibrate_collectives(CLI::App& calibrate, Arguments& args) {
  CLI::App* collectives = calibrate.add_subcommand(
      "collectives", "Fit what NCCL costs inside a node; writes what models/data/collectives holds");
  const auto cases = std::make_shared<std::vector<std::string>>();
  const auto left_out = std::make_shared<bool>(false);
  collectives->add_option("--cases", *cases, "Case file or folder (repeatable)")->required();
  CLI::Option* output =
      collectives->add_option("-o,--output", args.outputs, "links.json; default: print the table only");
  collectives
      ->add_flag("--left-out", *left_out,
                 "Predict the curves of each source without it, and print how far off they are")
      ->excludes(output);
  collectives->callback([&args, cases, left_out] { run(args, *cases, *left_out); });
}

}  // namespace rackcast
