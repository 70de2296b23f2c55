#include <doctest/doctest.h>

#include <cmath>

#include "calibrate/fit/framework_fit.hpp"
#include "models/frameworks/framework_parameters.hpp"
#include "sim/base/error.hpp"

using namespace rackcast;

namespace {

/// A made-up world: a case takes its kernels' time times the kernel factor, plus 100 kernels issued by the
/// host.
double seconds(const FrameworkProfile& profile, double kernels) {
  return kernels * profile.kernel_factor + 100 * profile.host_per_kernel.base();
}

FrameworkProfile profile_named(const std::string& id) {
  FrameworkProfile profile;
  profile.id = id;
  profile.host_per_kernel = Duration{1e-6};
  return profile;
}

/// Eight cases of four series whose kernels take 1 to 8 ms, with `noise` of alternating sign.
ProfileTask task_of(const std::string& id) {
  ProfileTask task{profile_named(id), {}};
  task.profile.fitted = {"kernel_factor", "host_per_kernel"};
  for (int i = 1; i <= 8; ++i) task.cases.push_back({std::to_string(i), "series" + std::to_string(i / 2)});
  return task;
}

PredictWithProfile world(double factor, double host_us, double noise, double kernel_sigma) {
  FrameworkProfile truth = profile_named("truth");
  truth.kernel_factor = factor;
  truth.host_per_kernel = Duration{host_us * 1e-6};
  return [=](const FrameworkProfile& profile, const ProfileCase& c) {
    const double number = std::stod(c.id), kernels = number * 1e-3;
    const double odd = std::fmod(number, 2) == 0 ? noise : -noise;
    return ProfileResidual{std::log(seconds(truth, kernels) / seconds(profile, kernels)) + odd, kernel_sigma};
  };
}

ProfileFits fit_profiles(const std::vector<ProfileTask>& tasks, const PredictWithProfile& predict) {
  std::vector<ProfileSample> samples;
  for (const ProfileTask& task : tasks) samples.push_back(sample_profile(task, predict));
  return draw_together(samples);
}

}  // namespace

TEST_CASE("numbers of a profile are found from cases that tell them apart") {
  const auto fits = fit_profiles({task_of("a")}, world(1.4, 20, 0, 0)).profiles;
  CHECK(fits.at(0).profile.kernel_factor == doctest::Approx(1.4).epsilon(0.02));
  CHECK(fits[0].profile.host_per_kernel.base() * 1e6 == doctest::Approx(20).epsilon(0.1));
  CHECK(fits[0].series == 5);  // 1 alone, 2 and 3, ..., 8 alone
  CHECK(fits[0].held_out.size() == 8);
}

TEST_CASE("shipped values do not enter their own fit") {
  ProfileTask other = task_of("a");
  other.profile.kernel_factor = 3;
  const auto one = fit_profiles({task_of("a")}, world(1.4, 20, 0.05, 0)).profiles;
  const auto two = fit_profiles({other}, world(1.4, 20, 0.05, 0)).profiles;
  CHECK(one[0].profile.kernel_factor == two[0].profile.kernel_factor);
  CHECK(one[0].profile.log_sigma == two[0].profile.log_sigma);
}

TEST_CASE("the interval is as wide as what was left out is off, less what the kernels explain") {
  const double noise = 0.2;
  const auto bare = fit_profiles({task_of("a")}, world(1.2, 10, noise, 0)).profiles;
  CHECK(bare[0].profile.log_sigma > 0.18);
  CHECK(bare[0].profile.log_sigma < 0.30);  // the fits of the others are off themselves
  const auto explained = fit_profiles({task_of("a")}, world(1.2, 10, noise, 0.3)).profiles;
  CHECK(explained[0].profile.log_sigma == 0.02);
}

TEST_CASE("a profile without cases is as uncertain as the others before their fit") {
  ProfileTask bare{profile_named("b"), {}};
  // Nothing but the starting point (1.08) knows of the factor 2: ln(2 / 1.08) = 0.6 for long kernels, and
  // less for short ones, for whose host it begins with 17 us where the world has 10.
  const auto fits = fit_profiles({task_of("a"), bare}, world(2, 10, 0, 0)).profiles;
  CHECK(fits.at(1).profile.log_sigma == doctest::Approx(0.39).epsilon(0.1));
  CHECK(fits[0].profile.log_sigma < 0.1);
}

TEST_CASE("profiles are drawn to each other as far as they are alike") {
  // Errors of 20 % everywhere, or of 40 % in one profile and next to none in the other. The kernels alone
  // explain 2 %.
  const auto fits_with = [](double of_a, double of_b) {
    const auto a = world(1.2, 10, of_a, 0.02), b = world(1.2, 10, of_b, 0.02);
    return fit_profiles({task_of("a"), task_of("b")}, [&](const FrameworkProfile& p, const ProfileCase& c) {
      return p.id == "a" ? a(p, c) : b(p, c);
    });
  };
  const ProfileFits alike = fits_with(0.2, 0.2), unlike = fits_with(0.4, 0.01);
  CHECK(alike.weight_of_all > unlike.weight_of_all);
  CHECK(alike.profiles[0].profile.log_sigma == alike.profiles[1].profile.log_sigma);
  CHECK(unlike.profiles[0].profile.log_sigma > 2 * unlike.profiles[1].profile.log_sigma);
  CHECK(alike.share_inside > 0.8);
}

TEST_CASE("fitted numbers replace their old values and nothing else") {
  ProfileFit fit;
  fit.profile = profile_named("b");
  fit.profile.fitted = {"host_per_kernel", "kernel_factor"};
  fit.profile.host_per_kernel = Duration{12.345e-6};
  fit.profile.kernel_factor = 1.1;
  fit.profile.log_sigma = 0.2;
  const std::string text =
      "  {\n    \"id\": \"a\",\n    \"kernel_factor\": 3\n  }, {\n    \"id\": \"b\",\n    "
      "\"host_per_kernel\": \"8 us\",\n"
      "    \"kernel_factor\": 2,\n    \"log_sigma\": 0.1\n  }\n";
  CHECK(with_fitted_numbers(text, "x.json", {fit}) ==
        "  {\n    \"id\": \"a\",\n    \"kernel_factor\": 3\n  }, {\n    \"id\": \"b\",\n    "
        "\"host_per_kernel\": \"12.3 us\",\n"
        "    \"kernel_factor\": 1.1,\n    \"log_sigma\": 0.2\n  }\n");
  fit.profile.id = "a";  // has no host_per_kernel of its own; b's must stay
  CHECK_THROWS_AS((void)with_fitted_numbers(text, "x.json", {fit}), Error);
}
