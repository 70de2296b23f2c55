#pragma once
/// Keys, units and meanings of the structs of scenarios/document/evidence.hpp.
#include "scenarios/document/evidence.hpp"
#include "scenarios/document/fields/figures.hpp"

namespace rackcast::doc {

template <>
struct Fields<Evidence::Tally> {
  static constexpr std::string_view name = "evidence_tally";
  static void each(const auto& visit) {
    visit(field("rows", &Evidence::Tally::rows));
    visit(field("cases", &Evidence::Tally::cases, "measured figures; near repeats are one row"));
    visit(field("covered", &Evidence::Tally::covered, "figures within their 90 % interval"));
    visit(
        field("median_error", &Evidence::Tally::median_error, "of the rows: |predicted / measured speed - 1|")
            .optional());
  }
};

template <>
struct Fields<Evidence::Run> {
  static constexpr std::string_view name = "evidence_run";
  static void each(const auto& visit) {
    visit(field("id", &Evidence::Run::id, "of the validation case"));
    visit(field("system", &Evidence::Run::system).needed());
    visit(field("model", &Evidence::Run::model).needed());
    visit(field("framework", &Evidence::Run::framework_key));
    visit(field("framework_title", &Evidence::Run::framework, "in words"));
    visit(field("framework_version", &Evidence::Run::framework_version));
    visit(field("precision", &Evidence::Run::precision));
    visit(field("batch_per_gpu", &Evidence::Run::batch_per_gpu));
    visit(field("data", &Evidence::Run::data));
    visit(field("gpus", &Evidence::Run::gpus));
    visit(field("distance", &Evidence::Run::distance,
                "from the answer: scenarios/evidence/evidence.hpp says what adds up")
              .optional());
    visit(field("same", &Evidence::Run::same));
    visit(field("differs", &Evidence::Run::differs));
    visit(field("metric", &Evidence::Run::metric));
    visit(field("measured", &Evidence::Run::measured));
    visit(field("predicted", &Evidence::Run::predicted, "in the unit of the measurement").unit(""));
    visit(field("speed_ratio", &Evidence::Run::speed_ratio, "predicted over measured speed").unit("1"));
    visit(field("system_assumed", &Evidence::Run::system_assumed,
                "GPU or network are an inference from the source")
              .optional());
    visit(field("like", &Evidence::Run::like, "cases that this one stands for").optional());
    visit(field("covered", &Evidence::Run::covered, "of them within their 90 % interval").optional());
    visit(field("source", &Evidence::Run::source));
  }
};

template <>
struct Fields<Evidence> {
  static constexpr std::string_view name = "evidence";
  static constexpr std::string_view meaning =
      "Measured trainings nearest to the answer, with what is predicted for them.";
  static void each(const auto& visit) {
    visit(field("all", &Evidence::all).optional());
    visit(field("same_architecture", &Evidence::same_architecture).optional());
    visit(field("same_gpu", &Evidence::same_gpu).optional());
    visit(field("nearest", &Evidence::nearest, "the nearest first; one for each GPU, network and software"));
  }
};

}  // namespace rackcast::doc
