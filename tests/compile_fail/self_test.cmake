# The driver must pass the good case and reject each of the others, for its own reason.
foreach(row "good=" "broken_control=the control does not compile" "two_errors=2 errors, and must be one" "no_slug=no 'amphora .some-rule.: ' in the error"
            "compiles=and must not")
  string(REGEX MATCH "^([a-z_]+)=(.*)$" ignored "${row}")
  set(case ${CMAKE_MATCH_1})
  set(reason "${CMAKE_MATCH_2}")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DCOMPILER=${COMPILER} -DKIND=${KIND} -DFILE=${CMAKE_CURRENT_LIST_DIR}/self_test/${case}.cpp -DMACRO=AMPHORA_FAIL_${case}
            -DSLUG=some-rule -DOPTIONS= -DOBJECT=${OBJECT} -P ${CMAKE_CURRENT_LIST_DIR}/driver.cmake
    RESULT_VARIABLE code ERROR_VARIABLE output)
  if(case STREQUAL "good")
    if(NOT code EQUAL 0)
      message(FATAL_ERROR "the driver rejects the good case:\n${output}")
    endif()
  elseif(code EQUAL 0)
    message(FATAL_ERROR "the driver lets ${case} pass")
  elseif(NOT output MATCHES "${reason}")
    message(FATAL_ERROR "the driver rejects ${case} for another reason than \"${reason}\":\n${output}")
  endif()
endforeach()
