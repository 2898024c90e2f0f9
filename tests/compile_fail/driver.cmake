# Runs one compile-fail case: cmake -DCOMPILER=… -DKIND=host|nvcc -DFILE=… -DMACRO=… -DSLUG=… -DOPTIONS=… -DOBJECT=… -P driver.cmake
#
# It wants all of: the file compiles as it stands; with MACRO defined it does not; then there is exactly one line with
# `error:`; and on that line stands `amphora [SLUG]`.
set(ENV{LC_ALL} C)
if(KIND STREQUAL "nvcc")  # it splits values at commas
  string(REPLACE "," "\\," OPTIONS "${OPTIONS}")
endif()

function(compile result output)
  if(KIND STREQUAL "nvcc")  # one architecture: each further one would give every error again
    set(command ${COMPILER} -std=c++17 -arch=sm_90 -x cu -c -o ${OBJECT})
  else()
    set(command ${COMPILER} -std=c++17 -Wall -Wextra -fsyntax-only)
  endif()
  execute_process(COMMAND ${command} ${OPTIONS} ${ARGN} ${FILE} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(KIND STREQUAL "nvcc")
    file(REMOVE ${OBJECT})
  endif()
  set(${result} "${code}" PARENT_SCOPE)
  set(${output} "${out}${err}" PARENT_SCOPE)
endfunction()

compile(code output)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "the control does not compile:\n${output}")
endif()

compile(code output -D${MACRO})
if(code EQUAL 0)
  message(FATAL_ERROR "compiles with ${MACRO}, and must not")
endif()
string(REPLACE ";" "," lines "${output}")
string(REPLACE "[" "<" lines "${lines}")  # brackets would join a list's elements
string(REPLACE "]" ">" lines "${lines}")
string(REPLACE "\n" ";" lines "${lines}")
list(FILTER lines INCLUDE REGEX "error:")
list(LENGTH lines errors)
if(NOT errors EQUAL 1)
  message(FATAL_ERROR "${errors} errors, and must be one:\n${output}")
endif()
string(FIND "${lines}" "amphora <${SLUG}>: " place)
if(place EQUAL -1)
  message(FATAL_ERROR "no 'amphora [${SLUG}]: ' in the error:\n${output}")
endif()
