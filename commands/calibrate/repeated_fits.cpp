#include "commands/calibrate/repeated_fits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "models/collectives/fitted_curves.hpp"
#include "models/data_files.hpp"
#include "scenarios/validation/provenance.hpp"
#include "sim/base/error.hpp"
#include "sim/base/normal.hpp"
#include "sim/base/parallel.hpp"

namespace rackcast {
namespace {

bool adds_something(const FrameworkProfile& profile) {
  return profile.host_per_kernel > Duration{0};
}

ProfileResidual profile_residual(PredictionContext& context, FrameworkProfile profile,
                                 const ValidationCase& c) {
  profile.log_sigma = 0;  // what is left of the interval is the kernels'
  context.replace_profile(profile);
  const PredictedFigure figure = figure_to_fit(context, c);
  return {std::log(*c.measured / figure.value), std::log(figure.high / figure.value) / half_of_90_percent};
}

double link_residual(PredictionContext& context, const ValidationCase& c) {
  const double log_ratio = std::log(*c.measured / figure_to_fit(context, c).value);
  return c.metric == "busbw_gb_per_s" ? -log_ratio : log_ratio;
}

std::vector<double> residuals_with(PredictionContext& context, const CasesById& cases, const Json& links,
                                   const std::vector<std::string>& ids) {
  context.replace_links(links);
  std::vector<double> out;
  for (const std::string& id : ids) out.push_back(link_residual(context, cases.at(id)));
  return out;
}

}  // namespace

std::vector<ProfileTask> profile_tasks(const CasesById& cases, std::string_view without) {
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
      if (without.empty() || found->second.source != without) own.push_back({id, found->second.series});
    }
    tasks.push_back({std::move(profile), std::move(own)});
  }
  return tasks;
}

std::vector<ProfileSample> sample_profiles(const Catalog& catalog, const CasesById& cases,
                                           const std::vector<ProfileTask>& tasks,
                                           const FittedConstants& constants) {
  std::vector<std::unique_ptr<PredictionContext>> contexts(static_cast<std::size_t>(available_threads()));
  std::vector<ProfileSample> out(tasks.size());
  in_parallel(tasks.size(), 0, [&](std::size_t task, std::size_t slot) {
    std::unique_ptr<PredictionContext>& context = contexts[slot];
    if (!context) context = std::make_unique<PredictionContext>(catalog, constants);
    out[task] = sample_profile(tasks[task], [&](const FrameworkProfile& profile, const ProfileCase& c) {
      return profile_residual(*context, profile, cases.at(c.id));
    });
  });
  return out;
}

std::vector<LinkTask> link_tasks(const CasesById& cases, std::string_view without) {
  const std::vector<std::string> same_people =
      without.empty() ? std::vector<std::string>{} : data_of_source(without);
  const auto left_out = [&](const ValidationCase& c) {
    return !without.empty() &&
           (c.source == without || std::ranges::any_of(same_people, [&](const std::string& data) {
              return c.series.starts_with(data + "/");
            }));
  };
  std::vector<LinkTask> tasks;
  for (const FittedCurve& curve : fitted_curves()) {
    if (tasks.empty() || tasks.back().link != curve.link) tasks.push_back({curve.link, {}, {}});
    bool found = false;
    for (const auto& [id, c] : cases) {
      if (c.series != curve.series || c.system.gpus != curve.gpus) continue;
      found = true;
      if (left_out(c)) continue;
      tasks.back().cases.push_back(id);
      tasks.back().measured_by.push_back(c.citation);
    }
    if (!found)
      throw Error{fmt::format("there is no case of \"{}\" with {:g} GPUs, on which \"{}\" is fitted",
                              curve.series, curve.gpus, curve.link),
                  {},
                  "the cases come with the source in calibrate/data/collectives and tests/validation/cases"};
  }
  return tasks;
}

std::vector<double> link_residuals(const Catalog& catalog, const CasesById& cases, const std::string& links,
                                   const std::vector<std::string>& ids) {
  PredictionContext context{catalog};
  return residuals_with(context, cases, parse_json(links, "links.json"), ids);
}

LinkFits refit_links(const Catalog& catalog, const CasesById& cases, const std::vector<LinkTask>& tasks) {
  PredictionContext context{catalog};
  return fit_links(model_data_text("collectives/links.json"), tasks,
                   [&](const Json& links, const std::vector<std::string>& ids) {
                     return residuals_with(context, cases, links, ids);
                   });
}

}  // namespace rackcast
