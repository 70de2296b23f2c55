#pragma once
/// Why a case has no prediction.
#include <string>

namespace rackcast {

/// Thrown where a case cannot be predicted, with the reason.
struct Unpredictable {
  std::string reason;
};

}  // namespace rackcast
