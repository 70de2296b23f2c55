#pragma once
/// What a publication says once for all its measurements (models/data/benchmarks/publications.json).
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/validation/cases/case.hpp"

namespace rackcast {

/// Speculative decoding of one release of a server.
struct PublishedDrafts {
  std::string framework, release;
  int tokens = 0;    ///< guessed before a pass
  int replicas = 0;  ///< the same where replicas share the experts
};

struct Publication {
  std::map<std::string, std::string> releases;  ///< of frameworks whose release a case leaves open
  std::optional<std::int64_t> vocabulary;  ///< words that a tensor-parallel group divides, without padding
  std::vector<PublishedDrafts> drafts;     ///< where a case does not state them
  std::string study;                       ///< whose failure rates are the publication's own; empty: none
};

/// By the case's citation; empty where the table has no entry.
const Publication& publication_of(const ValidationCase& c);

/// Tokens that a server guesses before a pass: as the case says, or its publication for the release of the
/// server. `replicas`: of attention, that share the experts.
int drafts_of(const ValidationCase& c, int replicas);

}  // namespace rackcast
