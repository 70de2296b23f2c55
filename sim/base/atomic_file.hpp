#pragma once
#include <string>
#include <string_view>

namespace rackcast {

/// Writes `bytes` to `path` so that a reader sees the old file or the whole new one, never a part: a
/// temporary file in the same folder, flushed to the disk, then renamed. A symbolic link is followed; the
/// mode of a file that exists is kept; what is not a regular file (a pipe, /dev/stdout) is written straight.
/// Throws Error, with a hint, if the folder is missing or closed to us or the disk is full; nothing is left
/// behind then.
void write_file_atomically(const std::string& path, std::string_view bytes);

/// Throws the Error that write_file_atomically would, before work that takes long; an existing file is not
/// touched.
void check_writable(const std::string& path);

}  // namespace rackcast
