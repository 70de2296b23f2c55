#pragma once
#include <string>
#include <vector>

namespace rackcast {

/// How one kind of number in a result comes about.
struct MethodRow {
  std::string quantity, formula, source;
};

/// The formulas behind a result, in the order in which a reader meets the numbers.
std::vector<MethodRow> method();

}  // namespace rackcast
