#pragma once
/// What a report carries so that its question can be asked again.
#include <string>

#include "reports/blocks/block.hpp"

namespace rackcast::reports {

/// What a document says of the question it answers.
struct AskedBefore {
  std::string scenario;  ///< the merged scenario as JSON; empty: not recorded
  std::string file;      ///< as it was named, with its folder
  std::string question;  ///< "size", "simulate" or "campaign"
  std::string command;   ///< as it was typed; may be empty
};

/// One block, or none where the document does not hold its scenario.
Blocks ask_again(const AskedBefore& asked);

}  // namespace rackcast::reports
