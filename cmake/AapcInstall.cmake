# What `cmake --install` puts where, and the package that find_package(aapc) finds.
include(CMakePackageConfigHelpers)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/aapc)
set(library_targets aapc_core)
foreach(mpi IN LISTS AAPC_MPIS)
  list(APPEND library_targets aapc_mpi_${mpi})
  install(TARGETS aapc_interpose_${mpi} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  # Not programs that people start: `aapc bench`, `aapc fit` and `aapc tune` do.
  install(TARGETS aapc_bench_${mpi} aapc_discover_${mpi} aapc_doctor_${mpi} aapc_fit_${mpi} aapc_tune_${mpi} RUNTIME DESTINATION libexec/aapc)
endforeach()
if(AAPC_MPIS)
  install(TARGETS aapc_interpose_late LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS ${library_targets} EXPORT aapcTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS aapc_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/aapc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT aapcTargets NAMESPACE aapc:: DESTINATION ${package_directory})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/aapcConfig.cmake.in ${PROJECT_BINARY_DIR}/aapcConfig.cmake
                              INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/aapcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/aapcConfig.cmake ${PROJECT_BINARY_DIR}/aapcConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/AapcMpi.cmake DESTINATION ${package_directory})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
