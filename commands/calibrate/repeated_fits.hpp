#pragma once
/// The fits whose cases stand in tests/validation/cases, ready to be repeated on all of them or without a
/// source.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/fit/framework_fit.hpp"
#include "calibrate/fit/link_fit.hpp"
#include "scenarios/validation/cases/case.hpp"
#include "scenarios/validation/predict/predictor.hpp"

namespace rackcast {

using CasesById = std::map<std::string, ValidationCase>;

/// The profiles with the cases that they name, but those of the source `without`. A profile that adds nothing
/// to the kernels ("library") has nothing to fit and is left out. Throws Error for a case that is not there.
std::vector<ProfileTask> profile_tasks(const CasesById& cases, std::string_view without = {});
/// Each task fitted alone, with these constants beside the profiles; on every core, with the same outcome on
/// any number.
std::vector<ProfileSample> sample_profiles(const Catalog& catalog, const CasesById& cases,
                                           const std::vector<ProfileTask>& tasks,
                                           const FittedConstants& constants = {});

/// The links with the cases of their curves, but those of the source `without`. Throws Error for a curve
/// without cases.
std::vector<LinkTask> link_tasks(const CasesById& cases, std::string_view without = {});
/// ln(measured / predicted) of these cases with links in the form of links.json.
std::vector<double> link_residuals(const Catalog& catalog, const CasesById& cases, const std::string& links,
                                   const std::vector<std::string>& ids);
LinkFits refit_links(const Catalog& catalog, const CasesById& cases, const std::vector<LinkTask>& tasks);

}  // namespace rackcast
