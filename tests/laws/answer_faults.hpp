#pragma once
/// What no answer to any scenario may do: fail inside, say an impossible number, depend on how the scenario
/// is written, or get worse when it is given more.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "topologies/catalog/catalog.hpp"

namespace rackcast {

/// How the program would answer a scenario.
struct DrawnAnswer {
  enum class End { answered, refused, failed };  ///< refused: an error of input, with its message
  End end = End::failed;
  std::string message;
  std::string text;         ///< the result document; empty without an answer
  nlohmann::json document;  ///< the same
  double seconds = 0;       ///< of processor time
};

DrawnAnswer answer_to(const nlohmann::ordered_json& scenario, const Catalog& catalog);

/// One line for each law that the answer breaks; the first word names the law. Asks one further scenario,
/// which `seed` chooses.
std::vector<std::string> answer_faults(const nlohmann::json& scenario, const DrawnAnswer& answer,
                                       std::uint64_t seed, const Catalog& catalog);

}  // namespace rackcast
