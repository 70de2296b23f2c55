#pragma once
/// Relaxations: how the answer changes with a tenth more of one limit, for a training and for a fleet that
/// serves. Example: with 15.4 days instead of 14, one node fewer and 340,000 USD less.
#include <optional>
#include <string>

#include "scenarios/document/plan.hpp"
#include "scenarios/limits/limits.hpp"

namespace rackcast {

/// A search with an answer, which can be asked about one limit that is a sum.
class RelaxableSearch {
 public:
  virtual ~RelaxableSearch() = default;
  /// Does the objective like the answer without the limit better?
  virtual bool binds(Limit limit) = 0;
  /// The answer with a tenth more of a limit that binds; nothing if it is no better.
  virtual std::optional<doc::PlanCandidate> with_more(Limit limit) = 0;
  /// The least amount of a limit that binds at which the answer changes; nothing if that is not known.
  virtual std::optional<doc::Plan::Relaxation::Later> first_change(Limit limit) = 0;
};

/// The relaxation of a limit that is a sum, for the answer `chosen` of the search.
doc::Plan::Relaxation relaxation(RelaxableSearch& search, const doc::PlanCandidate& chosen, Limit limit,
                                 std::string now, std::string relaxed);

/// The relaxation of any other limit: `then` is the answer of a search with a tenth more of it, `better` says
/// whether the objective likes that better than `chosen`.
doc::Plan::Relaxation relaxation(const doc::PlanCandidate& chosen, std::string limit, std::string now,
                                 std::string relaxed, const std::optional<doc::PlanCandidate>& then,
                                 bool better);

}  // namespace rackcast
