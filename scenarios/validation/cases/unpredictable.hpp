#pragma once
/// Why a case has no prediction.
#include <string>

namespace rackcast {

/// Thrown where a case cannot be predicted, with the reason.
struct Unpredictable {
  std::string reason;
  /// The setting that the case would have to state (usual_settings.hpp); empty: none would help.
  std::string setting = {};
};

}  // namespace rackcast
