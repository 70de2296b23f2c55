#pragma once
/// The planner's part of a result in words.
#include <string>
#include <vector>

#include "reports/result/result.hpp"

namespace rackcast::reports {

/// "8 x NVIDIA DGX-2, oversubscription 2"; of a fleet that serves "8 x NVIDIA DGX-2 in fp16".
std::string candidate_text(const PlanCandidate& candidate);

/// "Lowest cost: 8 x NVIDIA DGX-2 (1.68 million USD), the slowest workload in 13 days.", which limits
/// conflict, or what was known when the search was ended.
std::string plan_text(const ResultDocument& document);

/// The cost of a candidate over its years, and what that sum leaves out.
struct OpenSum {
  std::string name;
  double usd = 0;
  const std::vector<std::string>*no_price = nullptr, *no_power = nullptr, *no_units = nullptr;
};

/// " 5 x NVIDIA DGX H100 in fp8 may cost less: at least 2.65 million USD, without ...": the least of the sums
/// that leave something out and are below the chosen one. Empty, or begins with a space.
std::string rivals_text(double chosen_usd, const std::vector<OpenSum>& sums);

/// What one step smaller than the choice comes to; empty where there is no choice.
std::string smaller_text(const ResultDocument& document);

/// "No candidate keeps these 2 limits together: deadline, floor area. Each of them can be kept without the
/// other."
std::string conflict_set_text(const std::vector<Plan::Conflict>& members);
std::string conflict_text(const Plan::Conflict& conflict);
/// Limits that what is missing leaves undecided; those that lack the same share a sentence.
std::string open_limits_text(const std::vector<Plan::Conflict>& members);

/// What a tenth more of the limit changes: "2 nodes fewer, 310 kUSD less", "nothing: it does not bind".
/// `chosen` is the answer as it is.
std::string relaxation_text(const Plan::Relaxation& relaxation, const PlanCandidate& chosen);

/// Is there nothing to say but that the limit does not bind?
bool is_idle(const Plan::Relaxation& relaxation);

}  // namespace rackcast::reports
