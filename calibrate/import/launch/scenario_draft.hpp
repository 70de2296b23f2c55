#pragma once
/// A scenario that an imported file determines in part. Private to calibrate/import/launch.
///
/// The document has it as "scenario": commands read it like a scenario, "extends" of another scenario as
/// well, and what is missing is said with --set or there.
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/import/importers.hpp"
#include "models/networks/transformer.hpp"

namespace rackcast {

/// The network of the zoo with the same layers, whatever the length of its sequences; nothing if there is
/// none. Of several the one that was trained to look back on as many tokens. `any_vocabulary`: the size of
/// the vocabulary may differ, too.
std::optional<std::string> network_like(const TransformerShape& shape, bool any_vocabulary = false);

/// The vocabulary of a network of the zoo.
std::int64_t vocabulary_of(const std::string& network);

/// Puts the scenario into the document, with warnings that say what it still lacks: "model", "data" or the
/// cluster's node.
void finish_draft(nlohmann::ordered_json scenario, ImportOutput& out);

}  // namespace rackcast
