#pragma once
/// What `validate --leave-out source` predicts with: every fit, repeated without one source of cases.
#include <functional>
#include <map>
#include <span>
#include <string>

#include "scenarios/validation/cases/case.hpp"
#include "scenarios/validation/fitted_constants.hpp"

namespace rackcast {

class Catalog;

/// For each source of `asked` that entered a fit, the constants of the fits without it:
///
/// - kernels: without the folders of calibrate/data that come from the same people (provenance.json,
///   `same_source`);
/// - links: without its curves;
/// - servers: without its runs. No other source has any, so that their hosts take no time;
/// - framework profiles: without its cases. Where kernels or links changed, profiles that its cases ask for
///   are fitted with these; the intervals of all profiles are drawn together again.
///
/// A source that entered no fit has no entry. `known` holds all cases on which something is fitted.
std::map<std::string, FittedConstants> constants_without_sources(
    const Catalog& catalog, std::span<const ValidationCase> known, std::span<const ValidationCase> asked,
    const std::function<void(std::size_t done, std::size_t all)>& on_source);

}  // namespace rackcast
