#include "scenarios/uncertainty/sampled_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rackcast {
namespace {

constexpr double kSteps = 64;  ///< of a range
constexpr double kShares[] = {0.05, 0.25, 0.5, 0.75, 0.95};

}  // namespace

std::vector<double> sample_quantiles(std::vector<double>& answers) {
  std::ranges::sort(answers);
  std::vector<double> out;
  for (const double share : kShares)
    out.push_back(answers[static_cast<std::size_t>(share * static_cast<double>(answers.size()))]);
  return out;
}

std::vector<double> in_steps(std::span<const double> u, std::size_t ranges) {
  std::vector<double> stepped;
  for (const double x : u.first(ranges)) stepped.push_back((std::floor(x * kSteps) + 0.5) / kSteps);
  return stepped;
}

std::vector<TornadoRow> tornado(std::span<const InputRange> ranges, const std::string& model,
                                std::span<const Sensitivity> shares,
                                const std::function<double(std::span<const double>, double)>& answer) {
  std::vector<TornadoRow> rows;
  const std::vector<double> middle(ranges.size(), 0.5);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto end = [&](double u) {
      std::vector<double> point = middle;
      point[i] = u;
      return answer(point, 0.5);
    };
    rows.push_back({ranges[i].path, ranges[i].at(0), ranges[i].at(1), end(0), end(1), shares[i]});
  }
  rows.push_back({model, "5 %", "95 %", answer(middle, 0.05), answer(middle, 0.95), shares.back()});
  std::ranges::stable_sort(rows, std::greater{}, [](const TornadoRow& row) { return row.share.total; });
  return rows;
}

std::string percent_text(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

TableDocument::Table quantile_table(std::string caption, const SampledAnswer& answer,
                                    const AnswerText& text) {
  TableDocument::Table out{std::move(caption), {{"Share of the samples below"}, {"", true}}, {}};
  for (std::size_t i = 0; i < answer.quantiles.size(); ++i)
    out.rows.push_back({percent_text(kShares[i]), text(answer.quantiles[i])});
  return out;
}

TableDocument::Table tornado_table(std::string caption, const std::string& what, const SampledAnswer& answer,
                                   const AnswerText& text) {
  TableDocument::Table out{std::move(caption),
                           {{"Input"},
                            {"From", true},
                            {"To", true},
                            {what + " at one end", true},
                            {"At the other", true},
                            {"Variance alone", true},
                            {"With others", true}},
                           {}};
  for (const TornadoRow& row : answer.tornado)
    out.rows.push_back({row.input, row.low_text, row.high_text, text(row.low), text(row.high),
                        percent_text(row.share.first), percent_text(row.share.total)});
  return out;
}

TableDocument::Table confidence_table(std::string caption, const SampledAnswer& answer, std::string expected,
                                      int most) {
  TableDocument::Table out{std::move(caption), {{"Confidence"}, {"Nodes", true}}, {}};
  out.rows.push_back(
      {percent_text(answer.confidence.value_or(0)) + ", the expected answer", std::move(expected)});
  for (const auto& c : answer.confident)
    out.rows.push_back(
        {percent_text(c.probability), c.nodes ? grouped(*c.nodes) : fmt::format("over {}", most)});
  return out;
}

}  // namespace rackcast
