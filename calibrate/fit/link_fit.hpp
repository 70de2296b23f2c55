#pragma once
/// Fits what NCCL's protocols cost inside a node (models/data/collectives/links.json) to measured curves of
/// all-reduce.
///
///     time = start + hops * hop + payload * 2(n-1)/n / (rate * factor)
///
/// by kind of link: `efficiency` (rate over the links' raw one), start and hop of Simple, start, hop and
/// factor of LL128 where a link has it. Which protocol a size takes is models/collectives/comm_model.hpp's
/// to say. All are fitted as logarithms by robust least squares of ln(time) (calibrate/fit/least_squares.hpp)
/// from NCCL's own constants (src/graph/tuning.cc, 2.7), which are the prior too, so that the shipped values
/// do not enter their own fit.
#include <functional>
#include <string>
#include <vector>

#include "sim/json/reader.hpp"

namespace rackcast {

struct LinkTask {
  std::string link;                ///< "nvlink/nvlink2+nvswitch"
  std::vector<std::string> cases;  ///< points of its curves
};

struct LinkFit {
  std::string link;
  std::vector<double> residuals;  ///< ln(measured / predicted)
};

struct LinkFits {
  std::string text;  ///< of links.json with the fitted numbers
  std::vector<LinkFit> links;
};

/// ln(measured / predicted) of a point with these links.
using LinkResidual = std::function<double(const Json& links, const std::string& point)>;

/// `text` is that of links.json, whose layout stays. Throws Error where it lacks a number.
LinkFits fit_links(std::string text, const std::vector<LinkTask>& tasks, const LinkResidual& residual);

/// Points and errors of each kind of link as a Markdown table.
std::string link_fit_table(const LinkFits& fits);

}  // namespace rackcast
