#pragma once
/// The sentence of each reason in a document.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/document/form/reason.hpp"

namespace rackcast::reports {

/// What the reason says, in one sentence or several.
std::string reason_text(const doc::Reason& reason);
/// The same; empty where there is no reason.
std::string why_text(const std::optional<doc::Reason>& why);

struct ReasonSentence {
  std::string_view code;
  std::string (*text)(const doc::Reason&);
};
// One file each.
std::span<const ReasonSentence> limit_sentences();  ///< of a training and of a site
std::span<const ReasonSentence> split_sentences();  ///< of a search over splits
std::span<const ReasonSentence> fleet_sentences();  ///< of a fleet that serves
std::span<const ReasonSentence> warning_sentences();
/// All codes that have a sentence.
std::vector<std::string_view> codes_with_sentence();

// For the sentences.
/// The texts of the parts with a separator in between.
std::string parts_text(const doc::Reason& reason, std::string_view separator);
/// A space and the sentences of the parts, behind a sentence; empty without parts.
std::string also(const doc::Reason& reason);
/// The number at a key as "1 node", "13 nodes".
std::string counted(const doc::Reason& reason, std::string_view key, std::string_view singular);

}  // namespace rackcast::reports
