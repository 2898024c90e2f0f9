# amphora::cuda, where the CUDA toolkit is found: the library with the runtime and cuBLAS that its CUDA device calls. For this
# tree and for the installed package, since the toolkit belongs to the user's machine. Nothing links the driver.
find_package(CUDAToolkit 12.0 QUIET GLOBAL)
if(TARGET CUDA::cudart AND TARGET CUDA::cublas AND TARGET CUDA::cublasLt AND NOT TARGET amphora::cuda)
  add_library(amphora::cuda INTERFACE IMPORTED GLOBAL)
  target_link_libraries(amphora::cuda INTERFACE amphora::amphora CUDA::cudart CUDA::cublas CUDA::cublasLt)
endif()
