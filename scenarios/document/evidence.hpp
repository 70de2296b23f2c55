#pragma once
/// Measured trainings beside an answer, in a result document.
#include "scenarios/document/form/figures.hpp"

namespace rackcast::doc {

struct Evidence {
  struct Tally {
    std::int64_t rows = 0, cases = 0, covered = 0;
    double median_error = 0;
  };
  struct Run {
    std::string id, system, model, framework_key, framework, framework_version, precision, data, metric,
        source;
    std::optional<double> batch_per_gpu;
    std::optional<std::int64_t> gpus;
    double distance = 0, measured = 0;
    Prediction predicted, speed_ratio;
    std::vector<std::string> same, differs;
    bool system_assumed = false;
    std::int64_t like = 1, covered = 0;
  };
  Tally all, same_architecture, same_gpu;
  std::vector<Run> nearest;
};

/// Throws Error unless the ratio of speeds is above zero.
void check(const Evidence::Run& run, const Json& json);

template <>
struct Fields<Evidence::Tally> {
  static constexpr std::string_view name = "evidence_tally";
  static constexpr auto list = std::tuple{
      field("rows", &Evidence::Tally::rows),
      field("cases", &Evidence::Tally::cases, "measured figures; near repeats are one row"),
      field("covered", &Evidence::Tally::covered, "figures within their 90 % interval"),
      field("median_error", &Evidence::Tally::median_error, "of the rows: |predicted / measured speed - 1|")
          .optional(),
  };
};
template <>
struct Fields<Evidence::Run> {
  static constexpr std::string_view name = "evidence_run";
  static constexpr auto list = std::tuple{
      field("id", &Evidence::Run::id, "of the validation case"),
      field("system", &Evidence::Run::system).needed(),
      field("model", &Evidence::Run::model).needed(),
      field("framework", &Evidence::Run::framework_key),
      field("framework_title", &Evidence::Run::framework, "in words"),
      field("framework_version", &Evidence::Run::framework_version),
      field("precision", &Evidence::Run::precision),
      field("batch_per_gpu", &Evidence::Run::batch_per_gpu),
      field("data", &Evidence::Run::data),
      field("gpus", &Evidence::Run::gpus),
      field("distance", &Evidence::Run::distance,
            "from the answer: scenarios/evidence/evidence.hpp says what adds up")
          .optional(),
      field("same", &Evidence::Run::same),
      field("differs", &Evidence::Run::differs),
      field("metric", &Evidence::Run::metric),
      field("measured", &Evidence::Run::measured),
      field("predicted", &Evidence::Run::predicted, "in the unit of the measurement").unit(""),
      field("speed_ratio", &Evidence::Run::speed_ratio, "predicted over measured speed").unit("1"),
      field("system_assumed", &Evidence::Run::system_assumed,
            "GPU or network are an inference from the source")
          .optional(),
      field("like", &Evidence::Run::like, "cases that this one stands for").optional(),
      field("covered", &Evidence::Run::covered, "of them within their 90 % interval").optional(),
      field("source", &Evidence::Run::source),
  };
};
template <>
struct Fields<Evidence> {
  static constexpr std::string_view name = "evidence";
  static constexpr std::string_view meaning =
      "Measured trainings nearest to the answer, with what is predicted for them.";
  static constexpr auto list = std::tuple{
      field("all", &Evidence::all).optional(),
      field("same_architecture", &Evidence::same_architecture).optional(),
      field("same_gpu", &Evidence::same_gpu).optional(),
      field("nearest", &Evidence::nearest, "the nearest first; one for each GPU, network and software"),
  };
};

}  // namespace rackcast::doc
