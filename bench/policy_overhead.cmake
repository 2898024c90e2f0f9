# Counts the instructions of a call through a policy and of the same call by hand, and wants no difference.
# cmake -DVALGRIND=… -DPROGRAM=… -DOUTPUT=folder -P policy_overhead.cmake
cmake_minimum_required(VERSION 3.24)
foreach(kind policy hand)
  set(function_policy call_through_policy)
  set(function_hand call_by_hand)
  execute_process(COMMAND ${VALGRIND} --tool=callgrind --callgrind-out-file=${OUTPUT}/callgrind.${kind}
                          --toggle-collect=${function_${kind}} ${PROGRAM} ${kind}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0 OR NOT output MATCHES "Collected : ([0-9]+)")
    message(FATAL_ERROR "no count: ${output}")
  endif()
  set(${kind} ${CMAKE_MATCH_1})
endforeach()
message(STATUS "instructions of three calls: through the policy ${policy}, by hand ${hand}")
if(policy LESS 1000 OR NOT policy EQUAL hand)
  message(FATAL_ERROR "they must be equal")
endif()
