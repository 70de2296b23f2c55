# rackcast_protobuf(TARGET FILE.proto): a library of what protoc writes for a file of this folder, with NAME.pb.h to
# include. It is not ours to warn about.
function(rackcast_protobuf target proto)
  find_package(Protobuf REQUIRED)
  cmake_path(GET proto PARENT_PATH folder)
  cmake_path(GET proto STEM name)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${target})
  set(files ${out}/${name}.pb.cc ${out}/${name}.pb.h)
  add_custom_command(
    OUTPUT ${files}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${out}
    COMMAND protobuf::protoc --cpp_out=${out} -I ${CMAKE_CURRENT_SOURCE_DIR}/${folder} ${name}.proto
    DEPENDS ${proto}
    VERBATIM)
  add_library(${target} STATIC ${files})
  target_compile_options(${target} PRIVATE -w)
  target_include_directories(${target} SYSTEM PUBLIC ${out})
  target_link_libraries(${target} PUBLIC protobuf::libprotobuf-lite)
endfunction()
