# One function for each kind of test.

# A test binary by area: amphora_test(format convert.test.cpp storage.test.cpp). Where a folder sets AMPHORA_UNOPTIMIZED_TESTS, at -O0 on
# every device: for tests of arithmetic by many ops, which take longer to compile than to run.
function(amphora_test area)
  add_executable(test_${area} ${ARGN})
  target_link_libraries(test_${area} PRIVATE amphora::amphora amphora_doctest_main)
  target_include_directories(test_${area} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  if(AMPHORA_OPENMP AND TARGET OpenMP::OpenMP_CXX)
    target_link_libraries(test_${area} PRIVATE OpenMP::OpenMP_CXX)
  endif()
  target_compile_definitions(test_${area} PRIVATE AMPHORA_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  if(AMPHORA_UNOPTIMIZED_TESTS)
    target_compile_options(test_${area} PRIVATE -O0)
  endif()
  # Eight sources in one unit: the headers are read once for them, and what they instantiate is compiled once.
  set_target_properties(test_${area} PROPERTIES UNITY_BUILD ${AMPHORA_UNITY_TESTS} UNITY_BUILD_BATCH_SIZE 8)
  add_test(NAME ${area} COMMAND test_${area})
  set_tests_properties(${area} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

# The same sources on the host and on the CUDA device: amphora_device_test(ops add.test.cpp …) gives the tests ops, ops_cuda
# (label emulated) and, with AMPHORA_GPU_TESTS, ops_gpu (label gpu).
function(amphora_device_test area)
  amphora_test(${area} ${ARGN})
  amphora_emulated_test(${area}_cuda ${ARGN})
  amphora_gpu_test(${area}_gpu ${ARGN})
endfunction()

# The same for ops on a tape, on the CUDA device where AMPHORA_TAPED_ON_CUDA says so: what the tape calls there is tested by itself.
function(amphora_taped_test area)
  if(AMPHORA_TAPED_ON_CUDA)
    amphora_device_test(${area} ${ARGN})
  else()
    amphora_test(${area} ${ARGN})
  endif()
endfunction()

# Sources for the CUDA device alone: amphora_cuda_test(cuda_step step.test.cpp) gives cuda_step and, with AMPHORA_GPU_TESTS, cuda_step_gpu.
function(amphora_cuda_test area)
  amphora_emulated_test(${area} ${ARGN})
  amphora_gpu_test(${area}_gpu ${ARGN})
endfunction()

# On the emulated CUDA device.
function(amphora_emulated_test area)
  if(NOT AMPHORA_CUDA_HEADERS)
    return()
  endif()
  amphora_test(${area} ${ARGN})
  amphora_emulate(test_${area})
  if(NOT AMPHORA_UNOPTIMIZED_TESTS)
    target_compile_options(test_${area} PRIVATE -O1)  # whatever the build's level is: compiling takes longer than running
  endif()
  target_compile_definitions(test_${area} PRIVATE AMPHORA_TEST_CUDA)
  set_tests_properties(${area} PROPERTIES LABELS emulated)
  if(NOT AMPHORA_GPU_TESTS)
    add_dependencies(gpu_programs test_${area})
  endif()
endfunction()

# Compiles a target against the emulator in place of the CUDA runtime and cuBLAS.
function(amphora_emulate target)
  target_compile_definitions(${target} PRIVATE AMPHORA_EMULATED_CUDA)
  target_include_directories(${target} BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/tests/emulated_cuda)
  target_include_directories(${target} SYSTEM PRIVATE ${AMPHORA_CUDA_HEADERS})  # their number types and enumerations
  target_compile_options(${target} PRIVATE -ffp-contract=off -Wno-unknown-pragmas)
  target_link_libraries(${target} PRIVATE Boost::context)
endfunction()

# Adds to `units` a file that is CUDA by its name and includes those sources.
macro(amphora_cuda_unit folder)
  list(LENGTH units number)
  string(REPLACE ";" "\"\n#include \"" includes "${ARGN}")
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${folder}/unit_${number}.cu CONTENT "#include \"${includes}\"\n")
  list(APPEND units ${CMAKE_CURRENT_BINARY_DIR}/${folder}/unit_${number}.cu)
endmacro()

# Compiled by nvcc, for a real device; skipped where there is none. Four sources at a time, but those that stand alone.
function(amphora_gpu_test area)
  if(NOT AMPHORA_GPU_TESTS)
    return()
  endif()
  foreach(source ${ARGN})
    get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
    get_filename_component(source ${source} ABSOLUTE)
    if(alone OR NOT AMPHORA_UNITY_TESTS)
      amphora_cuda_unit(${area} ${source})
    else()
      list(APPEND together ${source})
    endif()
  endforeach()
  while(together)
    list(SUBLIST together 0 4 some)
    amphora_cuda_unit(${area} ${some})
    list(REMOVE_ITEM together ${some})
  endwhile()
  add_executable(test_${area} ${units})
  target_link_libraries(test_${area} PRIVATE amphora::cuda amphora_doctest_gpu_main)
  target_include_directories(test_${area} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(test_${area} PRIVATE AMPHORA_TEST_CUDA AMPHORA_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  add_test(NAME ${area} COMMAND test_${area})
  set_tests_properties(${area} PROPERTIES SKIP_RETURN_CODE 77 LABELS gpu)
  add_dependencies(gpu_programs test_${area})
endfunction()

# A program with CUDA sources: amphora_cuda_program(train_digits_cuda main.cpp train_mlp.cu) gives train_digits_cuda for a real
# device, with AMPHORA_CUDA_PROGRAMS, and train_digits_cuda_emulated for the emulated one, with the tests.
function(amphora_cuda_program name)
  if(AMPHORA_CUDA_PROGRAMS)
    add_executable(${name} ${ARGN})
    target_link_libraries(${name} PRIVATE amphora::cuda)
    add_dependencies(gpu_programs ${name})
  endif()
  if(NOT AMPHORA_BUILD_TESTS OR NOT AMPHORA_CUDA_HEADERS)
    return()
  endif()
  foreach(source ${ARGN})
    get_filename_component(source ${source} ABSOLUTE)
    if(source MATCHES "/([^/]+)\\.cu$")  # CUDA by its name, so one that includes it
      file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}/${CMAKE_MATCH_1}.cpp CONTENT "#include \"${source}\"\n")
      set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}/${CMAKE_MATCH_1}.cpp)
    endif()
    list(APPEND units ${source})
  endforeach()
  add_executable(${name}_emulated ${units})
  target_link_libraries(${name}_emulated PRIVATE amphora::amphora)
  target_include_directories(${name}_emulated PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  amphora_emulate(${name}_emulated)
  target_compile_options(${name}_emulated PRIVATE -O1)
  if(NOT AMPHORA_GPU_TESTS)
    add_dependencies(gpu_programs ${name}_emulated)
  endif()
endfunction()
