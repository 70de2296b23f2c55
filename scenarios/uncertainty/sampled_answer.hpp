#pragma once
/// An answer sampled over its uncertain inputs: quantiles, sensitivities, and nodes for each confidence. Used
/// for trainings and for served networks.
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/evidence/sobol.hpp"
#include "scenarios/names/ranges.hpp"
#include "sim/json/table_document.hpp"

namespace rackcast {

/// How far one input moves the answer.
struct TornadoRow {
  std::string input, low_text, high_text;
  double low = 0, high = 0;  ///< the answer at either end of the input, all other inputs in the middle
  Sensitivity share;
};

struct SampledAnswer {
  std::size_t samples = 0;
  int nodes = 0;                     ///< of the expected answer, without spares
  std::vector<double> quantiles;     ///< of the answer at 5, 25, 50, 75 and 95 %
  std::optional<double> confidence;  ///< probability that `nodes` are enough, where there is a goal
  std::vector<TornadoRow> tornado;   ///< by total share of the variance, the largest first
  /// Fewest nodes that are enough with this probability; nothing: more than goal.max_nodes.
  struct Confident {
    double probability = 0;
    std::optional<int> nodes;
  };
  std::vector<Confident> confident;
};

inline constexpr double confidence_levels[] = {0.5, 0.75, 0.9, 0.95};

/// Sorts `answers` and returns their quantiles at 5, 25, 50, 75 and 95 %.
std::vector<double> sample_quantiles(std::vector<double>& answers);

/// The middles of the steps in which the first `ranges` coordinates of `u` lie. Ranges are taken in 64 steps,
/// so that what was simulated for one sample serves others as well.
std::vector<double> in_steps(std::span<const double> u, std::size_t ranges);

/// Moves each range, and then the error of the model, from one end to the other. `answer(point, model)` is
/// the answer at a point of the ranges and a quantile of the model's error; `shares` has one entry per range
/// and one for the model, which the rows call `model`.
std::vector<TornadoRow> tornado(std::span<const InputRange> ranges, const std::string& model,
                                std::span<const Sensitivity> shares,
                                const std::function<double(std::span<const double>, double)>& answer);

/// A probability or share in whole percent.
std::string percent_text(double share);

using AnswerText = std::function<std::string(double)>;
TableDocument::Table quantile_table(std::string caption, const SampledAnswer& answer, const AnswerText& text);
/// `what` heads the column of answers: "Time".
TableDocument::Table tornado_table(std::string caption, const std::string& what, const SampledAnswer& answer,
                                   const AnswerText& text);
/// `expected` is the text for the expected answer's nodes, `most` the most that the goal allows.
TableDocument::Table confidence_table(std::string caption, const SampledAnswer& answer, std::string expected,
                                      int most);

}  // namespace rackcast
