# The interposers once more, under address and undefined sanitizers. The programs that they are preloaded into are as
# they are: the runtime is preloaded in front of the interposer. The layers in which memory is kept from call to call
# are compiled with them; the layers below have tests of their own under sanitizers (tests/sanitizers/run).
function(aapc_sources_of target result)
  get_target_property(sources ${target} SOURCES)
  get_target_property(directory ${target} SOURCE_DIR)
  list(TRANSFORM sources PREPEND ${directory}/)
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE aapc_sanitizer_runtime
                OUTPUT_STRIP_TRAILING_WHITESPACE)
set(AAPC_SANITIZED NO)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND IS_ABSOLUTE "${aapc_sanitizer_runtime}")
  set(AAPC_SANITIZED YES)
else()
  message(STATUS "aapc: no address sanitizer of GCC's here; the interposers' tests run without")
  return()
endif()
set(aapc_sanitizers -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined)

# sanitized_layers holds objects only: what the archives of these layers have is not linked a second time.
set(sources "")
foreach(layer plan learning archive)
  aapc_sources_of(aapc_${layer} more)
  list(APPEND sources ${more})
endforeach()
add_library(sanitized_layers OBJECT ${sources})
target_link_libraries(sanitized_layers PRIVATE aapc_plan aapc_learning aapc_archive aapc_options aapc_fmt)
target_compile_options(sanitized_layers PRIVATE ${aapc_sanitizers})

# As in src/interposer: this property belongs to a directory.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/interposer/forwarding.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
foreach(mpi IN LISTS AAPC_MPIS)
  aapc_sources_of(aapc_interpose_${mpi} sources)
  aapc_sources_of(aapc_behind_${mpi} behind)
  aapc_sources_of(aapc_mpi_${mpi} executor)
  add_library(sanitized_${mpi} SHARED ${sources} ${behind} ${executor} $<TARGET_OBJECTS:sanitized_layers>)
  foreach(property COMPILE_DEFINITIONS LINK_LIBRARIES)
    get_target_property(value aapc_behind_${mpi} ${property})
    set_target_properties(sanitized_${mpi} PROPERTIES ${property} "${value}")
  endforeach()
  foreach(property LINK_OPTIONS LINK_DEPENDS)
    get_target_property(value aapc_interpose_${mpi} ${property})
    set_target_properties(sanitized_${mpi} PROPERTIES ${property} "${value}")
  endforeach()
  target_compile_options(sanitized_${mpi} PRIVATE ${aapc_sanitizers})
  target_link_options(sanitized_${mpi} PRIVATE -fsanitize=address,undefined)
endforeach()

# That a fault is found where one is.
foreach(mpi IN LISTS AAPC_MPIS)
  string(TOUPPER ${mpi} upper)
  add_library(planted_${mpi} SHARED planted.c)
  target_link_libraries(planted_${mpi} PRIVATE aapc_with_${mpi})
  target_compile_options(planted_${mpi} PRIVATE ${aapc_sanitizers} -O0 -Wno-use-after-free)
  target_link_options(planted_${mpi} PRIVATE -fsanitize=address,undefined)
  add_executable(barrier_${mpi} programs/barrier.c)
  target_link_libraries(barrier_${mpi} PRIVATE aapc_with_${mpi})
  add_test(NAME interposer.sanitized.${mpi}.planted
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/drive.py --mpi ${mpi}
                   --mpiexec ${AAPC_${upper}_MPIEXEC} --interposer $<TARGET_FILE:planted_${mpi}>
                   --runtime ${aapc_sanitizer_runtime} --ranks 2 --expect silent -- $<TARGET_FILE:barrier_${mpi}>)
  set_tests_properties(interposer.sanitized.${mpi}.planted PROPERTIES TIMEOUT 240
                       PASS_REGULAR_EXPRESSION "a sanitizer found a fault: .*heap-use-after-free")
endforeach()
