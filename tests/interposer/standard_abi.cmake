# The interposer of the standard ABI. Where MPIs with it are (Debian sid), programs that know only the standard's header
# run under each of them with the one interposer. Everywhere: a program of an MPI with handles of its own is left alone.
if(NOT "openmpi" IN_LIST AAPC_MPIS OR NOT "mpich" IN_LIST AAPC_MPIS)
  message(STATUS "aapc: one MPI alone is here; its interposer is not tried in a program of another one")
endif()
foreach(mpi IN LISTS AAPC_MPIS)
  string(TOUPPER ${mpi} upper)
  add_executable(alone_${mpi} foreign_program.c)
  target_link_libraries(alone_${mpi} PRIVATE aapc_with_${mpi})
  foreach(interposer IN LISTS AAPC_MPIS ITEMS abi)
    if(interposer STREQUAL mpi)
      continue()
    endif()
    # Every routine, in each form, and communicators that are made and freed: handles of 4 bytes and of 8 pass by.
    # Threads of ours would hand calls over.
    foreach(program conformance kinds)
      set(full_name interposer.${interposer}.left_alone_${program}.${mpi})
      add_test(NAME ${full_name}
               COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/drive.py --mpi ${mpi} --mpiexec
                       ${AAPC_${upper}_MPIEXEC} --interposer $<TARGET_FILE:aapc_interpose_${interposer}> --ranks 3
                       --topology ${eight} --set AAPC_ASYNC_PROGRESS=1 --elsewhere AAPC_ASYNC_PROGRESS=1 --expect
                       "line:^aapc: libmpi.* does not have the handles that libaapc-${interposer}.so is made for; preload libaapc-${mpi}.so, or "
                       -- $<TARGET_FILE:interpose_${program}_${mpi}> ${native_size} all)
      set_tests_properties(${full_name} PROPERTIES TIMEOUT 240)
    endforeach()
    # The launcher of the other MPI: each process is alone. MPICH 5 with PMI-2 alone refuses that of Open MPI itself.
    if(interposer STREQUAL "abi")
      continue()
    endif()
    string(TOUPPER ${interposer} other)
    set(full_name interposer.${mpi}.launcher_of_${interposer})
    add_test(NAME ${full_name}
             COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/drive.py --mpi ${mpi} --mpiexec
                     ${AAPC_${other}_MPIEXEC} --interposer $<TARGET_FILE:aapc_interpose_${mpi}> --ranks 3
                     --topology ${eight} --elsewhere AAPC_TOPOLOGY=${eight} --where-it-runs --expect
                     "line:^aapc: .* has started 3 processes, but each is alone in its MPI_COMM_WORLD: "
                     -- $<TARGET_FILE:alone_${mpi}>)
    set_tests_properties(${full_name} PROPERTIES TIMEOUT 240 SKIP_RETURN_CODE 77)
  endforeach()
endforeach()

add_test(NAME interposer.abi.library
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/check_library.py $<TARGET_FILE:aapc_interpose_abi>)

# A library that only has MPICH's name.
if("mpich" IN_LIST AAPC_MPIS)
  add_library(foreign_mpich SHARED foreign_library.c)
  set_target_properties(foreign_mpich PROPERTIES OUTPUT_NAME mpich SUFFIX .so.12 NO_SONAME ON
                                                 LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/foreign
                                                 C_VISIBILITY_PRESET default)
  target_link_libraries(foreign_mpich PRIVATE aapc_headers_of_mpich)
  target_link_options(foreign_mpich PRIVATE -Wl,-soname,libmpich.so.12)
  add_executable(foreign_program foreign_program.c)
  target_link_libraries(foreign_program PRIVATE aapc_headers_of_mpich foreign_mpich)
  add_test(NAME interposer.mpich.foreign_library
           COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/foreign.py $<TARGET_FILE:aapc_interpose_mpich>
                   $<TARGET_FILE:foreign_program> $<TARGET_FILE_DIR:foreign_mpich> ${eight})
  set_tests_properties(interposer.mpich.foreign_library PROPERTIES TIMEOUT 240)
endif()

find_library(AAPC_ABI_OF_OPENMPI NAMES libmpi_abi_openmpi.so.1.0.0 DOC "Open MPI's library of the standard ABI")
find_library(AAPC_ABI_OF_MPICH NAMES libmpi_abi_mpich.so.1.0.0 DOC "MPICH's library of the standard ABI")
set(abi_mpis "")
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/abi-of-openmpi ${CMAKE_CURRENT_BINARY_DIR}/abi-of-mpich)
foreach(mpi IN LISTS AAPC_MPIS)
  string(TOUPPER ${mpi} upper)
  if(AAPC_ABI_OF_${upper})
    list(APPEND abi_mpis ${mpi})
    file(CREATE_LINK ${AAPC_ABI_OF_${upper}} ${CMAKE_CURRENT_BINARY_DIR}/abi-of-${mpi}/libmpi_abi.so.1 SYMBOLIC)
  endif()
