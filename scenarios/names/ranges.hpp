#pragma once
/// Inputs that a scenario gives as ranges: "epochs": "40..60", "deadline": "10..14 days". Every value between
/// the ends is taken as equally likely. Where one value is needed the middle stands for the range. Ends that
/// are whole numbers mean whole values.
#include <span>
#include <string>
#include <vector>

#include "sim/json/reader.hpp"

namespace rackcast {

struct InputRange {
  std::string path;  ///< "workloads.0.epochs"
  double low = 0, high = 0;
  std::string unit;    ///< " days"; empty: a plain number
  bool whole = false;  ///< only whole values

  /// The value at `u` in [0, 1], as a scenario writes it.
  [[nodiscard]] std::string at(double u) const;
};

/// In file order. Names, descriptions, labels, notes and sources are text and never ranges. Throws Error at
/// the place of a range that ends below its beginning.
std::vector<InputRange> find_ranges(const Json& scenario);

/// The scenario with each range replaced by its value at `u`, one number for each range.
Json at_point(Json scenario, std::span<const InputRange> ranges, std::span<const double> u);

/// The same at the middle of all ranges; unchanged if there are none.
Json at_middle(const Json& scenario);

}  // namespace rackcast
