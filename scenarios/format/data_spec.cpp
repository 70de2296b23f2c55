#include "scenarios/format/data_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenarios/names/defaults.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

constexpr double kMost = 1e18;  ///< above any sensible count; keeps products of inputs finite
constexpr Duration kDay{86400};

FleetSource read_fleet(const Json& json) {
  ObjectReader in{json};
  FleetSource fleet;
  fleet.vehicles = in.number("vehicles", 1, 1e9);
  fleet.capture_rate = in.quantity<Bandwidth>("capture_rate");
  fleet.recording_per_day = in.quantity<Duration>("recording_per_day");
  if (fleet.recording_per_day > kDay) {
    in.require("recording_per_day").fail("a vehicle cannot record for more than 24 h a day");
  }
  fleet.days = in.number("days", 0.01, 1e6);
  fleet.kept = in.number_or("kept", 1, 1e-12, 1);
  in.finish();
  return fleet;
}

LearningSpec read_learning(const Json& json) {
  ObjectReader in{json};
  LearningSpec spec;
  const Json& points = in.require("points");
  for (const Json& one : points.array()) {
    ObjectReader p{one};
    spec.points.push_back({p.number("samples", 1, kMost), p.number("error", 1e-12, 1e6)});
    p.finish();
  }
  spec.target = in.number("target_error", 1e-12, 1e6);
  in.finish();
  try {
    spec.curve = fit_learning_curve(spec.points);
  } catch (const Error& e) {
    points.fail(e.message(), e.hint());
  }
  const auto needed = samples_for(spec.curve, spec.target);
  if (!needed || !(needed->samples <= kMost)) {
    json.require("target_error")
        .fail(fmt::format("an error of {:g} cannot be reached: the points tend to {:.4g}", spec.target,
                          spec.curve.c),
              "choose a target above it, or another network");
  }
  spec.needed = *needed;
  return spec;
}

void read_keeping(ObjectReader& in, DataSpec& data) {
  data.compression = in.number_or("compression", 1, 1, 1e6);
  data.copies = in.number_or("copies", 1, 1, 100);
  data.labelling_delay = in.quantity_or<Duration>("labelling_delay", Duration{0}, false);
  if (in.has("retention")) data.retention = in.quantity<Duration>("retention");
  if (data.retention && *data.retention <= data.labelling_delay)
    in.require("retention")
        .fail("recordings are deleted before they are labelled",
              "retention must be longer than labelling_delay");
}

void read_amount(ObjectReader& in, const Json& json, DataSpec& data) {
  const int given =
      int{in.has("fleet")} + int{in.has("size")} + int{in.has("samples")} + int{in.has("learning_curve")};
  if (given != 1) {
    json.fail(
        "exactly one of \"fleet\", \"size\", \"samples\" and \"learning_curve\" must say how much data there "
        "is",
        given == 0 ? "for example \"size\": \"104 TB\"" : "remove all but one");
  }
  if (const Json* fleet = in.find("fleet")) {
    data.fleet = read_fleet(*fleet);
    data.size = data.fleet->total();
  } else if (in.find("size")) {
    data.size = in.quantity<Bytes>("size");
  } else if (const Json* curve = in.find("learning_curve")) {
    data.learning = read_learning(*curve);
    data.samples = std::ceil(data.learning->needed.samples);
    data.size = data.samples * data.bytes_per_sample;
  } else {
    data.samples = static_cast<double>(in.integer("samples", 1, static_cast<std::int64_t>(kMost)));
    data.size = data.samples * data.bytes_per_sample;
  }
}

}  // namespace

Bytes FleetSource::per_day() const {
  return vehicles * kept * (capture_rate * recording_per_day);
}

Bytes FleetSource::total() const {
  return vehicles * days * kept * (capture_rate * recording_per_day);
}

std::optional<DataGrowth> DataSpec::growth() const {
  if (!fleet) return std::nullopt;
  return DataGrowth{fleet->per_day() / kDay, compression, copies, labelling_delay, retention};
}

DataSpec read_data(const Json& json) {
  ObjectReader in{json};
  DataSpec data;
  data.bytes_per_sample = in.quantity_or<Bytes>("bytes_per_sample", defaults::bytes_per_sample);
  read_amount(in, json, data);
  read_keeping(in, data);
  if (data.samples == 0) data.samples = std::floor(data.size / data.bytes_per_sample);
  if (data.samples < 1) {
    json.fail(fmt::format("the data set ({}) is smaller than one sample ({})", to_text(data.size),
                          to_text(data.bytes_per_sample)));
  }
  if (!(data.samples <= kMost)) json.fail("the data set has more samples than can be counted (1e18)");
  in.finish();
  return data;
}

void cut_to_date(DataSpec& data, Duration date, const Json& place) {
  const auto growth = data.growth();
  if (!growth) place.fail("a date needs data that grows", "describe the \"fleet\" that records it");
  const Bytes usable = std::min(growth_at(*growth, date).usable, data.fleet->total());
  data.date = date;
  data.size = usable;
  data.samples = std::floor(usable / data.bytes_per_sample);
  if (data.samples < 1) {
    place.fail(fmt::format("after {} no sample is labelled yet", to_text(date)),
               fmt::format("the labelling delay is {}", to_text(data.labelling_delay)));
  }
}

}  // namespace rackcast
