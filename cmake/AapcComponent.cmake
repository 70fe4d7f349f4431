# Whether the Open MPI component can be built: it needs headers that Open MPI installs with --with-devel-headers, as
# Debian does, but not all of them in every version.
set(AAPC_OPENMPI_SOURCE "" CACHE PATH "Open MPI's source of the version that is installed, for headers that are not")

# aapc_find_component_headers(): sets AAPC_HAS_COMPONENT and AAPC_COMPONENT_INCLUDE_DIRECTORIES in the caller's scope, and
# says in a line what is missing and how to get it.
function(aapc_find_component_headers)
  set(AAPC_HAS_COMPONENT NO PARENT_SCOPE)
  if(NOT openmpi IN_LIST AAPC_MPIS OR AAPC_ONLY_DEMO OR AAPC_SANITIZE)
    return()
  endif()
  get_target_property(installed aapc_with_openmpi INTERFACE_INCLUDE_DIRECTORIES)
  set(directories "")
  foreach(directory IN LISTS installed)
    if(IS_DIRECTORY ${directory}/openmpi)
      list(APPEND directories ${directory}/openmpi)
    endif()
  endforeach()
  if(AAPC_OPENMPI_SOURCE)
    # Of a tree that is configured, also what configure wrote.
    list(APPEND directories ${AAPC_OPENMPI_SOURCE} ${AAPC_OPENMPI_SOURCE}/opal/include ${AAPC_OPENMPI_SOURCE}/ompi/include
         ${AAPC_OPENMPI_SOURCE}/orte/include)
  endif()
  # Open MPI 5's headers include PMIx's, which Debian keeps in a directory of their own.
  find_path(AAPC_PMIX_INCLUDE_DIRECTORY pmix.h PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} PATH_SUFFIXES pmix2/include)
  mark_as_advanced(AAPC_PMIX_INCLUDE_DIRECTORY)
  if(AAPC_PMIX_INCLUDE_DIRECTORY)
    list(APPEND directories ${AAPC_PMIX_INCLUDE_DIRECTORY})
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/component_headers.c)
  file(WRITE ${source} "#include \"ompi_config.h\"\n#include \"ompi/communicator/communicator.h\"\n\
#include \"ompi/mca/coll/base/base.h\"\n#include \"ompi/mca/hook/base/base.h\"\nint main(void) { return 0; }\n")
  list(TRANSFORM directories PREPEND -I OUTPUT_VARIABLE flags)
  execute_process(COMMAND ${AAPC_OPENMPI_CC} ${flags} -fsyntax-only ${source} RESULT_VARIABLE status OUTPUT_QUIET
                  ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    string(REGEX MATCH "([^ \n]+): No such file" missing "${errors}")
    set(missing "${CMAKE_MATCH_1}")
    if(missing STREQUAL "ompi_config.h")
      set(advice "Open MPI was installed without --with-devel-headers; configure its source of the same version (./configure) and give -D AAPC_OPENMPI_SOURCE=DIRECTORY")
    elseif(missing MATCHES "^pmix")
      set(advice "install PMIx's headers (Debian: libpmix-dev), or name their directory by -D AAPC_PMIX_INCLUDE_DIRECTORY=DIRECTORY")
    elseif(missing)
      set(advice "unpack Open MPI's source of the same version (Debian: apt-get source openmpi) and give -D AAPC_OPENMPI_SOURCE=DIRECTORY")
    else()
      set(missing "what ${AAPC_OPENMPI_CC} ${source} complains of")
      set(advice "see there")
    endif()
    message(STATUS "aapc: the Open MPI component is left out: ${missing} is missing; ${advice}")
    return()
  endif()
  set(AAPC_COMPONENT_INCLUDE_DIRECTORIES ${directories} PARENT_SCOPE)
  set(AAPC_HAS_COMPONENT YES PARENT_SCOPE)
endfunction()
