# What every target of this project is compiled with, kept on an interface target so that nothing leaks to consumers.
add_library(aapc_options INTERFACE)
target_compile_features(aapc_options INTERFACE cxx_std_20)
# A local name may be one of another file's that is compiled together with this one; style.tidy looks at each by itself.
set(shadowing -Wshadow)
if(AAPC_UNITY)
  set(shadowing $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
endif()
target_compile_options(
  aapc_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;${shadowing};-Wconversion>
                         $<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra>
                         $<$<BOOL:${AAPC_WARNINGS_AS_ERRORS}>:-Werror>)
# MPIs of the fourth standard mark routines of the third one, such as MPI_Type_size_x, which those before them need.
target_compile_options(aapc_options INTERFACE -Wno-deprecated-declarations)
# GCC 12 sees a memcpy that overlaps itself in every string that is put behind a literal (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(aapc_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(AAPC_SANITIZE)
  target_compile_options(aapc_options INTERFACE -fsanitize=${AAPC_SANITIZE} -fno-omit-frame-pointer
                                                -fno-sanitize-recover=undefined)
  target_link_options(aapc_options INTERFACE -fsanitize=${AAPC_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND AAPC_SANITIZE MATCHES "thread")
    # Fences, which it does not know, stand between processes here, not between threads.
    target_compile_options(aapc_options INTERFACE -Wno-tsan)
  endif()
endif()

# fmt as aapc::core carries it (src/fmt_functions.cpp): for whoever links aapc::core and is part of this project.
add_library(aapc_fmt INTERFACE)
target_include_directories(aapc_fmt SYSTEM INTERFACE $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(aapc_fmt INTERFACE "FMT_BEGIN_NAMESPACE=namespace fmt { inline namespace aapc {"
                                              "FMT_END_NAMESPACE=}}")

# Everything ends up in a preloaded shared object sooner or later.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_CXX_EXTENSIONS OFF)
