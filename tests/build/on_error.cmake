# Without exceptions the program must define amphora::on_error: with it it links, without it the linker names it.
# cmake -DCOMPILER=… -DROOT=… -DINCLUDES=… -DOUTPUT=… -P on_error.cmake
cmake_minimum_required(VERSION 3.24)
list(TRANSFORM INCLUDES PREPEND -I)
set(command ${COMPILER} -std=c++17 -fno-exceptions -fno-rtti -I${ROOT}/include ${INCLUDES} ${ROOT}/tests/build/no_exceptions.cpp
  -o ${OUTPUT}/on_error)
execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${command} -DAMPHORA_WITHOUT_ON_ERROR RESULT_VARIABLE result ERROR_VARIABLE output)
if(result EQUAL 0)
  message(FATAL_ERROR "linked without a definition of amphora::on_error")
endif()
if(NOT output MATCHES "undefined reference to [^\n]*on_error")
  message(FATAL_ERROR "failed for another reason:\n${output}")
endif()
