#pragma once
/// The first page of a report in words: the recommendation, how sure it is, and what it costs.
#include <optional>
#include <string>

#include "reports/blocks/block.hpp"
#include "reports/result/result.hpp"

namespace rackcast::reports {

/// "NVIDIA DGX-1V", or the catalogue name where there is no title.
std::string node_name(const Answer& answer);

/// "8 × NVIDIA DGX-1V".
std::string cluster_title(const Answer& answer);

/// A search that found no cluster within the limits.
bool no_answer(const ResultDocument& document);
/// No answer, but nothing is known that the nearest cluster breaks: what its limits are held against leaves
/// something out.
bool undecided(const ResultDocument& document);

/// Probability that the deadline, or every limit on time of a service, is met, by the error of the model
/// alone. Nothing where the document has none.
std::optional<double> odds(const ResultDocument& document);

/// percent_text() of odds. Rounding never lifts them over a bound of the verdict: 89.6 % is "89 %".
std::string odds_text(double odds);
/// The colour of odds: good from 90 %, a caution below, bad below 50 %.
Tone odds_tone(double odds);

/// How sure the answer is, as a colour and in words that say the same. Good: odds of 90 % or more. Caution:
/// of 50 % or more, not known, or the search has not ended. Bad: less, or a limit breaks. Plain: nothing that
/// could be missed was asked.
struct Verdict {
  Tone tone = Tone::plain;
  std::string words;
};
Verdict verdict(const ResultDocument& document);

/// "Buy 8 × NVIDIA DGX-1V for 1.68 million USD to train ResNet-50: 55 % odds of meeting the deadline of 14
/// days".
std::string recommendation(const ResultDocument& document);

/// What the reader has to know beside the recommendation and the facts: why there is no answer, what was
/// chosen by, and how several workloads share the cluster. May be empty.
std::string lead_text(const ResultDocument& document);

/// What the bill of materials comes to, "at least ..." where it leaves something out; empty where no row has
/// a price.
std::string purchase_text(const Site& site);

}  // namespace rackcast::reports
