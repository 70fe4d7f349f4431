# CMake's own FindMPI finds one MPI; this project builds for every one on the machine. For each MPI that is found this
# defines the imported target aapc_with_<mpi> and adds <mpi> to AAPC_MPIS. What an MPI has beside the third standard is in
# AAPC_MPI_HAS_PERSISTENT_<mpi> (MPI_Alltoall_init and its like) and AAPC_MPI_HAS_LARGE_COUNTS_<mpi> (MPI_Alltoall_c, also
# persistent), 1 or 0; sources that use the target see the same without the name of the MPI.
set(AAPC_MPIS "")
set(AAPC_ONLY_MPI "" CACHE STRING "Build for this MPI alone: openmpi or mpich; empty: for all that are found")

# aapc_ask_mpi(<result> <name> <routine>...): whether this MPI has all of these routines, 1 or 0. The MPI itself is asked,
# through its compiler: Open MPI 5.0 has the persistent collective routines and says that it is MPI 3.1.
function(aapc_ask_mpi result name)
  string(TOUPPER ${name} upper)
  set(known ${result}_OF_${upper})
  if(NOT DEFINED ${known})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${known}.c)
    list(JOIN ARGN ", (void*)" routines)
    file(WRITE ${source} "#include <mpi.h>\nvoid* const of_mpi[] = {(void*)${routines}};\nint main(void) { return of_mpi[0] == 0; }\n")
    execute_process(COMMAND ${AAPC_${upper}_CC} ${source} -o ${source}.out RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(answer 1)
    else()
      set(answer 0)
    endif()
    set(${known} ${answer} CACHE INTERNAL "whether ${name} has ${ARGN}")
  endif()
  set(${result} ${${known}} PARENT_SCOPE)
endfunction()

# aapc_find_mpi(<name> <flags that make the wrapper print its compile line> <flags for its link line>)
function(aapc_find_mpi name show_compile show_link)
  if(AAPC_ONLY_MPI AND NOT AAPC_ONLY_MPI STREQUAL name)
    return()
  endif()
  string(TOUPPER ${name} upper)
  find_program(AAPC_${upper}_CC NAMES mpicc.${name} DOC "C compiler wrapper of ${name}")
  find_program(AAPC_${upper}_FC NAMES mpifort.${name} DOC "Fortran compiler wrapper of ${name}")
  find_program(AAPC_${upper}_MPIEXEC NAMES mpiexec.${name} mpirun.${name} DOC "Launcher of ${name}")
  if(NOT AAPC_${upper}_CC OR NOT AAPC_${upper}_MPIEXEC)
    message(STATUS "aapc: no ${name} here (mpicc.${name}, mpiexec.${name}); its parts are left out")
    return()
  endif()
  execute_process(COMMAND ${AAPC_${upper}_CC} ${show_compile} OUTPUT_VARIABLE compile_line COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${AAPC_${upper}_CC} ${show_link} OUTPUT_VARIABLE link_line COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(compile_words UNIX_COMMAND "${compile_line}")
  separate_arguments(link_words UNIX_COMMAND "${link_line}")
  set(include_directories "")
  foreach(word IN LISTS compile_words)
    if(word MATCHES "^-I(.+)")
      list(APPEND include_directories ${CMAKE_MATCH_1})
    endif()
  endforeach()
  set(link_options "")
  foreach(word IN LISTS link_words)
    if(word MATCHES "^-[Ll].+" OR word MATCHES "\\.(so|a)$")
      list(APPEND link_options ${word})
    endif()
  endforeach()
  # What compiles, and what links.
  add_library(aapc_headers_of_${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(aapc_headers_of_${name} SYSTEM INTERFACE ${include_directories})
  add_library(aapc_with_${name} INTERFACE IMPORTED GLOBAL)
  target_link_libraries(aapc_with_${name} INTERFACE aapc_headers_of_${name} ${link_options})
  # The C++ bindings that MPI dropped in 2012 would only bring their own libraries along.
  target_compile_definitions(aapc_headers_of_${name} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX AAPC_STANDARD_ABI=0)
  # Routines of the fourth standard, which MPIs have group by group.
  aapc_ask_mpi(AAPC_MPI_HAS_PERSISTENT ${name} MPI_Alltoall_init MPI_Alltoallv_init MPI_Alltoallw_init
               MPI_Neighbor_alltoall_init MPI_Neighbor_alltoallv_init MPI_Neighbor_alltoallw_init)
  aapc_ask_mpi(AAPC_MPI_HAS_LARGE_COUNTS ${name} MPI_Alltoall_c MPI_Alltoallw_c MPI_Ialltoallw_c MPI_Neighbor_alltoallw_c
               MPI_Ineighbor_alltoallw_c MPI_Alltoall_init_c MPI_Neighbor_alltoallw_init_c)
  foreach(group AAPC_MPI_HAS_PERSISTENT AAPC_MPI_HAS_LARGE_COUNTS)
    target_compile_definitions(aapc_headers_of_${name} INTERFACE ${group}=${${group}})
    set(${group}_${name} ${${group}} PARENT_SCOPE)
  endforeach()
  message(STATUS "aapc: ${name} found: ${AAPC_${upper}_CC}")
  set(AAPC_MPIS ${AAPC_MPIS} ${name} PARENT_SCOPE)
endfunction()

# The standard ABI needs no MPI here: its header is in third_party/, and its routines are those of the process.
set(AAPC_STANDARD_ABI_HEADER ${CMAKE_CURRENT_LIST_DIR}/../third_party/mpi-abi)
function(aapc_standard_abi)
  add_library(aapc_headers_of_abi INTERFACE IMPORTED GLOBAL)
  target_include_directories(aapc_headers_of_abi SYSTEM INTERFACE ${AAPC_STANDARD_ABI_HEADER})
  target_compile_definitions(aapc_headers_of_abi INTERFACE AAPC_STANDARD_ABI=1 AAPC_MPI_HAS_PERSISTENT=1
                                                           AAPC_MPI_HAS_LARGE_COUNTS=1)
endfunction()

aapc_find_mpi(openmpi --showme:compile --showme:link)
aapc_find_mpi(mpich -show -show)
