#pragma once
/// What the operating system tells about the machine; no names, addresses or serial numbers.
#include <string>

#include "calibrate/measure/box.hpp"

namespace rackcast {

/// Reads proc/ and sys/ below `root` ("/" in earnest, a folder of files in tests); what cannot be read stays
/// empty. Threads are those that this process may run on if `root` is "/".
BoxHost read_host_info(const std::string& root = "/");

/// Load of other processes per core and the mean clock of the cores, where they can be read.
Conditions cpu_conditions(const std::string& root = "/");

/// Size of the largest cache that `root` tells of; 32 MiB where it tells none.
Bytes last_level_cache(const std::string& root = "/");

}  // namespace rackcast
