# rackcast_library(NAME [DEPS lib...] [EXCLUDE regex...] [BATCHES small]): every .cpp of the folder becomes one static library.
# rackcast_embed(NAME DIR SYMBOL): every file below DIR travels inside the library, so the program is one file.
# rackcast_version(NAME): the library tells the version and the commit.

function(rackcast_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wconversion -Werror>)
  # In a batch it would fire on names of another file; ./dev lint, which has no batches, sees to it.
  if(NOT CMAKE_UNITY_BUILD)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wshadow>)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # -Wshadow of GCC also fires on constructor parameters named after members. False positives of GCC 12 (bug 105562 and
    # friends) in inlined library code are not ours to fix. In a batch every file is an included one, which
    # -Wsubobject-linkage takes for a header.
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-Wshadow=local -Wno-maybe-uninitialized -Wno-restrict -Wno-dangling-pointer
                                -Wno-subobject-linkage -Wno-mismatched-new-delete>)
  endif()
  # Fused multiply-add rounds differently; results must not depend on compiler or processor.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
  if(RACKCAST_SANITIZE)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${RACKCAST_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer>)
    target_link_options(${target} PUBLIC -fsanitize=${RACKCAST_SANITIZE})
    # Together with the counters of the fuzzer, clang 14 cannot assemble the type of a function before a coroutine.
    if(RACKCAST_FUZZ)
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=function>)
    endif()
  endif()
endfunction()

# Sets OUT to the number of batches, a power of two, in which COUNT files stand with at most about MOST in each.
function(rackcast_batch_count count most out)
  set(batches 1)
  while(batches LESS 64 AND count GREATER most)
    math(EXPR batches "${batches} * 2")
    math(EXPR count "(${count} + 1) / 2")
  endwhile()
  set(${out} ${batches} PARENT_SCOPE)
endfunction()

# Sets OUT to the batch of a file. It follows from the file's name alone, so a new file leaves the other batches as they
# are.
function(rackcast_batch_of source batches out)
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE name)
  string(MD5 hash "${name}")
  string(SUBSTRING ${hash} 0 4 digits)
  math(EXPR batch "0x${digits} % ${batches}")
  set(${out} ${batch} PARENT_SCOPE)
endfunction()

