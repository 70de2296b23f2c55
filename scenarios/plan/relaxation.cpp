#include "scenarios/plan/relaxation.hpp"

#include <utility>

namespace rackcast {

namespace {

bool changes(const doc::PlanCandidate& chosen, const std::optional<doc::PlanCandidate>& then) {
  return then && !difference(chosen, *then).none();
}

}  // namespace

doc::Plan::Relaxation relaxation(RelaxableSearch& search, const doc::PlanCandidate& chosen, Limit limit,
                                 std::string now, std::string relaxed) {
  doc::Plan::Relaxation out{std::string{to_string(limit)}, std::move(now), std::move(relaxed)};
  out.binds = search.binds(limit);
  if (!out.binds) return out;
  out.answer = search.with_more(limit);
  if (!changes(chosen, out.answer)) out.later = search.first_change(limit);
  return out;
}

doc::Plan::Relaxation relaxation(const doc::PlanCandidate& chosen, std::string limit, std::string now,
                                 std::string relaxed, const std::optional<doc::PlanCandidate>& then,
                                 bool better) {
  doc::Plan::Relaxation out{std::move(limit), std::move(now), std::move(relaxed)};
  if (!changes(chosen, then)) return out;
  out.binds = better;
  out.answer = then;
  return out;
}

}  // namespace rackcast
