# cmake -DROOT=... -DCLANG_FORMAT=... -P format.cmake
# Every source is as clang-format leaves it. The rules are those of clang-format 14; another version is not asked, for it
# would break lines elsewhere.
execute_process(COMMAND ${CLANG_FORMAT} --version OUTPUT_VARIABLE version)
if(NOT version MATCHES "version 14\\.")
  message(STATUS "skipped: ${version}")
  return()
endif()
file(GLOB_RECURSE sources ${ROOT}/include/*.hpp ${ROOT}/examples/*.[ch]pp ${ROOT}/bench/*.[ch]pp ${ROOT}/test/*.[ch]pp)
execute_process(COMMAND ${CLANG_FORMAT} --dry-run --Werror --style=file ${sources} RESULT_VARIABLE code ERROR_VARIABLE output)
if(NOT code EQUAL 0)
  string(REGEX MATCHALL "[^\n]*code should be clang-formatted" places "${output}")
  list(JOIN places "\n  " places)
  message(FATAL_ERROR "run clang-format -i on:\n  ${places}")
endif()
list(LENGTH sources count)
message(STATUS "${count} sources")
