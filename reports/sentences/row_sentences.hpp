#pragma once
/// The rows that a table has for assumptions and for the rungs from data to nodes.
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "scenarios/document/answer.hpp"
#include "scenarios/document/training.hpp"

namespace rackcast::reports {

struct RowSentence {
  using Text = std::string (*)(const doc::Reason&);
  std::string_view code;
  Text name, value;
  Text how = nullptr;  ///< what a source does not say, or how a rung follows from those above it
};
// One file each.
std::span<const RowSentence> assumption_rows();
std::span<const RowSentence> ladder_rows();
/// Null: the reason is no row of a table.
const RowSentence* find_row(const doc::Reason& reason);
/// Throws std::logic_error for such a reason.
const RowSentence& row_of(const doc::Reason& reason);

/// "DGX-1V: CPU cores", "40".
std::string name_of(const doc::Assumption& assumption);
std::string value_of(const doc::Assumption& assumption);
/// The source, and what is to be said of it: "Naumov et al., ..."; "the scenario".
std::string source_of(const doc::Assumption& assumption);

/// "Data set", "104 TB", "100 vehicles x ...".
std::string name_of(const doc::LadderRung& rung);
std::string value_of(const doc::LadderRung& rung);
std::string how_of(const doc::LadderRung& rung);

/// "v100"; of "pooled" "all measured GPUs".
std::string measured_gpus_text(const std::string& device);

/// "131,072 samples (134,217,728 tokens)".
std::string batch_text(double samples, std::optional<double> tokens);
/// The samples of a step, of a reason "batch".
std::string batch_text(const doc::Reason& batch);

}  // namespace rackcast::reports
