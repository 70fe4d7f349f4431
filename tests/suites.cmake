# Read by ctest where AAPC_WHOLE_SUITES is set: of a GoogleTest program each suite is a test, not each case. Needs
# cases (the file in which CMake's gtest_discover_tests noted them), program, directory and layer.
file(READ "${cases}" noted)
string(REGEX MATCHALL "--gtest_filter=[^.\n]+[.]" filters "${noted}")
list(TRANSFORM filters REPLACE "--gtest_filter=(.+)[.]" "\\1")
list(REMOVE_DUPLICATES filters)
if(NOT filters)
  include("${cases}")
endif()
foreach(suite IN LISTS filters)
  add_test("${layer}.${suite}" "${program}" "--gtest_filter=${suite}.*")
  # Longer than most of those that launch ranks, which are left for the end since they fill it well.
  set_tests_properties("${layer}.${suite}" PROPERTIES WORKING_DIRECTORY "${directory}" LABELS "${layer}" COST 2)
endforeach()
