#pragma once
/// Scaling curves: rates by the number of GPUs, predicted and published. One curve for each set of published
/// cases that differ in GPUs alone, and one for each cluster of the catalogue on its own network.
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/validation/report.hpp"

namespace rackcast {

struct ScalingPoint {
  double gpus = 1;
  std::optional<double> measured;
  std::optional<PredictedFigure> predicted;
};

struct ScalingCurve {
  std::string system;  ///< second part of a case's series, or the name of a cluster: one drawing each
  std::string title;   ///< "resnet50, tensorflow, 64 per GPU, fp32"
  std::string source;  ///< of the measurements; empty: nobody published any
  std::string unit;    ///< of the values: "images/s per GPU", or "efficiency" for ratios
  std::vector<ScalingPoint> points;  ///< ascending GPUs, each number once
  std::string reason;                ///< why there is no prediction; mostly empty
};

/// Cases of training rates, speed-ups and efficiencies on at least three numbers of GPUs, or on two where one
/// is above sixteen. Between the published numbers powers of two are predicted. Clusters of the catalogue
/// train ResNet-50 as their cases say, else with 64 images per GPU and the generic profile.
std::vector<ScalingCurve> scaling_curves(const Catalog& catalog, std::span<const ValidationCase> cases,
                                         const std::function<void(std::size_t done)>& on_curve = {});

/// {"format": "rackcast-scaling", "version": 1, "curves": [...]}.
std::string to_json_text(std::span<const ScalingCurve> curves);

}  // namespace rackcast
