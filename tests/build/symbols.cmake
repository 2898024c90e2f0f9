# No object of a program that includes everything may define a strong symbol in the library's namespace: a second unit would
# define it again.  cmake -DNM=… -DOBJECTS=… -P symbols.cmake
cmake_minimum_required(VERSION 3.24)
set(found 0)
foreach(object ${OBJECTS})
  execute_process(COMMAND ${NM} -C --defined-only ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[ ][WVu] [^\n]*amphora::" weak "${symbols}")
  list(LENGTH weak weak_count)
  math(EXPR found "${found} + ${weak_count}")
  string(REGEX REPLACE "[^\n]*::on_error\\([^\n]*" "" symbols "${symbols}")  # the program's own definition
  string(REGEX MATCHALL "[ ][TDBRGSC] [^\n]*amphora::[^\n]*" strong "${symbols}")
  if(strong)
    message(FATAL_ERROR "${object} defines strong symbols:\n${strong}")
  endif()
endforeach()
if(found EQUAL 0)
  message(FATAL_ERROR "no symbol of the library was found, so nothing was tested")
endif()