# Compiles the sources of a target in batches (a unity build), which parses the shared headers once per batch and takes
# a third of the time. The price: names in anonymous namespaces are unique within a library. Off by -DCMAKE_UNITY_BUILD=OFF.
# Batches have about 14 files, or half of that with a second argument "small", where names are often alike.
function(rackcast_unity target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(LENGTH sources count)
  set(most 18)
  if("small" IN_LIST ARGN)
    set(most 10)
  endif()
  rackcast_batch_count(${count} ${most} batches)
  foreach(source IN LISTS sources)
    rackcast_batch_of(${source} ${batches} batch)
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP batch_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# Less optimisation for a target that simulates nothing: a quarter less time to compile what reads, writes and words
# results. The order of floating-point operations is the same at every level.
function(rackcast_cold target)
  if(RACKCAST_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
  else()
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
  endif()
endfunction()

# -O1 everywhere, for a target whose searches are as fast with it as with -O2.
function(rackcast_warm target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
endfunction()

function(rackcast_library name)
  cmake_parse_arguments(ARG "" "BATCHES" "DEPS;PRIVATE_DEPS;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(regex IN LISTS ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${regex}")
  endforeach()
  if(NOT sources)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp CONTENT "\n")
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
  endif()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
  rackcast_compile_options(${name})
  rackcast_unity(${name} ${ARG_BATCHES})
endfunction()

# Writes `content` to `file` unless that is what it holds already, so that nothing is rebuilt without need.
function(rackcast_write_if_changed file content)
  if(EXISTS ${file})
    file(READ ${file} present)
    if(present STREQUAL content)
      return()
    endif()
  endif()
  file(WRITE ${file} "${content}")
endfunction()

# Embeds every file below DIR (absolute, or relative to the calling folder; hidden and backup files left out) into TARGET and
# defines
#   std::span<const rackcast::EmbeddedFile> rackcast::SYMBOL();
# declared by the library that uses it, in the form of sim/base/embedded.hpp. Names are relative to DIR, sorted.
# The assembler's .incbin copies the bytes, so the size of the data costs no compile time. A file that changes is
# copied again at the next build; a file that appears or goes makes CMake run again (CONFIGURE_DEPENDS).
function(rackcast_embed target dir symbol)
  get_filename_component(base ${dir} ABSOLUTE)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${base}/*)
  list(FILTER files EXCLUDE REGEX "(/\\.[^/]*|~)$")
  list(SORT files)
  set(asm ".section .rodata\n")
  if(EMSCRIPTEN) # whose assembler knows data by name alone, and wants its size
    set(asm "")
  endif()
  set(externs "")
  set(rows "")
  set(count 0)
  foreach(file IN LISTS files)
    file(RELATIVE_PATH name ${base} ${file})
    string(REGEX REPLACE "([\\\"])" "\\\\\\1" name "${name}")
    string(REGEX REPLACE "([\\\"])" "\\\\\\1" path "${file}")
    set(label ${symbol}_${count})
    if(EMSCRIPTEN)
      file(SIZE ${file} size)
      math(EXPR size "${size} + 1")
      string(APPEND asm
        ".section .rodata.${label},\"\",@\n.global ${label}_begin\n.type ${label}_begin,@object\n"
        "${label}_begin:\n.incbin \"${path}\"\n.global ${label}_end\n.type ${label}_end,@object\n${label}_end:\n"
        ".byte 0\n.size ${label}_begin, ${size}\n.size ${label}_end, 1\n")
    else()
      string(APPEND asm
        ".global ${label}_begin\n${label}_begin:\n.incbin \"${path}\"\n.global ${label}_end\n${label}_end:\n.byte 0\n")
    endif()
    string(APPEND externs "extern const char ${label}_begin[];\nextern const char ${label}_end[];\n")
    string(APPEND rows
      "      {\"${name}\", {${label}_begin, static_cast<std::size_t>(${label}_end - ${label}_begin)}},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  if(NOT EMSCRIPTEN)
    string(APPEND asm ".section .note.GNU-stack,\"\",%progbits\n")
  endif()
  string(CONCAT table
    "// Written by rackcast_embed; do not edit.\n#include <array>\n#include <cstddef>\n\n"
    "#include \"sim/base/embedded.hpp\"\n\nextern \"C\" {\n${externs}}\n\nnamespace rackcast {\n"
    "std::span<const EmbeddedFile> ${symbol}();\n"
    "std::span<const EmbeddedFile> ${symbol}() {\n"
    "  static const std::array<EmbeddedFile, ${count}> files{{\n${rows}  }};\n"
    "  return files;\n}\n}  // namespace rackcast\n")
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${symbol})
  rackcast_write_if_changed(${generated}.S "${asm}")
  rackcast_write_if_changed(${generated}.cpp "${table}")
  set_source_files_properties(${generated}.S PROPERTIES OBJECT_DEPENDS "${files}")
  target_sources(${target} PRIVATE ${generated}.S ${generated}.cpp)
endfunction()

# Gives TARGET the functions of sim/base/version.hpp, brought up to date at each build.
function(rackcast_version target)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/version.cpp)
  add_custom_target(${target}_version
    COMMAND ${CMAKE_COMMAND} -D SOURCE_DIR=${CMAKE_SOURCE_DIR} -D VERSION=${PROJECT_VERSION} -D OUTPUT=${output}
            -P ${CMAKE_SOURCE_DIR}/cmake/WriteVersion.cmake
    BYPRODUCTS ${output}
    COMMENT ""
    VERBATIM)
  add_dependencies(${target} ${target}_version)
  target_sources(${target} PRIVATE ${output})
endfunction()
