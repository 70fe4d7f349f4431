# The layers of the core, each a directory of src/ (with its public headers in include/aapc/ under the same name) and a
# library of its own. The order of the calls in src/CMakeLists.txt is the direction of dependencies: a layer may use
# those that it DEPENDS on, what these depend on, and no others. The test style.layers holds every #include against it.

# Layers so far, and what aapc::core is made of.
define_property(GLOBAL PROPERTY AAPC_LAYERS)
define_property(GLOBAL PROPERTY AAPC_CORE_LAYERS)

# aapc_register_layer(<name> [DEPENDS <layer>...]): a layer whose targets are made elsewhere, once for each MPI for
# example. Writes its line for style.layers.
function(aapc_register_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "DEPENDS")
  get_property(known GLOBAL PROPERTY AAPC_LAYERS)
  foreach(dependency IN LISTS layer_DEPENDS)
    if(NOT dependency IN_LIST known)
      message(FATAL_ERROR "layer ${name} depends on ${dependency}, which is no layer before it")
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY AAPC_LAYERS ${name})
  list(JOIN layer_DEPENDS " " dependencies)
  file(APPEND ${PROJECT_BINARY_DIR}/layers.txt "${name}: ${dependencies}\n")
endfunction()

# aapc_layer(<name> [DEPENDS <layer>...] [USES <target>...] SOURCES <file>...): a layer of the core. What it USES of
# other people's libraries stays inside: neither a consumer nor a preloaded shared object needs it.
function(aapc_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "DEPENDS;USES;SOURCES")
  aapc_register_layer(${name} DEPENDS ${layer_DEPENDS})
  add_library(aapc_${name} STATIC ${layer_SOURCES})
  target_include_directories(aapc_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(aapc_${name} PUBLIC cxx_std_20)
  list(TRANSFORM layer_DEPENDS PREPEND aapc_)
  target_link_libraries(aapc_${name} PUBLIC ${layer_DEPENDS} tl::expected PRIVATE aapc_options aapc_fmt)
  foreach(target IN LISTS layer_USES)
    target_include_directories(aapc_${name} SYSTEM PRIVATE $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
  set_property(GLOBAL APPEND PROPERTY AAPC_CORE_LAYERS aapc_${name})
endfunction()

# aapc_core_library(): aapc::core, all layers in one archive, for the package; without the search for headers in src/.
function(aapc_core_library)
  get_property(layers GLOBAL PROPERTY AAPC_CORE_LAYERS)
  set(objects ${layers})
  list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_library(aapc_core STATIC ${objects})
  add_library(aapc::core ALIAS aapc_core)
  set_target_properties(aapc_core PROPERTIES EXPORT_NAME core OUTPUT_NAME aapc LINKER_LANGUAGE CXX)
  target_include_directories(aapc_core PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(aapc_core PUBLIC cxx_std_20)
  target_link_libraries(aapc_core PUBLIC tl::expected)
endfunction()
