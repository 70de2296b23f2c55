#pragma once
/// The question of a published case, as anybody would ask it: a scenario document. A pure mapping: nothing is
/// predicted here, and what comes out says all that the prediction rests on.
#include <string>

#include "scenarios/evidence/estimate.hpp"
#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

class Catalog;

/// Thrown where a scenario cannot say what a case needs, with what is missing. Such a case keeps a rule of
/// its own.
struct Unsayable {
  std::string reason;
};

/// The text of the scenario. Throws Unsayable, and Unpredictable where the case leaves out what every
/// prediction needs.
std::string to_scenario(const Catalog& catalog, const ValidationCase& c);

/// Which figure of the answer the case has measured: plus + units x figure, or 1 / figure.
struct AskedFigure {
  Estimate Prediction::*figure = nullptr;
  double units = 1;  ///< of the case for each of the answer: tokens of a sample, a share of the GPUs
  double plus = 0;   ///< seconds of evaluations that a time to train holds
  bool inverse = false;

  [[nodiscard]] Estimate of(const Prediction& answer) const;
};
/// Throws Unsayable where the answer has no such figure.
AskedFigure asked_figure(const ValidationCase& c);

}  // namespace rackcast
