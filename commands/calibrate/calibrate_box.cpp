/// `rackcast calibrate fit box.json`, `check` and `diff`: what to do with a measured box.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>

#include "calibrate/box/box_fit.hpp"
#include "calibrate/box/box_review.hpp"
#include "calibrate/fit/parameter_file.hpp"
#include "commands/calibrate/calibration.hpp"
#include "commands/commands.hpp"
#include "reports/blocks/format.hpp"
#include "reports/pages/report.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/error.hpp"
#include "sim/base/normal.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {
namespace {

std::string percent(double fraction) {
  return fmt::format("{:.1f} %", 100 * fraction);
}

std::string title_of(const KernelFit& fit) {
  return fmt::format("{}, {}, {}", to_string(fit.key.kind), to_string(fit.key.arithmetic),
                     to_string(fit.key.library));
}

reports::Table parameters_table(const KernelFit& fit) {
  reports::Table table;
  table.caption = "Parameters, with their 90 % intervals";
  table.columns = {{"parameter"},
                   {"value", reports::Align::right},
                   {"low", reports::Align::right},
                   {"high", reports::Align::right}};
  for (std::size_t i = 0; i < kernel_parameter_count; ++i) {
    const auto p = static_cast<KernelParameter>(i);
    if (!uses(fit.key.kind, fit.key.arithmetic, p)) continue;
    const double value = fit.parameters[p], factor = std::exp(half_of_90_percent * fit.relative_sigma[p]);
    const auto cell = [&](double x) {
      return reports::text_cell(fmt::format("{:.4g}{}", x, info(p).microseconds ? " us" : ""));
    };
    table.rows.push_back({reports::text_cell(std::string{info(p).name}), cell(value), cell(value / factor),
                          cell(value * factor)});
  }
  return table;
}

/// Measured beyond predicted against the measured time; predictions are those of fits without the kernel.
reports::Chart residual_chart(const BoxFit& box, const KernelFit& fit) {
  reports::Chart chart;
  chart.caption = fmt::format("Held-out kernels: median error {}", percent(fit.residuals.median_abs));
  chart.x = {"measured time", reports::Axis::Kind::seconds, true};
  chart.y = {"slower than predicted", reports::Axis::Kind::percent};
  reports::Chart::Line points{"kernels", {}, false, true}, ideal{"as predicted", {}, true, false};
  double low = 1e30, high = 0;
  chart.data.columns = {
      {"kernel"}, {"measured", reports::Align::right}, {"measured / predicted", reports::Align::right}};
  for (std::size_t i = 0; i < fit.rows.size(); ++i) {
    const double seconds = box.data.kernels[fit.rows[i]].seconds, ratio = seconds / fit.held_out[i];
    points.points.push_back({seconds, ratio - 1, ratio - 1, ratio - 1, box.data.kernels[fit.rows[i]].where});
    chart.data.rows.push_back({reports::text_cell(box.data.kernels[fit.rows[i]].where),
                               reports::text_cell(to_text(Duration{seconds})), reports::number_cell(ratio)});
    low = std::min(low, seconds);
    high = std::max(high, seconds);
  }
  for (const double x : {low, high}) ideal.points.push_back({x, 0, 0, 0, {}});
  chart.lines = {points, ideal};
  return chart;
}

std::string fit_page(const BoxFit& box) {
  reports::Report report;
  report.title = "Kernel model of " + box.gpu;
  report.subtitle = fmt::format("{} kernels, {} fits", box.data.kernels.size(), box.fits.size());
  int number = 0;
  for (const KernelFit& fit : box.fits) {
    reports::Section section{fmt::format("fit-{}", ++number), title_of(fit), {}};
    section.blocks.push_back({parameters_table(fit)});
    section.blocks.push_back({residual_chart(box, fit)});
    section.blocks.push_back({reports::Paragraph{fmt::format(
        "{} kernels. Median error on shapes that the fit did not see: {}; of the plain roofline: {}.",
        fit.rows.size(), percent(fit.residuals.median_abs), percent(fit.roofline.median_abs))}});
    report.sections.push_back(std::move(section));
  }
  return reports::write_html(report);
}

struct FitArguments {
  std::string box, gpu, output, report;
  std::vector<std::string> with;
};

void fit(const Arguments& args, const FitArguments& flags) {
  const Box box = read_box_file(flags.box);
  const BoxFit fitted = fit_box(open_catalog(args), box, {flags.gpu, flags.with});
  const std::string page = flags.report.empty() ? std::string{} : fit_page(fitted);
  write_file_atomically(flags.output, fitted.text);
  std::string text = fmt::format("{}: {} fits of {} kernels in {}\n", fitted.gpu, fitted.fits.size(),
                                 fitted.data.kernels.size(), flags.output);
  for (const KernelFit& f : fitted.fits)
    text += fmt::format("  {:44} {:4} kernels, median error {} (roofline {})\n", title_of(f), f.rows.size(),
                        percent(f.residuals.median_abs), percent(f.roofline.median_abs));
  if (!page.empty()) {
    write_file_atomically(flags.report, page);
    text += "Report: " + flags.report + "\n";
  }
  for (const std::string& warning : fitted.warnings) text += "warning: " + warning + "\n";
  print(text + fmt::format("In a scenario: \"calibration\": \"{}\"\n",
                           std::filesystem::path{flags.output}.filename().string()));
}

int check(const std::string& path) {
  constexpr const char* names[] = {"note", "warning", "fault"};
  std::string text;
  bool fault = false;
  for (const Finding& f : check_box(read_box_file(path))) {
    text += fmt::format("{}: {}\n", names[static_cast<std::size_t>(f.weight)], f.what);
    if (!f.hint.empty()) text += "  hint: " + f.hint + "\n";
    fault = fault || f.weight == Finding::Weight::fault;
  }
  print(text);
  return fault ? Exit::bound_missed : Exit::ok;
}

void diff(const std::string& a, const std::string& b) {
  const BoxDifference d = compare_boxes(read_box_file(a), read_box_file(b));
  std::string text;
  for (const std::string& fact : d.facts) text += fact + "\n";
  std::size_t same = 0;
  for (const BoxChange& c : d.changes) {
    if (!c.significant) {
      ++same;
      continue;
    }
    text += fmt::format("{:64} {}{:.1f} %\n", c.id, c.ratio > 1 ? "+" : "", 100 * (c.ratio - 1));
  }
  text += fmt::format("{} measurements in both: {} differ by more than 3 % and their noise, {} do not\n",
                      d.changes.size(), d.changes.size() - same, same);
  if (!d.only_a.empty()) text += fmt::format("only in {}: {}\n", a, d.only_a.size());
  if (!d.only_b.empty()) text += fmt::format("only in {}: {}\n", b, d.only_b.size());
  print(text);
}

}  // namespace

