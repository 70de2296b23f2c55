#pragma once
/// The scenario's "data": how much there is, how it grows, and how much an accuracy asks for.
#include <optional>
#include <vector>

#include "models/data_path/data_growth.hpp"
#include "models/exchange/learning_curve.hpp"
#include "sim/json/reader.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

/// A vehicle fleet that records all day and keeps a fraction:
/// bytes = vehicles x capture_rate x hours_per_day x days x kept.
struct FleetSource {
  double vehicles = 0;
  Bandwidth capture_rate{0};  ///< of one vehicle while recording
  Duration recording_per_day{0};
  double days = 0;
  double kept = 1;  ///< fraction that enters the training set

  [[nodiscard]] Bytes total() const;
  [[nodiscard]] Bytes per_day() const;
};

/// Measured (size, error) points and the error that is wanted.
struct LearningSpec {
  std::vector<LearningPoint> points;
  double target = 0;
  LearningCurve curve;
  SamplesNeeded needed;
};

/// The training set. Exactly one of fleet, size, samples and learning_curve is given; bytes_per_sample
/// connects bytes and samples.
struct DataSpec {
  std::optional<FleetSource> fleet;
  std::optional<LearningSpec> learning;
  Bytes bytes_per_sample{0};
  Bytes size{0};
  double samples = 0;
  // What lies on storage, and since when.
  double compression = 1, copies = 1;
  Duration labelling_delay{0};
  std::optional<Duration> retention;
  std::optional<Duration> date;  ///< goal.date: train what is usable then

  /// Bytes on storage per byte of training data.
  [[nodiscard]] double stored_factor() const { return copies / compression; }
  /// Nothing without a fleet.
  [[nodiscard]] std::optional<DataGrowth> growth() const;
};

/// Throws Error at the place of what is wrong.
DataSpec read_data(const Json& json);

/// The set as it is `date` after the first recording day. Throws Error at `place` without a fleet, or when
/// nothing is usable by then.
void cut_to_date(DataSpec& data, Duration date, const Json& place);

}  // namespace rackcast
