# What a build for WebAssembly takes from the machine (./dev web): the compiler is Emscripten's, and of the libraries
# those of headers alone. There are no threads, no programs to start and no libraries of machine code, so the parts
# that need them are left out, or refuse what they cannot do (commands/library/web).
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fwasm-exceptions>)
add_link_options(-fwasm-exceptions)

# The folder of the system's headers is not ours to search: the C library of another machine is in it.
set(web_headers ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${web_headers})
foreach(library fmt nlohmann boost eigen3)
  if(EXISTS /usr/include/${library})
    file(CREATE_LINK /usr/include/${library} ${web_headers}/${library} SYMBOLIC)
  else()
    message(FATAL_ERROR "${library}: headers not found in /usr/include")
  endif()
endforeach()
include_directories(SYSTEM ${web_headers} ${web_headers}/eigen3)

# What Debian 12's Emscripten lacks of C++20.
set(web_std ${CMAKE_SOURCE_DIR}/commands/library/web/std)
include_directories(SYSTEM ${web_std})
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${web_std}/missing_std.hpp>")

foreach(library fmt::fmt nlohmann_json::nlohmann_json Boost::headers Eigen3::Eigen Threads::Threads)
  add_library(${library} INTERFACE IMPORTED GLOBAL)
endforeach()
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
