#pragma once
/// Fits what NCCL costs inside a node (models/data/collectives/links.json) to measured curves.
///
///     time = start + hops * hop + payload * (bus factor + ends) / (rate * factor)
///
/// by kind of link: `efficiency` (rate over the links' raw one) and `ends` (LinkNumbers), start and hop of
/// Simple, LL and LL128, the factor of LL128, start and rate of NVLS, each where the file has such a number.
/// Which algorithm and protocol a size takes is models/collectives/comm_model.hpp's to say. All are fitted as
/// logarithms by robust least squares of ln(time) (calibrate/fit/least_squares.hpp) from NCCL's own constants
/// (src/graph/tuning.cc), which are the prior too, so that the shipped values do not enter their own fit.
#include <functional>
#include <string>
#include <vector>

#include "sim/json/reader.hpp"

namespace rackcast {

struct LinkTask {
  std::string link;                ///< "nvlink/nvlink2+nvswitch"
  std::vector<std::string> cases;  ///< points of its curves
  /// Who measured each point: all count alike, however many points they have. Empty: one and the same.
  std::vector<std::string> measured_by = {};
};

struct LinkFit {
  std::string link;
  std::vector<double> residuals;  ///< ln(measured / predicted)
};

struct LinkFits {
  std::string text;  ///< of links.json with the fitted numbers
  std::vector<LinkFit> links;
};

/// ln(measured / predicted) of each of these points with these links, in their order.
using LinkResiduals =
    std::function<std::vector<double>(const Json& links, const std::vector<std::string>& points)>;

/// `text` is that of links.json, whose layout stays. Throws Error where it lacks a number.
LinkFits fit_links(std::string text, const std::vector<LinkTask>& tasks, const LinkResiduals& residuals);

/// Points and errors of each kind of link as a Markdown table.
std::string link_fit_table(const LinkFits& fits);

}  // namespace rackcast
