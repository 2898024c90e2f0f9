# cmake -DSOURCE=… -DBINARY=… -DOPTIONS="-D…;…" [-DTARGET=…] [-DRUN=…] -P run_project.cmake
#
# Configures, builds and runs a project of its own. What was built before is kept.
cmake_minimum_required(VERSION 3.24)
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed with ${result}: ${ARGN}")
  endif()
endfunction()

step(${CMAKE_COMMAND} -S ${SOURCE} -B ${BINARY} ${OPTIONS})
if(TARGET)
  set(target --target ${TARGET})
endif()
step(${CMAKE_COMMAND} --build ${BINARY} -j 2 ${target})
if(RUN)
  step(${BINARY}/${RUN})
endif()
