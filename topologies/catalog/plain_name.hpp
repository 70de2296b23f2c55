#pragma once
/// Keys of the catalogue and of scenarios in the words of people: "infiniband_4x/edr" is InfiniBand EDR,
/// "us_virginia" US Virginia, "on_demand" on demand. For sentences; documents keep the keys beside them.
/// Entries with a file of their own have a name in it instead.
#include <string>
#include <string_view>

namespace rackcast {

/// Words that are not known stay as they are, with spaces for underscores.
std::string plain_name(std::string_view key);

}  // namespace rackcast
