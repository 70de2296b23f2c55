# What `cmake --install` puts where, and the Debian packages (cpack): the program, and for other programs the library, its
# headers and the Python package. The program carries its data, so it is one file; man pages and completions are made by
# the program itself. What is not built is left out by `cmake --install`.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)

install(TARGETS rackcast RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
set(rackcast_doc ${CMAKE_INSTALL_DATAROOTDIR}/doc/rackcast)
file(GLOB examples ${CMAKE_SOURCE_DIR}/scenarios/*.json)
install(FILES ${examples} DESTINATION ${rackcast_doc}/examples)
install(FILES README.md NOTICE DESTINATION ${rackcast_doc})
# The planner's page, for reports with --interactive, where `./dev web` built it.
install(FILES ${CMAKE_SOURCE_DIR}/build/wasm/package/rackcast.html DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/rackcast OPTIONAL)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # tests are not installed, so cpack need not build them

set(rackcast_written ${CMAKE_BINARY_DIR}/package)
file(MAKE_DIRECTORY ${rackcast_written})
# bash: name of the command; zsh: an underscore before it; fish: its ending.
set(completions ${rackcast_written}/rackcast ${rackcast_written}/_rackcast ${rackcast_written}/rackcast.fish)
add_custom_command(
  OUTPUT ${completions}
  COMMAND rackcast completion bash > ${rackcast_written}/rackcast
  COMMAND rackcast completion zsh > ${rackcast_written}/_rackcast
  COMMAND rackcast completion fish > ${rackcast_written}/rackcast.fish
  DEPENDS rackcast VERBATIM)
add_custom_target(completions DEPENDS ${completions})
install(FILES ${rackcast_written}/rackcast DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions OPTIONAL)
install(FILES ${rackcast_written}/_rackcast DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/vendor-completions OPTIONAL)
install(FILES ${rackcast_written}/rackcast.fish DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d
        OPTIONAL)

# What Debian asks of each package.
find_program(RACKCAST_GZIP gzip)
mark_as_advanced(RACKCAST_GZIP)
file(CONFIGURE OUTPUT ${rackcast_written}/copyright @ONLY CONTENT
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: rackcast

Files: *
Copyright: 2026 The rackcast authors
License: Apache-2.0
 On Debian systems the full text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
 .
 Data files name their own sources and licences next to the numbers. HTML
 reports carry Vega, Vega-Lite and Vega-Embed under the BSD-3-Clause licence.
")
install(FILES ${rackcast_written}/copyright DESTINATION ${rackcast_doc})
if(RACKCAST_GZIP)
  add_custom_command(
    OUTPUT ${rackcast_written}/changelog.gz
    COMMAND ${RACKCAST_GZIP} -9 -n -c ${CMAKE_SOURCE_DIR}/CHANGELOG.md > ${rackcast_written}/changelog.gz
    DEPENDS ${CMAKE_SOURCE_DIR}/CHANGELOG.md VERBATIM)
  string(TIMESTAMP today "%a, %d %b %Y 00:00:00 +0000" UTC)
  file(CONFIGURE OUTPUT ${rackcast_written}/debian_changelog @ONLY CONTENT
"rackcast (@PROJECT_VERSION@-1) unstable; urgency=medium

  * What is new is in changelog.gz.

 -- The rackcast authors <rackcast@example.org>  @today@
")
  add_custom_command(
    OUTPUT ${rackcast_written}/changelog.Debian.gz
    COMMAND ${RACKCAST_GZIP} -9 -n -c ${rackcast_written}/debian_changelog > ${rackcast_written}/changelog.Debian.gz
    DEPENDS ${rackcast_written}/debian_changelog VERBATIM)
  set(changelogs ${rackcast_written}/changelog.gz ${rackcast_written}/changelog.Debian.gz)
  add_custom_target(changelog DEPENDS ${changelogs})
  install(FILES ${changelogs} DESTINATION ${rackcast_doc} OPTIONAL)
endif()

# One man page for the program and one for each command, from what --help prints.
find_program(RACKCAST_HELP2MAN help2man)
mark_as_advanced(RACKCAST_HELP2MAN)
if(RACKCAST_HELP2MAN AND RACKCAST_GZIP)
  add_custom_target(man
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:rackcast> -DHELP2MAN=${RACKCAST_HELP2MAN} -DGZIP=${RACKCAST_GZIP}
            -DOUTPUT=${rackcast_written}/man1 -P ${CMAKE_SOURCE_DIR}/cmake/WriteManPages.cmake
    DEPENDS rackcast VERBATIM)
endif()
install(DIRECTORY ${rackcast_written}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)

# ---- the library, its headers, and the Python package

install(TARGETS rackcast_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
        NAMELINK_COMPONENT headers OPTIONAL)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/commands/library/include/rackcast DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT headers)
if(TARGET rackcast_python)
  set(python_place lib/python3/dist-packages/rackcast)
  install(TARGETS rackcast_python LIBRARY DESTINATION ${python_place} COMPONENT python OPTIONAL)
  file(GLOB python_sources ${CMAKE_SOURCE_DIR}/commands/library/python/rackcast/*.py)
  install(FILES ${python_sources} DESTINATION ${python_place} COMPONENT python)
endif()
set(doc_of_library librackcast0)
set(doc_of_headers librackcast-dev)
set(doc_of_python python3-rackcast)
foreach(part library headers python)
  install(FILES ${rackcast_written}/copyright ${changelogs} COMPONENT ${part} OPTIONAL
          DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${doc_of_${part}})
endforeach()
install(FILES docs/guide/scaling_study.ipynb COMPONENT python
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/python3-rackcast/examples)

set(CPACK_PACKAGE_NAME rackcast)
set(CPACK_PACKAGE_VENDOR "The rackcast authors")
set(CPACK_PACKAGE_CONTACT "The rackcast authors <rackcast@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "capacity planning of deep-learning clusters by simulation")
set(CPACK_PACKAGE_DESCRIPTION
    "rackcast predicts how long a deep-learning training takes on a cluster of
GPUs, how many nodes meet a deadline or a latency, and what they need in
racks, power and money. It simulates GPUs, servers, fabrics and storage, and
says how sure it is.")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_BINARY_DIR}/package)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Reports are printed to PDF by Chromium.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS chromium)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program library headers python)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME rackcast)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(same_version "(= ${PROJECT_VERSION}-1)")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME librackcast0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "capacity planning of deep-learning clusters, library
rackcast for programs in C and C++: scenarios go in, result documents come
out.")
# Which package a program needs that links the library, and that the loader's cache is to be made anew.
file(WRITE ${rackcast_written}/shlibs "librackcast 0 librackcast0 (>= ${PROJECT_VERSION})\n")
file(WRITE ${rackcast_written}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${rackcast_written}/shlibs;${rackcast_written}/triggers")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_HEADERS_PACKAGE_NAME librackcast-dev)
set(CPACK_DEBIAN_HEADERS_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_HEADERS_PACKAGE_DEPENDS "librackcast0 ${same_version}")
set(CPACK_DEBIAN_HEADERS_DESCRIPTION "capacity planning of deep-learning clusters, headers
rackcast for programs in C and C++: the headers of librackcast0.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-rackcast)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas, python3-matplotlib, chromium")
if(Python3_VERSION_MINOR)
  math(EXPR next_minor "${Python3_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.${Python3_VERSION_MINOR}~), python3 (<< 3.${next_minor})")
endif()
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "capacity planning of deep-learning clusters, Python package
rackcast for Python: a dictionary or a file goes in, a dictionary or a pandas
frame comes out.")
include(CPack)
