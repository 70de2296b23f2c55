#pragma once
/// Uncertainty of a training: samples over the ranges of the scenario and the spread of the model.
///
/// One input more than there are ranges: the error of the model, log-normal with the 90 % interval that
/// `simulate` prints (kernels, network, input path and failure rates). The time of a sample is that of the
/// scenario at its point of the ranges, times the model's factor.
#include <functional>
#include <string>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/uncertainty/sampled_answer.hpp"

namespace rackcast {

/// Samples the time to train in seconds, on the nodes of the expected answer where the scenario has a goal,
/// else on its cluster. Throws Error for a scenario that cannot be trained at all.
/// `on_sample` is told how many points have been evaluated, of about how many: the search for the nodes of a
/// confidence ends when it has found them.
SampledAnswer uncertainty(const Scenario& scenario, const Catalog& catalog, std::size_t samples,
                          const std::function<void(std::size_t done, std::size_t about)>& on_sample = {});

/// As tables for people (sim/json/table_document.hpp).
std::string uncertainty_document(const Scenario& scenario, const SampledAnswer& answer);

}  // namespace rackcast
