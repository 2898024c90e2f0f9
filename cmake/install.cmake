# cmake --install: the headers, what find_package(amphora) reads, and what pkg-config reads. Nothing in it names the place
# of installation, so an installed tree can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(AMPHORA_CMAKE_DIR ${CMAKE_INSTALL_DATADIR}/cmake/amphora)
install(TARGETS amphora EXPORT amphora FILE_SET HEADERS FILE_SET cuda_headers)
install(EXPORT amphora NAMESPACE amphora:: FILE amphoraTargets.cmake DESTINATION ${AMPHORA_CMAKE_DIR})

configure_package_config_file(cmake/amphoraConfig.cmake.in ${PROJECT_BINARY_DIR}/amphoraConfig.cmake
  INSTALL_DESTINATION ${AMPHORA_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/amphoraConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/amphoraConfig.cmake ${PROJECT_BINARY_DIR}/amphoraConfigVersion.cmake cmake/cuda.cmake cmake/cudnn.cmake
  DESTINATION ${AMPHORA_CMAKE_DIR})

foreach(name amphora amphora-cuda amphora-cudnn)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/amphora.pc ${PROJECT_BINARY_DIR}/amphora-cuda.pc ${PROJECT_BINARY_DIR}/amphora-cudnn.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/amphora)
