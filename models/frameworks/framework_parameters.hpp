#pragma once
/// The numbers of a framework profile that a fit may change, by their names in models/data/frameworks.
#include <span>
#include <string>
#include <string_view>

#include "models/frameworks/framework.hpp"

namespace rackcast {

struct ProfileParameter {
  std::string_view name;
  std::string_view unit;  ///< as the files write it: "us", "GB/s"; empty for a plain number
  double (*get)(const FrameworkProfile&) = nullptr;  ///< in that unit
  void (*set)(FrameworkProfile&, double value) = nullptr;
  double expected_of_graph = 1;  ///< of a framework that nobody measured and that holds the whole network
  double expected_of_eager = 1;  ///< of one that a Python program calls operator by operator
  double spread = 1;             ///< of the logarithm of such a number, from one framework to another

  [[nodiscard]] double expected(Dispatch dispatch) const {
    return dispatch == Dispatch::eager ? expected_of_eager : expected_of_graph;
  }
};

std::span<const ProfileParameter> profile_parameters();

/// nullptr for an unknown name.
const ProfileParameter* find_profile_parameter(std::string_view name);

/// Standard deviation of the logarithm of the host's pace, which differs from one machine to another and,
/// where no fit knows it, from one framework to another.
double host_log_sigma(const FrameworkProfile& profile);

/// Gives `profile` all numbers of another that a fit may change, and its spread.
void take_numbers(FrameworkProfile& profile, const FrameworkProfile& from);

/// Three significant digits, with the unit and quotes where there is one: how the files write it.
std::string profile_number(const ProfileParameter& parameter, double value);
double rounded(double value);

}  // namespace rackcast
