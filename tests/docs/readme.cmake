# README's program with its one wrong line made code: the compiler must stop with the very message that README shows.
# cmake -DCOMPILER=… -DROOT=… -DINCLUDES=… -DOUTPUT=folder -P readme.cmake
cmake_minimum_required(VERSION 3.24)
file(READ ${ROOT}/examples/readme.cpp program)
string(REGEX REPLACE "// (amp::[^\n]*)  ❌[^\n]*" "\\1" wrong "${program}")
if(wrong STREQUAL program)
  message(FATAL_ERROR "examples/readme.cpp has no line with ❌")
endif()
file(WRITE ${OUTPUT}/readme_wrong.cpp "${wrong}")
file(READ ${ROOT}/README.md readme)
if(NOT readme MATCHES "```text\n(amphora \\[[^\n]+)\n```")
  message(FATAL_ERROR "README.md shows no message")
endif()
set(message "${CMAKE_MATCH_1}")

list(TRANSFORM INCLUDES PREPEND -I)
execute_process(COMMAND ${COMPILER} -std=c++17 -fsyntax-only -I${ROOT}/include ${INCLUDES} ${OUTPUT}/readme_wrong.cpp
  RESULT_VARIABLE result ERROR_VARIABLE output)
string(FIND "${output}" "${message}" place)
if(result EQUAL 0 OR place EQUAL -1)
  message(FATAL_ERROR "not the message that README shows, but:\n${output}")
endif()
