#include "reports/load_input.hpp"

#include <string>
#include <string_view>

namespace rackcast::reports {
namespace {

constexpr const char* hint = "write the result again, for example with: rackcast size SCENARIO --json";

const Json* member(const Json& object, std::string_view key) {
  const Json* found = object.find(key);
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::string text(const Json& object, std::string_view key) {
  const Json* found = member(object, key);
  return found == nullptr ? std::string{} : found->string();
}

double checked(const Json& value) {
  if (value.number() < 0) {
    value.fail("expected a number that is not negative", hint);
  }
  return value.number();
}

std::optional<double> positive_amount(const Json& object, std::string_view key) {
  const Json* found = member(object, key);
  return found == nullptr ? std::nullopt : std::optional(checked(*found));
}

double share(const Json& object, std::string_view key) {
  const double value = checked(object.require(key));
  if (value > 1 + 1e-9) {
    object.require(key).fail("a share of the samples is at most 1", hint);
  }
  return value;
}

template <class Read>
auto list(const Json& object, std::string_view key, Read read) {
  std::vector<decltype(read(object))> items;
  if (const Json* found = member(object, key)) {
    for (const Json& item : found->array()) {
      items.push_back(read(item));
    }
  }
  return items;
}

std::optional<std::int64_t> nodes_of(const Json& object, std::string_view key) {
  const Json* nodes = member(object, key);
  if (nodes == nullptr) return std::nullopt;
  if (nodes->integer() < 1) nodes->fail("expected a count of nodes", hint);
  return nodes->integer();
}

InputPath::Epochs read_epochs(const Json& json) {
  return {positive_amount(json, "after").value_or(0),
          checked(json.require("epochs")),
          share(json, "page_cache"),
          share(json, "ssd_cache"),
          share(json, "storage"),
          positive_amount(json, "step_s"),
          positive_amount(json, "samples_per_s"),
          positive_amount(json, "read_bytes_per_s"),
          text(json, "binds")};
}

}  // namespace

InputPath read_input_path(const Json& json) {
  InputPath path;
  path.required_bytes_per_s = positive_amount(json, "required_bytes_per_s");
  path.available_bytes_per_s = positive_amount(json, "available_bytes_per_s");
  path.binds = text(json, "binds");
  path.next = text(json, "next");
  path.statement = text(json, "statement");
  path.funnel = list(json, "funnel", [](const Json& stage) {
    return InputPath::Stage{stage.require("stage").string(), checked(stage.require("samples_per_s")),
                            positive_amount(stage, "low"), positive_amount(stage, "high")};
  });
  path.epochs = list(json, "epochs", read_epochs);
  if (const Json* cache = member(json, "cache")) {
    path.working_set_bytes = positive_amount(*cache, "working_set_bytes");
    path.page_cache_bytes = positive_amount(*cache, "page_cache_bytes");
    path.ssd_cache_bytes = positive_amount(*cache, "ssd_cache_bytes");
  }
  if (const Json* writes = member(json, "write_back")) {
    path.write_back = {positive_amount(*writes, "checkpoint_bytes"), positive_amount(*writes, "write_s"),
                       positive_amount(*writes, "stall_s"),          positive_amount(*writes, "time_factor"),
                       positive_amount(*writes, "bytes_per_s"),      positive_amount(*writes, "writers"),
                       positive_amount(*writes, "busiest_bytes")};
  }
  return path;
}

DataGrowth read_growth(const Json& json) {
  DataGrowth growth;
  growth.capacity_bytes = positive_amount(json, "capacity_bytes");
  growth.full_day = positive_amount(json, "full_day");
  growth.date_day = positive_amount(json, "date_day");
  growth.series = list(json, "series", [](const Json& p) {
    return DataGrowth::Point{checked(p.require("day")), positive_amount(p, "recorded_bytes"),
                             positive_amount(p, "stored_bytes"), positive_amount(p, "usable_bytes")};
  });
  growth.retraining = list(json, "retraining", [](const Json& r) {
    const Json* in_time = member(r, "in_time");
    return DataGrowth::Retraining{checked(r.require("day")), checked(r.require("samples")),
                                  checked(r.require("time_to_train_s")),
                                  in_time == nullptr || in_time->boolean()};
  });
  growth.plan = list(json, "plan", [](const Json& p) {
    DataGrowth::Planned planned{checked(p.require("day")),
                                checked(p.require("samples")),
                                positive_amount(p, "bytes").value_or(0),
                                positive_amount(p, "storage").value_or(0),
                                nodes_of(p, "nodes"),
                                nodes_of(p, "nodes_low"),
                                nodes_of(p, "nodes_high"),
                                false};
    if (const Json* asked = member(p, "asked")) planned.asked = asked->boolean();
    if (const Json* spares = member(p, "spares")) {
      if (spares->integer() < 0) spares->fail("expected a count of nodes", hint);
      planned.spares = spares->integer();
    }
    return planned;
  });
  return growth;
}

LearningNeed read_learning(const Json& json) {
  return {checked(json.require("samples")), positive_amount(json, "low"),
          positive_amount(json, "high"),    positive_amount(json, "target_error"),
          positive_amount(json, "a"),       positive_amount(json, "b"),
          positive_amount(json, "c"),       positive_amount(json, "times_largest_point")};
}

}  // namespace rackcast::reports