void add_calibrate_box(CLI::App& calibrate, Arguments& arguments) {
  const auto boxes = std::make_shared<std::pair<std::string, std::string>>();
  CLI::App* checking = calibrate.add_subcommand("check", "What is missing or suspicious in a measured box");
  checking->add_option("box", boxes->first, "Document of `rackcast calibrate run`")->required();
  checking->callback([boxes, &arguments] { arguments.code = check(boxes->first); });
  CLI::App* comparing = calibrate.add_subcommand("diff", "What changed between two boxes or two runs");
  comparing->add_option("a", boxes->first, "Document of `rackcast calibrate run`")->required();
  comparing->add_option("b", boxes->second, "Another one")->required();
  comparing->callback([boxes] { diff(boxes->first, boxes->second); });
}

void add_box_fit(CLI::App& fitting, Arguments& arguments, const std::shared_ptr<std::string>& output,
                 const std::function<void()>& fit_folder) {
  const auto flags = std::make_shared<FitArguments>();
  fitting.add_option("box", flags->box,
                     "Document of `rackcast calibrate run`; none: the measured kernels of --data");
  fitting.add_option("--gpu", flags->gpu, "Catalogue id of the box's GPU, where its name is not known");
  fitting
      .add_option("--with", flags->with,
                  "Shipped measurements of the same GPU to fit together: deepbench, ... (repeatable)")
      ->allow_extra_args(false);
  fitting.add_option("--report", flags->report, "Page with parameters and residuals (HTML)");
  fitting.add_option("--catalog", arguments.catalog_dir, "Folder with catalogue entries of your own");
  fitting.callback([flags, &arguments, output, fit_folder] {
    if (flags->box.empty()) {
      if (!flags->gpu.empty() || !flags->with.empty() || !flags->report.empty())
        throw Error{"--gpu, --with and --report belong to a measured box",
                    {},
                    "name it: rackcast calibrate fit box.json",
                    ErrorKind::usage};
      fit_folder();
      return;
    }
    flags->output = *output;
    fit(arguments, *flags);
  });
}

}  // namespace rackcast
