#pragma once
/// Words of a shell script or a plain list, as far as they matter for the arguments in it. Private to
/// calibrate/import/launch.
///
/// Commands are not run. A variable has the value that the file assigned to it before, or its default in
/// ${NAME:-default}; $((A * B)) of such numbers is computed. $'...' is read with its escapes, where a letter
/// outside ASCII becomes "?". All branches of an `if` are read.
#include <functional>
#include <string>

#include "calibrate/import/import_source.hpp"

namespace rackcast {

struct ArgumentWord {
  std::string text;         ///< without quotes; what could not be replaced stands as it was written: "$1"
  std::size_t offset = 0;   ///< of its first byte in the file
  bool unknown = false;     ///< holds a variable whose value the file does not say
  std::string unsaid = {};  ///< the first letters of that variable, with its $
  bool of_job = false;      ///< stands in a line with #SBATCH
  bool is_default = false;  ///< holds the default of a variable that the file does not assign
};

/// Calls `take` with each word; comments and assignments are none, "#SBATCH" apart, whose options are words.
/// Throws Error (file, line, column) for a quotation without an end, and variables that grow without bound.
void for_each_word(const ImportSource& source, const std::function<void(ArgumentWord)>& take);

}  // namespace rackcast
