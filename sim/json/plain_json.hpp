#pragma once
/// A checked document as one that can be written out again, in the order of its keys.
#include <nlohmann/json_fwd.hpp>

namespace rackcast {

class Json;

nlohmann::ordered_json plain_json(const Json& json);

}  // namespace rackcast
