# What `cmake --install` puts where, and the package that find_package(aapc) finds. The components are those of the
# Debian packages (AapcPackage.cmake): program, development, one for each MPI, and Open MPI's component.
include(CMakePackageConfigHelpers)

# Nobody links to the interposers, so that they are no libraries of the system's: aapc exec finds them beside itself.
set(interposer_directory ${CMAKE_INSTALL_LIBDIR}/aapc/preload)
# Nor does Open MPI look there unless it is told (the module file does so).
set(component_directory ${CMAKE_INSTALL_LIBDIR}/aapc/openmpi)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/aapc)
foreach(mpi IN LISTS AAPC_MPIS)
  install(TARGETS aapc_interpose_${mpi} LIBRARY DESTINATION ${interposer_directory} COMPONENT ${mpi})
  # Not programs that people start: aapc becomes one of them under mpirun.
  install(TARGETS aapc_bench_${mpi} aapc_discover_${mpi} aapc_doctor_${mpi} aapc_fit_${mpi} aapc_tune_${mpi}
          RUNTIME DESTINATION libexec/aapc COMPONENT ${mpi})
  install(TARGETS aapc_mpi_${mpi} EXPORT aapcTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endforeach()
if(AAPC_HAS_COMPONENT)
  install(TARGETS aapc_component_openmpi LIBRARY DESTINATION ${component_directory} COMPONENT openmpi_component)
endif()
if(TARGET aapc_interpose_abi)
  install(TARGETS aapc_interpose_abi LIBRARY DESTINATION ${interposer_directory} COMPONENT program)
endif()
if(AAPC_MPIS)
  install(TARGETS aapc_interpose_late LIBRARY DESTINATION ${interposer_directory} COMPONENT program)
endif()
install(TARGETS aapc_core EXPORT aapcTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(TARGETS aapc_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(TARGETS aapc_commands RUNTIME DESTINATION libexec/aapc COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/aapc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT aapcTargets NAMESPACE aapc:: DESTINATION ${package_directory} COMPONENT development)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/aapcConfig.cmake.in ${PROJECT_BINARY_DIR}/aapcConfig.cmake
                              INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/aapcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/aapcConfig.cmake ${PROJECT_BINARY_DIR}/aapcConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/AapcMpi.cmake DESTINATION ${package_directory} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program
        PATTERN "*.py" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/DESIGN.md ${PROJECT_SOURCE_DIR}/HACKING.md
              ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
# Pages have links to these.
install(FILES ${PROJECT_SOURCE_DIR}/third_party/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/third_party COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/AapcLayers.cmake DESTINATION ${CMAKE_INSTALL_DOCDIR}/cmake COMPONENT program)

# Manual pages and completions, most of which the program writes, and a module file that finds the installation by itself.
set(pages ${PROJECT_BINARY_DIR}/pages)
if(NOT CMAKE_CROSSCOMPILING)
  set(page_of_topology_files ${PROJECT_BINARY_DIR}/packaging/aapc-topology.5)
  configure_file(${PROJECT_SOURCE_DIR}/packaging/aapc-topology.5.in ${page_of_topology_files} @ONLY)
  install(CODE "execute_process(COMMAND \"\${CMAKE_COMMAND}\" -D \"PROGRAM=$<TARGET_FILE:aapc_commands>\"
                                        -D \"DIRECTORY=${pages}\" -D \"WRITTEN=${page_of_topology_files}\" -P \"${PROJECT_SOURCE_DIR}/cmake/AapcPages.cmake\"
                                COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
  install(DIRECTORY ${pages}/man1 ${pages}/man5 ${pages}/man7 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
  install(DIRECTORY ${pages}/bash-completion ${pages}/zsh ${pages}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}
          COMPONENT program)
endif()
configure_file(${PROJECT_SOURCE_DIR}/packaging/modulefile.in ${PROJECT_BINARY_DIR}/packaging/modulefile @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/packaging/modulefile DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/aapc
        RENAME ${PROJECT_VERSION} COMPONENT program)
# For the administrator of a partition (docs/operators-guide.md).
foreach(script IN ITEMS task-prolog measure-cluster)
  configure_file(${PROJECT_SOURCE_DIR}/packaging/${script}.sh.in ${PROJECT_BINARY_DIR}/packaging/${script}.sh @ONLY)
  install(PROGRAMS ${PROJECT_BINARY_DIR}/packaging/${script}.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/aapc
          COMPONENT program)
endforeach()

# Of whole installations, which no packages are made of: no component has these.
install(PROGRAMS ${PROJECT_SOURCE_DIR}/packaging/uninstall DESTINATION ${CMAKE_INSTALL_DATADIR}/aapc)
install(CODE "set(data \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")")
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/AapcInstalledFiles.cmake)

include(AapcPackage)
