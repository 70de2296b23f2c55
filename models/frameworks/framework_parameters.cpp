#include "models/frameworks/framework_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace rackcast {
namespace {

template <Duration FrameworkProfile::*member>
double get_us(const FrameworkProfile& p) {
  return (p.*member).base() * 1e6;
}
template <Duration FrameworkProfile::*member>
void set_us(FrameworkProfile& p, double value) {
  p.*member = Duration{value * 1e-6};
}
template <double FrameworkProfile::*member>
double get_number(const FrameworkProfile& p) {
  return p.*member;
}
template <double FrameworkProfile::*member>
void set_number(FrameworkProfile& p, double value) {
  p.*member = value;
}

template <Duration FrameworkProfile::*member>
constexpr ProfileParameter time(std::string_view name, double expected, double spread) {
  return {name, "us", get_us<member>, set_us<member>, expected, expected, spread};
}
template <double FrameworkProfile::*member>
constexpr ProfileParameter number(std::string_view name, double expected, double spread) {
  return {name, "", get_number<member>, set_number<member>, expected, expected, spread};
}
constexpr ProfileParameter with_eager(ProfileParameter parameter, double expected) {
  parameter.expected_of_eager = expected;
  return parameter;
}

// A Python program takes longer to start a kernel than a C++ program. The fits of five that do wait for it
// (their data files) find 58, 83, 88, 98 and 114 us (pytorch-1, megatron-deepspeed, pytorch-ngc,
// pytorch-ngc-21-inference, pytorch-0): 86 in the geometric mean, 0.26 of the logarithm apart, hosts and
// networks together. A sixth is then within 0.37 as often as a normal variable within its spread (Student's t
// of four degrees of freedom at 90 %, and the error of the mean). Gradients take 0.51 of it
// (megatron-deepspeed) and 0.72 (nanotron).
constexpr double eager_host_us = 86;
constexpr double eager_host_spread = 0.37;

// A session or an engine of a framework that starts operator by operator, of the profiles that wait for it
// (their data files): 18 us (mxnet) on one source of cases; 13, 5.8, 15 and 20 us, 12 in the geometric mean,
// on another (mxnet-ngc-inference, mxnet-ngc-21-inference, tensorflow-ngc-inference,
// tensorflow-xla-inference). Each source weighing as one it is 15. Compiled passes and captured graphs say 1
// or 2 us.
constexpr double graph_host_us = 15;

// A session's call, a loop in Python, a look at the result: small batches tell it from the kernels' starts,
// because it comes on top of what the GPU does. The fits of five forward passes (mxnet-ngc-21-inference,
// pytorch-ngc-21-inference, mxnet-ngc-inference, tensorflow-xla-inference, tensorflow-ngc-inference) find
// 0.26, 0.96, 1.7, 2.6 and 2.8 ms, 1.2 in the geometric mean. Training is not told apart: its profiles state
// what is usual, from memory.
constexpr double step_host_us = 1200;

// Where a fit begins and what its prior draws to when the cases do not tell: the profile "generic", with
// about a factor of two between frameworks (of the library's kernels: a quarter). One list for all profiles.
constexpr std::array parameters{
    with_eager(time<&FrameworkProfile::host_per_kernel>("host_per_kernel", graph_host_us, 1), eager_host_us),
    with_eager(number<&FrameworkProfile::host_backward>("host_backward", 1, 0.7), 0.7),
    time<&FrameworkProfile::host_per_step>("host_per_step", step_host_us, 1),
    time<&FrameworkProfile::host_per_sum>("host_per_sum", 20, 1),
    time<&FrameworkProfile::update_per_tensor>("update_per_tensor", 40, 1),
    number<&FrameworkProfile::kernel_factor>("kernel_factor", 1.08, 0.5),
    number<&FrameworkProfile::int8_factor>("int8_factor", 1, 0.5),
    number<&FrameworkProfile::elementwise_passes>("elementwise_passes", 1.1, 0.35),
    number<&FrameworkProfile::norm_passes>("norm_passes", 1.2, 0.5),
    number<&FrameworkProfile::attention_factor>("attention_factor", 1, 0.5),
    number<&FrameworkProfile::composed_passes>("composed_passes", 2, 0.5),
    number<&FrameworkProfile::adam_accesses>("adam_accesses", 14, 0.7),
    ProfileParameter{
        "input_copy", "GB/s", [](const FrameworkProfile& p) { return p.input_copy.base() / 1e9; },
        [](FrameworkProfile& p, double value) { p.input_copy = Bandwidth{value * 1e9}; }, 10, 10, 1},
};

}  // namespace

std::span<const ProfileParameter> profile_parameters() {
  return parameters;
}

const ProfileParameter* find_profile_parameter(std::string_view name) {
  for (const ProfileParameter& p : parameters)
    if (p.name == name) return &p;
  return nullptr;
}

double host_log_sigma(const FrameworkProfile& profile) {
  // Nobody has published one framework's pace on many hosts. The fits of eager frameworks differ by 0.26 of
  // the logarithm, hosts and networks together; half of the variance is taken for the hosts.
  constexpr double among_hosts = 0.19;
  constexpr std::string_view pace = "host_per_kernel";
  if (std::ranges::find(profile.fitted, pace) != profile.fitted.end()) return among_hosts;
  return profile.dispatch == Dispatch::eager ? eager_host_spread : find_profile_parameter(pace)->spread;
}

double rounded(double value) {
  return std::strtod(fmt::format("{:.3g}", value).c_str(), nullptr);
}

void take_numbers(FrameworkProfile& profile, const FrameworkProfile& from) {
  for (const ProfileParameter& p : profile_parameters()) p.set(profile, p.get(from));
  profile.log_sigma = from.log_sigma;
}

std::string profile_number(const ProfileParameter& parameter, double value) {
  const std::string text = fmt::format("{:g}", rounded(value));
  return parameter.unit.empty() ? text : fmt::format("\"{} {}\"", text, parameter.unit);
}

}  // namespace rackcast
