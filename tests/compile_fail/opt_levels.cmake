# Apex's table of legal overrides, every cell, for f16 and bf16: the legal ones are compiled together by every compiler, in
# one file that must compile; each illegal one is a compile-fail case of its own. nvcc takes one illegal cell of each property.
set(overrides
  cast_model_type<f16> cast_model_type<bf16> cast_model_type<f32> cast_model_type<none> op_lists<true> op_lists<false>
  keep_batchnorm_fp32<true> keep_batchnorm_fp32<false> master_weights<true> master_weights<false>
  loss_scale<no_scale> loss_scale<static_scale> loss_scale<dynamic_scale<>>)
# ok or E by level, in the order of the overrides
set(legal_0 ok ok ok ok E ok ok ok ok ok ok ok ok)
set(legal_1 E E ok ok ok ok E E E E ok ok ok)
set(legal_2 ok ok ok ok E ok ok ok ok ok ok ok ok)
set(legal_3 ok ok ok ok E ok ok ok ok ok ok ok ok)

set(legal_cells "")
set(on_nvcc "o1<f16, cast_model_type<bf16>>" "o2<bf16, op_lists<true>>" "o1<bf16, master_weights<false>>")
foreach(level 0 1 2 3)
  set(formats f16 bf16)
  if(level EQUAL 0)
    set(formats f32)
  endif()
  foreach(format ${formats})
    foreach(override legal IN ZIP_LISTS overrides legal_${level})
      if(level EQUAL 0)
        set(cell "o0<${override}>")
        set(base "o0<>")
      else()
        set(cell "o${level}<${format}, ${override}>")
        set(base "o${level}<${format}>")
      endif()
      string(MAKE_C_IDENTIFIER "${cell}" name)
      string(REGEX REPLACE "_+" "_" name ${name})
      if(legal STREQUAL ok)
        string(APPEND legal_cells "static_assert(std::is_empty_v<${cell}> && is_policy_v<${cell}>);\n")
      else()
        set(compilers g++ clang++)
        if(cell IN_LIST on_nvcc)
          list(APPEND compilers nvcc)
        endif()
        amphora_compile_fail(illegal-override_${name} illegal-override.cpp MACRO AMPHORA_FAIL_illegal_override
          DEFINE "AMPHORA_LEGAL=${base}" "AMPHORA_ILLEGAL=${cell}" COMPILERS ${compilers})
      endif()
    endforeach()
  endforeach()
endforeach()
file(CONFIGURE OUTPUT legal_overrides.cpp @ONLY CONTENT "// Every legal cell of Apex's table.
#include <amphora/policy/opt_level.hpp>  // o0, o1, o2, o3

#include <type_traits>  // is_empty_v

using namespace amphora;
@legal_cells@
int main() {}
")
foreach(compiler ${AMPHORA_COMPILERS})
  if(compiler STREQUAL "nvcc")
    set(command -arch=sm_90 -x cu -c -o ${CMAKE_CURRENT_BINARY_DIR}/legal_overrides.o)
  else()
    set(command -Wall -Wextra -fsyntax-only)
  endif()
  add_test(NAME compile_pass.legal_overrides.${compiler}
    COMMAND ${compiler_${compiler}} -std=c++17 ${amphora_options} ${command} ${CMAKE_CURRENT_BINARY_DIR}/legal_overrides.cpp)
endforeach()
