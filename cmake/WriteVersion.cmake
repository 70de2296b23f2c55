# Run at each build (cmake -P) with SOURCE_DIR, VERSION and OUTPUT: writes the definitions of sim/base/version.hpp,
# and touches the file only when the commit has changed, so that a commit recompiles one small file.
cmake_minimum_required(VERSION 3.25)
set(commit "")
find_program(git git)
if(git AND EXISTS ${SOURCE_DIR}/.git)
  execute_process(
    COMMAND ${git} describe --always --exclude=* --abbrev=10 --dirty=+changes
    WORKING_DIRECTORY ${SOURCE_DIR}
    OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "// Written by WriteVersion.cmake; do not edit.
#include \"sim/base/version.hpp\"

namespace rackcast {

std::string_view version() { return \"@VERSION@\"; }
std::string_view commit() { return \"@commit@\"; }

}  // namespace rackcast
")
