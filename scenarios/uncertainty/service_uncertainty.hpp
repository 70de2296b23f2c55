#pragma once
/// The number of nodes for a load that is not known exactly, sampled over the ranges of the scenario and the
/// spread of the kernels.
///
/// A sample is the number of nodes for its busiest hour, on the node and precision of the expected answer:
/// the load over the rate that one node serves within the latency. One log-normal factor f, with the spread
/// of the kernels' fit, multiplies the times of all batches. Slower batches only stretch the time of a queue,
/// so the rate that a GPU serves within the latency L follows from one curve for f = 1:
///
///     rate(L, f) = rate(L / f, 1) / f.
///
/// L / f is rounded to three digits; the rate of a GPU is known to 1 %.
#include <functional>
#include <string>

#include "scenarios/uncertainty/sampled_answer.hpp"

namespace rackcast {

class Catalog;
struct Scenario;

/// The answer that is sampled is the number of nodes, infinite where no number keeps the latency. Shares of
/// the variance are those of ln(nodes).
struct ServiceUncertainty : SampledAnswer {
  std::string title, precision;  ///< of the expected answer's node
  int spares = 0;                ///< of the expected answer, beyond the nodes for the busiest hour
};

/// Throws Error where the scenario has no answer in the middle of its ranges. `on_sample` as in
/// uncertainty.hpp.
ServiceUncertainty service_uncertainty(
    const Scenario& scenario, const Catalog& catalog, std::size_t samples,
    const std::function<void(std::size_t done, std::size_t about)>& on_sample = {});

/// As tables for people (sim/json/table_document.hpp).
std::string service_uncertainty_document(const Scenario& scenario, const ServiceUncertainty& report);

}  // namespace rackcast