endforeach()
if(NOT abi_mpis)
  message(STATUS "aapc: no MPI here has the standard ABI; libaapc-abi.so is only tried on others")
  return()
endif()

list(GET abi_mpis 0 first)
set(programs "")
foreach(program conformance unequal kinds)
  foreach(form BLOCKING IMMEDIATE PERSISTENT)
    if(program STREQUAL "kinds" AND NOT form STREQUAL "BLOCKING")
      continue()
    endif()
    string(TOLOWER abi_${program}_${form} target)
    add_executable(${target} ${program}.c)
    target_compile_features(${target} PRIVATE c_std_11)
    target_compile_definitions(${target} PRIVATE ${form})
    target_link_libraries(${target} PRIVATE aapc_headers_of_abi aapc_options Threads::Threads
                                            ${CMAKE_CURRENT_BINARY_DIR}/abi-of-${first}/libmpi_abi.so.1)
    set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH ON)
  endforeach()
endforeach()

# aapc_abi_test(<name> <program> RANKS <n> ARGUMENTS <argument>... DRIVER <option>...): under each MPI with the ABI.
function(aapc_abi_test name program)
  cmake_parse_arguments(PARSE_ARGV 2 test "" "RANKS" "ARGUMENTS;DRIVER")
  foreach(mpi IN LISTS abi_mpis)
    string(TOUPPER ${mpi} upper)
    set(full_name interposer.abi.${mpi}.${name}.${test_RANKS})
    add_test(NAME ${full_name}
             COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/drive.py --mpi ${mpi} --mpiexec
                     ${AAPC_${upper}_MPIEXEC} --interposer $<TARGET_FILE:aapc_interpose_abi> --ranks ${test_RANKS}
                     --topology ${eight} ${test_DRIVER} -- $<TARGET_FILE:${program}> ${test_ARGUMENTS})
    set_tests_properties(
      ${full_name} PROPERTIES TIMEOUT 240 SKIP_RETURN_CODE 77
                              ENVIRONMENT "LD_LIBRARY_PATH=${CMAKE_CURRENT_BINARY_DIR}/abi-of-${mpi}")
  endforeach()
endfunction()

set(tree --expect counted --set AAPC_ALGORITHM=tree)
set(always --expect counted --set AAPC_ALLTOALLV=always)
set(by_threads --set AAPC_ASYNC_PROGRESS=1 --elsewhere AAPC_ASYNC_PROGRESS=1)
aapc_abi_test(conformance abi_conformance_blocking RANKS 3 ARGUMENTS 1 all DRIVER ${tree})
aapc_abi_test(conformance abi_conformance_blocking RANKS 8 ARGUMENTS 1 all DRIVER ${tree} --per-machine 2)
aapc_abi_test(churn abi_conformance_blocking RANKS 3 ARGUMENTS 1 churn DRIVER ${tree})
aapc_abi_test(threads abi_conformance_blocking RANKS 3 ARGUMENTS 1 threads DRIVER ${tree})
aapc_abi_test(immediate abi_conformance_immediate RANKS 5 ARGUMENTS 1 all DRIVER ${tree} ${by_threads})
aapc_abi_test(persistent abi_conformance_persistent RANKS 5 ARGUMENTS 1 all DRIVER ${tree} ${by_threads})
aapc_abi_test(unequal abi_unequal_blocking RANKS 4 ARGUMENTS random 1 40 DRIVER ${always})
aapc_abi_test(unequal_odd abi_unequal_blocking RANKS 4 ARGUMENTS odd 0 0 DRIVER ${always})
aapc_abi_test(immediate_unequal abi_unequal_immediate RANKS 4 ARGUMENTS random 1 40 DRIVER ${always} ${by_threads})
aapc_abi_test(persistent_unequal abi_unequal_persistent RANKS 4 ARGUMENTS random 1 40 DRIVER ${always} ${by_threads})
aapc_abi_test(kinds abi_kinds_blocking RANKS 4 DRIVER ${by_time} --set AAPC_START=100us
              --mention "^aapc: MPI_Alltoall_c: " --mention "^aapc: MPI_Alltoallw_c: " --mention "^aapc: MPI_Ialltoall_c: ")
