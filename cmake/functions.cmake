# One function for each kind of test.

# A test binary by area: amphora_test(format convert.test.cpp storage.test.cpp)
function(amphora_test area)
  add_executable(test_${area} ${ARGN})
  target_link_libraries(test_${area} PRIVATE amphora::amphora amphora_doctest_main)
  target_include_directories(test_${area} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  if(AMPHORA_OPENMP AND TARGET OpenMP::OpenMP_CXX)
    target_link_libraries(test_${area} PRIVATE OpenMP::OpenMP_CXX)
  endif()
  target_compile_definitions(test_${area} PRIVATE AMPHORA_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  add_test(NAME ${area} COMMAND test_${area})
  set_tests_properties(${area} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()
