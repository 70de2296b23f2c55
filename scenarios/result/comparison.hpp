#pragma once
/// Results beside each other, figure by figure, with their differences.
#include <span>
#include <string>

#include "scenarios/document/comparison.hpp"
#include "scenarios/document/result.hpp"

namespace rackcast {

struct ComparedResult {
  std::string file;  ///< as the user names it
  doc::Result result;
};

/// Aligns what at least one of the results says. A difference is that to the first result.
///
/// With values a and b in 90 % intervals, the ends of the interval of b - a are
///   low = b - a - sqrt((b - b.low)^2 + (a.high - a)^2), high likewise:
/// errors add in quadrature where they are independent (GUM, JCGM 100:2008, 5.1.2), here each side by itself.
/// Errors that both results share, like those of one fit, make it wider than it is.
/// Throws Error for fewer than two results, and where one trains and another serves.
doc::Comparison compare(std::span<const ComparedResult> results);

}  // namespace rackcast
