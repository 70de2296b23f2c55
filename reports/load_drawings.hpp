#pragma once
#include "reports/result.hpp"

namespace rackcast {
class Json;
}

namespace rackcast::reports {

// Members of the result document that become drawings. Throw Error, pointing at the place.
Timeline read_timeline(const Json& json);
MachineDrawing read_drawing(const Json& json);

}  // namespace rackcast::reports
