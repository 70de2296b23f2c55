#pragma once
/// Keys, units and meanings of the structs of scenarios/document/input.hpp.
#include "scenarios/document/form/field.hpp"
#include "scenarios/document/input.hpp"

namespace rackcast::doc {

template <>
struct Fields<InputPath::Stage> {
  static constexpr std::string_view name = "input_stage";
  static void each(const auto& visit) {
    visit(field("stage", &InputPath::Stage::name).needed());
    visit(field("samples_per_s", &InputPath::Stage::samples_per_s));
    visit(field("low", &InputPath::Stage::low, "90 % interval; absent for links, whose listed rate it is")
              .omitted());
    visit(field("high", &InputPath::Stage::high).omitted());
  }
};

template <>
struct Fields<InputPath::Epochs> {
  static constexpr std::string_view name = "input_epochs";
  static constexpr std::string_view meaning = "Epochs that run alike.";
  static void each(const auto& visit) {
    visit(field("after", &InputPath::Epochs::after, "epochs before these").optional());
    visit(field("epochs", &InputPath::Epochs::epochs));
    visit(field("page_cache", &InputPath::Epochs::page_cache, "share of the samples").up_to(1));
    visit(field("ssd_cache", &InputPath::Epochs::ssd_cache).up_to(1));
    visit(field("storage", &InputPath::Epochs::storage).up_to(1));
    visit(field("step_s", &InputPath::Epochs::step_s));
    visit(field("samples_per_s", &InputPath::Epochs::samples_per_s));
    visit(field("read_bytes_per_s", &InputPath::Epochs::read_bytes_per_s));
    visit(field("binds", &InputPath::Epochs::binds));
  }
};

template <>
struct Fields<InputPath::WriteBack> {
  static constexpr std::string_view name = "write_back";
  static void each(const auto& visit) {
    visit(field("checkpoint_bytes", &InputPath::WriteBack::checkpoint_bytes));
    visit(field("write_s", &InputPath::WriteBack::write_s));
    visit(field("stall_s", &InputPath::WriteBack::stall_s));
    visit(field("time_factor", &InputPath::WriteBack::time_factor, "factor by which training takes longer"));
    visit(field("bytes_per_s", &InputPath::WriteBack::bytes_per_s, "mean, logs included"));
    visit(field("writers", &InputPath::WriteBack::writers, "nodes that write a part of the checkpoint each")
              .omitted());
    visit(field("busiest_bytes", &InputPath::WriteBack::busiest_bytes,
                "bytes of the checkpoint that the busiest node writes")
              .omitted());
  }
};

template <>
struct Fields<InputPath> {
  static constexpr std::string_view name = "input";
  static constexpr std::string_view meaning =
      "The way of the data: what each stage passes, what the caches hold, what is written back.";
  static void each(const auto& visit) {
    visit(field("required_bytes_per_s", &InputPath::required_bytes_per_s,
                "from storage in the coldest epochs, if the GPUs never wait"));
    visit(field("available_bytes_per_s", &InputPath::available_bytes_per_s,
                "what the storage can deliver of such samples; null: without limit"));
    visit(field("binds", &InputPath::binds, "the narrowest stage"));
    visit(field("next", &InputPath::next));
    visit(field("next_ratio", &InputPath::next_ratio,
                "samples/s of the second narrowest stage over those of the narrowest"));
    visit(field("funnel", &InputPath::funnel, "in the order in which a sample meets the stages"));
    visit(field("epochs", &InputPath::epochs));
    visit(field("cache.working_set_bytes", &InputPath::working_set_bytes, "of one node"));
    visit(field("cache.page_cache_bytes", &InputPath::page_cache_bytes));
    visit(field("cache.ssd_cache_bytes", &InputPath::ssd_cache_bytes));
    visit(field("cache.sharding", &InputPath::sharding));
    visit(field("cache.order", &InputPath::order));
    visit(field("write_back", &InputPath::write_back).omitted());
  }
};

template <>
struct Fields<DataGrowth::Point> {
  static constexpr std::string_view name = "growth_point";
  static void each(const auto& visit) {
    visit(field("day", &DataGrowth::Point::day));
    visit(field("recorded_bytes", &DataGrowth::Point::recorded_bytes));
    visit(field("stored_bytes", &DataGrowth::Point::stored_bytes));
    visit(field("usable_bytes", &DataGrowth::Point::usable_bytes));
  }
};

template <>
struct Fields<DataGrowth::Retraining> {
  static constexpr std::string_view name = "retraining";
  static void each(const auto& visit) {
    visit(field("day", &DataGrowth::Retraining::day));
    visit(field("samples", &DataGrowth::Retraining::samples));
    visit(field("time_to_train_s", &DataGrowth::Retraining::time_to_train_s));
    visit(field("in_time", &DataGrowth::Retraining::in_time).optional());
  }
};

template <>
struct Fields<DataGrowth::Planned> {
  static constexpr std::string_view name = "growth_plan";
  static constexpr std::string_view meaning = "Nodes for the deadline after this time of recording.";
  static void each(const auto& visit) {
    visit(field("day", &DataGrowth::Planned::day));
    visit(field("samples", &DataGrowth::Planned::samples));
    visit(field("bytes", &DataGrowth::Planned::bytes).optional());
    visit(field("storage", &DataGrowth::Planned::storage, "systems").optional());
    visit(field("nodes", &DataGrowth::Planned::nodes, "null: no count within the limits").from(1));
    visit(field("spares", &DataGrowth::Planned::spares, "nodes bought beside them, for failed ones")
              .optional());
    visit(field("nodes_low", &DataGrowth::Planned::low, "at the short end of the 90 % interval of the time")
              .from(1));
    visit(field("nodes_high", &DataGrowth::Planned::high, "at the long end; null: no count within the limits")
              .from(1));
    visit(field("asked", &DataGrowth::Planned::asked, "the set of the scenario itself").optional());
    visit(field("limit", &DataGrowth::Planned::limit, "that no count keeps").omitted());
  }
};

template <>
struct Fields<DataGrowth> {
  static constexpr std::string_view name = "growth";
  static constexpr std::string_view meaning =
      "A fleet's data in time; days count from the first recording day.";
  static void each(const auto& visit) {
    visit(field("capacity_bytes", &DataGrowth::capacity_bytes));
    visit(field("full_day", &DataGrowth::full_day, "storage is full; null: not while recording"));
    visit(field("date_day", &DataGrowth::date_day));
    visit(field("series", &DataGrowth::series));
    visit(field("retraining", &DataGrowth::retraining));
    visit(field("plan", &DataGrowth::plan));
  }
};

template <>
struct Fields<LearningNeed::Point> {
  static constexpr std::string_view name = "learning_point";
  static void each(const auto& visit) {
    visit(field("samples", &LearningNeed::Point::samples));
    visit(field("error", &LearningNeed::Point::error));
  }
};

template <>
struct Fields<LearningNeed> {
  static constexpr std::string_view name = "learning_curve";
  static constexpr std::string_view meaning =
      "error = a samples^-b + c; low and high are a 90 % interval of the samples that the target needs.";
  static void each(const auto& visit) {
    visit(field("a", &LearningNeed::a));
    visit(field("b", &LearningNeed::b));
    visit(field("c", &LearningNeed::c));
    visit(field("target_error", &LearningNeed::target_error));
    visit(field("samples", &LearningNeed::samples));
    visit(field("low", &LearningNeed::low));
    visit(field("high", &LearningNeed::high));
    visit(field("times_largest_point", &LearningNeed::times_largest_point));
    visit(field("points", &LearningNeed::points, "that were measured"));
  }
};

}  // namespace rackcast::doc
