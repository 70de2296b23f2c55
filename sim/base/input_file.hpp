#pragma once
#include <cstddef>
#include <string>

namespace rackcast {

/// The bytes of a regular file. Throws Error, with a hint, if it is missing, a folder, a device or a pipe,
/// not readable, or larger than `max_bytes`.
std::string read_file(const std::string& path, std::size_t max_bytes = std::size_t{64} << 20);

}  // namespace rackcast
