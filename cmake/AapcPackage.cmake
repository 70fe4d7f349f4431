# Debian packages (cpack -G DEB): aapc, what belongs to an MPI in aapc-openmpi and aapc-mpich, what Open MPI loads itself in
# aapc-openmpi-component, and libaapc-dev.
set(CPACK_PACKAGE_CONTACT "the aapc authors <aapc@localhost>" CACHE STRING "Who answers for the Debian packages")
set(CPACK_PACKAGE_NAME aapc)
set(CPACK_PACKAGE_VENDOR aapc)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL program development ${AAPC_MPIS})
if(AAPC_HAS_COMPONENT)
  list(APPEND CPACK_COMPONENTS_ALL openmpi_component)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# aapc_package(<component> <package> <section> <description>): name and text of a package, and the files that Debian
# wants in each, which other installations do not get.
function(aapc_package component package section description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${description}" PARENT_SCOPE)
  set(files ${PROJECT_BINARY_DIR}/packaging/${package})
  configure_file(${PROJECT_SOURCE_DIR}/packaging/debian/lintian-overrides.in ${files}/lintian-overrides @ONLY)
  configure_file(${PROJECT_SOURCE_DIR}/packaging/debian/changelog.in ${files}/changelog @ONLY)
  find_program(AAPC_GZIP gzip)
  mark_as_advanced(AAPC_GZIP)
  if(AAPC_GZIP)
    execute_process(COMMAND ${AAPC_GZIP} -9 -n -f -k ${files}/changelog COMMAND_ERROR_IS_FATAL ANY)
    install(FILES ${files}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component}
            EXCLUDE_FROM_ALL)
  endif()
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright
          COMPONENT ${component} EXCLUDE_FROM_ALL)
  install(FILES ${files}/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${package}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

aapc_package(program aapc science
             "The program aapc makes MPI_Alltoall as fast as the wires of a cluster\nallow: it computes schedules from a \
description of the switches, checks,\nexplains and measures them, and runs unmodified programs with them. The\npackages \
aapc-openmpi and aapc-mpich have what belongs to an MPI.")
aapc_package(development libaapc-dev libdevel
             "Headers, static libraries and a CMake package: networks, schedules and\nplans (aapc::core), and the executor \
for each MPI (aapc::mpi).")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS libexpected-dev)
foreach(mpi IN LISTS AAPC_MPIS)
  string(TOUPPER ${mpi} upper)
  aapc_package(${mpi} aapc-${mpi} science
               "The library that aapc exec puts before an unmodified program of this MPI,\nand the programs that aapc \
bench, fit and tune become under its launcher.")
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "aapc (= ${PROJECT_VERSION})")
endforeach()
if(AAPC_HAS_COMPONENT)
  aapc_package(openmpi_component aapc-openmpi-component science
               "The component coll/aapc, which Open MPI loads itself where a module file or a\nsetting names its directory: \
programs are started without aapc exec.")
  set(CPACK_DEBIAN_OPENMPI_COMPONENT_PACKAGE_DEPENDS "aapc (= ${PROJECT_VERSION})")
endif()
list(TRANSFORM AAPC_MPIS PREPEND aapc- OUTPUT_VARIABLE for_mpis)
list(JOIN for_mpis " | " CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS)
include(CPack)
