#pragma once
/// What a publication says once for all its measurements (models/data/benchmarks/publications.json).
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

struct Publication {
  std::map<std::string, std::string> releases;  ///< of frameworks whose release a case leaves open
  std::optional<std::int64_t> vocabulary;  ///< words that a tensor-parallel group divides, without padding
  std::string study;                       ///< whose failure rates are the publication's own; empty: none
};

/// By the case's citation; empty where the table has no entry.
const Publication& publication_of(const ValidationCase& c);

}  // namespace rackcast
