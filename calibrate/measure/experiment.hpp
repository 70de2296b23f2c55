#pragma once
/// Measuring properly: experiments in random order, warm-up, samples until the median is known well enough or
/// time is out, conditions before and after. Knows neither CPU nor GPU nor clock: those come as functions.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/measure/box.hpp"

namespace rackcast {

/// A prepared experiment; its buffers live as long as it does.
class Trial {
 public:
  virtual ~Trial() = default;
  /// Does the work once and returns its seconds, preparation left out. Throws Error if it fails.
  virtual double sample() = 0;
  /// Empty if the result is right, else what is wrong. Called once, after the warm-up.
  virtual std::string verify() { return {}; }
  [[nodiscard]] virtual bool verifies() const { return false; }
};

struct Experiment {
  Measurement about;  ///< id, kind, device, numbers, labels, amount; the rest is filled by measuring
  std::function<std::unique_ptr<Trial>()> prepare;  ///< throws Error if this machine cannot
  std::function<Conditions()> conditions = {};      ///< of the device, now; may be empty
  int warm_up = 2;
};

struct Progress {
  std::size_t done = 0, total = 0;
  Duration elapsed{0}, left{0};  ///< left: estimate
  std::string current;           ///< id under way; empty at the end
};

struct MeasureOptions {
  Duration budget{600};  ///< for all experiments
  StopRule stop = {};
  std::uint64_t seed = 1;
};

struct MeasureOutcome {
  std::vector<Measurement> measurements;
  std::vector<NotMeasured> not_measured;
  bool complete = true;  ///< false if interrupted or out of time
};

struct MeasureHooks {
  std::function<double()> now;                             ///< seconds, steady
  std::function<bool()> interrupted;                       ///< asked between samples
  std::function<void(const Progress&)> progress = {};      ///< may be empty
  std::function<void(const MeasureOutcome&)> so_far = {};  ///< after each experiment; may be empty
};

/// Measures all experiments, each at most its share of the time that is left, so that quick ones give theirs
/// to the slow. An experiment that fails is listed with its error and the others go on.
MeasureOutcome measure(std::vector<Experiment> experiments, const MeasureOptions& options,
                       const MeasureHooks& hooks);

/// Seconds since an arbitrary moment.
double steady_seconds();

/// How often to repeat a call so that a sample lasts `target` seconds: 1 if one call is longer.
int repeats_for(double seconds_of_one, double target = 2e-3);

}  // namespace rackcast
