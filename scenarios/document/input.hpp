#pragma once
/// The way of the data in a result document: its funnel, its growth, and how much of it an accuracy asks for.
#include "scenarios/document/form/field.hpp"

namespace rackcast::doc {

struct InputPath {
  struct Stage {
    std::string name;
    double samples_per_s = 0;
    std::optional<double> low = {}, high = {};
  };
  /// Epochs that run alike; the shares of the samples that each level serves.
  struct Epochs {
    double after = 0, epochs = 0, page_cache = 0, ssd_cache = 0, storage = 0;
    std::optional<double> step_s, samples_per_s, read_bytes_per_s;
    std::string binds;
  };
  struct WriteBack {
    std::optional<double> checkpoint_bytes, write_s, stall_s, time_factor, bytes_per_s;
    std::optional<double> writers = {}, busiest_bytes = {};
  };
  std::optional<double> required_bytes_per_s, available_bytes_per_s, next_ratio;
  std::string binds, next, sharding, order;
  std::vector<Stage> funnel;
  std::vector<Epochs> epochs;
  std::optional<double> working_set_bytes, page_cache_bytes, ssd_cache_bytes;
  std::optional<WriteBack> write_back;
};

struct DataGrowth {
  struct Point {
    double day = 0;
    std::optional<double> recorded_bytes, stored_bytes, usable_bytes;
  };
  struct Retraining {
    double day = 0, samples = 0, time_to_train_s = 0;
    bool in_time = true;
  };
  struct Planned {
    double day = 0, samples = 0, bytes = 0;
    std::int64_t storage = 0;
    std::optional<std::int64_t> nodes, low, high;
    bool asked = false;
    std::int64_t spares = 0;
    std::string limit = {};
  };
  std::optional<double> capacity_bytes, full_day, date_day;
  std::vector<Point> series;
  std::vector<Retraining> retraining;
  std::vector<Planned> plan;
};

struct LearningNeed {
  struct Point {
    double samples = 0, error = 0;
  };
  double samples = 0;
  std::optional<double> low, high, target_error, a, b, c, times_largest_point;
  std::vector<Point> points;
};

/// Throws Error unless the rate lies within its interval.
void check(const InputPath::Stage& stage, const Json& json);

template <>
struct Fields<InputPath::Stage> {
  static constexpr std::string_view name = "input_stage";
  static constexpr auto list = std::tuple{
      field("stage", &InputPath::Stage::name).needed(),
      field("samples_per_s", &InputPath::Stage::samples_per_s),
      field("low", &InputPath::Stage::low, "90 % interval; absent for links, whose listed rate it is")
          .omitted(),
      field("high", &InputPath::Stage::high).omitted(),
  };
};
template <>
struct Fields<InputPath::Epochs> {
  static constexpr std::string_view name = "input_epochs";
  static constexpr std::string_view meaning = "Epochs that run alike.";
  static constexpr auto list = std::tuple{
      field("after", &InputPath::Epochs::after, "epochs before these").optional(),
      field("epochs", &InputPath::Epochs::epochs),
      field("page_cache", &InputPath::Epochs::page_cache, "share of the samples").up_to(1),
      field("ssd_cache", &InputPath::Epochs::ssd_cache).up_to(1),
      field("storage", &InputPath::Epochs::storage).up_to(1),
      field("step_s", &InputPath::Epochs::step_s),
      field("samples_per_s", &InputPath::Epochs::samples_per_s),
      field("read_bytes_per_s", &InputPath::Epochs::read_bytes_per_s),
      field("binds", &InputPath::Epochs::binds),
  };
};
template <>
struct Fields<InputPath::WriteBack> {
  static constexpr std::string_view name = "write_back";
  static constexpr auto list = std::tuple{
      field("checkpoint_bytes", &InputPath::WriteBack::checkpoint_bytes),
      field("write_s", &InputPath::WriteBack::write_s),
      field("stall_s", &InputPath::WriteBack::stall_s),
      field("time_factor", &InputPath::WriteBack::time_factor, "factor by which training takes longer"),
      field("bytes_per_s", &InputPath::WriteBack::bytes_per_s, "mean, logs included"),
      field("writers", &InputPath::WriteBack::writers, "nodes that write a part of the checkpoint each")
          .omitted(),
      field("busiest_bytes", &InputPath::WriteBack::busiest_bytes,
            "bytes of the checkpoint that the busiest node writes")
          .omitted(),
  };
};
template <>
struct Fields<InputPath> {
  static constexpr std::string_view name = "input";
  static constexpr std::string_view meaning =
      "The way of the data: what each stage passes, what the caches hold, what is written back.";
  static constexpr auto list = std::tuple{
      field("required_bytes_per_s", &InputPath::required_bytes_per_s,
            "from storage in the coldest epochs, if the GPUs never wait"),
      field("available_bytes_per_s", &InputPath::available_bytes_per_s,
            "what the storage can deliver of such samples; null: without limit"),
      field("binds", &InputPath::binds, "the narrowest stage"),
      field("next", &InputPath::next),
      field("next_ratio", &InputPath::next_ratio,
            "samples/s of the second narrowest stage over those of the narrowest"),
      field("funnel", &InputPath::funnel, "in the order in which a sample meets the stages"),
      field("epochs", &InputPath::epochs),
      field("cache.working_set_bytes", &InputPath::working_set_bytes, "of one node"),
      field("cache.page_cache_bytes", &InputPath::page_cache_bytes),
      field("cache.ssd_cache_bytes", &InputPath::ssd_cache_bytes),
      field("cache.sharding", &InputPath::sharding),
      field("cache.order", &InputPath::order),
      field("write_back", &InputPath::write_back).omitted(),
  };
};
template <>
struct Fields<DataGrowth::Point> {
  static constexpr std::string_view name = "growth_point";
  static constexpr auto list = std::tuple{
      field("day", &DataGrowth::Point::day),
      field("recorded_bytes", &DataGrowth::Point::recorded_bytes),
      field("stored_bytes", &DataGrowth::Point::stored_bytes),
      field("usable_bytes", &DataGrowth::Point::usable_bytes),
  };
};
template <>
struct Fields<DataGrowth::Retraining> {
  static constexpr std::string_view name = "retraining";
  static constexpr auto list = std::tuple{
      field("day", &DataGrowth::Retraining::day),
      field("samples", &DataGrowth::Retraining::samples),
      field("time_to_train_s", &DataGrowth::Retraining::time_to_train_s),
      field("in_time", &DataGrowth::Retraining::in_time).optional(),
  };
};
template <>
struct Fields<DataGrowth::Planned> {
  static constexpr std::string_view name = "growth_plan";
  static constexpr std::string_view meaning = "Nodes for the deadline after this time of recording.";
  static constexpr auto list = std::tuple{
      field("day", &DataGrowth::Planned::day),
      field("samples", &DataGrowth::Planned::samples),
      field("bytes", &DataGrowth::Planned::bytes).optional(),
      field("storage", &DataGrowth::Planned::storage, "systems").optional(),
      field("nodes", &DataGrowth::Planned::nodes, "null: no count within the limits").from(1),
      field("spares", &DataGrowth::Planned::spares, "nodes bought beside them, for failed ones").optional(),
      field("nodes_low", &DataGrowth::Planned::low, "at the short end of the 90 % interval of the time")
          .from(1),
      field("nodes_high", &DataGrowth::Planned::high, "at the long end; null: no count within the limits")
          .from(1),
      field("asked", &DataGrowth::Planned::asked, "the set of the scenario itself").optional(),
      field("limit", &DataGrowth::Planned::limit, "that no count keeps").omitted(),
  };
};
template <>
struct Fields<DataGrowth> {
  static constexpr std::string_view name = "growth";
  static constexpr std::string_view meaning =
      "A fleet's data in time; days count from the first recording day.";
  static constexpr auto list = std::tuple{
      field("capacity_bytes", &DataGrowth::capacity_bytes),
      field("full_day", &DataGrowth::full_day, "storage is full; null: not while recording"),
      field("date_day", &DataGrowth::date_day),
      field("series", &DataGrowth::series),
      field("retraining", &DataGrowth::retraining),
      field("plan", &DataGrowth::plan),
  };
};
template <>
struct Fields<LearningNeed::Point> {
  static constexpr std::string_view name = "learning_point";
  static constexpr auto list = std::tuple{
      field("samples", &LearningNeed::Point::samples),
      field("error", &LearningNeed::Point::error),
  };
};
template <>
struct Fields<LearningNeed> {
  static constexpr std::string_view name = "learning_curve";
  static constexpr std::string_view meaning =
      "error = a samples^-b + c; low and high are a 90 % interval of the samples that the target needs.";
  static constexpr auto list = std::tuple{
      field("a", &LearningNeed::a),
      field("b", &LearningNeed::b),
      field("c", &LearningNeed::c),
      field("target_error", &LearningNeed::target_error),
      field("samples", &LearningNeed::samples),
      field("low", &LearningNeed::low),
      field("high", &LearningNeed::high),
      field("times_largest_point", &LearningNeed::times_largest_point),
      field("points", &LearningNeed::points, "that were measured"),
  };
};

}  // namespace rackcast::doc
