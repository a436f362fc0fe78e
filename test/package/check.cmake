# cmake -DFROM=package|subdirectory|fetch -DWITH_IO=ON|OFF -DSOURCE=... -DBUILD=... -DWORK=... -DCOMPILER=...
#       -DGENERATOR=... -P check.cmake
# Builds and runs the consumer in WORK. Without io it is not let near zlib, which triosim::triosim must not need.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nended with ${code}:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
set(arguments -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DTRIOSIM_FROM=${FROM} -DWITH_IO=${WITH_IO} -DTRIOSIM_SOURCE=${SOURCE})
if(NOT WITH_IO)
  list(APPEND arguments -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON)
endif()
if(FROM STREQUAL "package")
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --component triosim_development)
  list(APPEND arguments -DCMAKE_PREFIX_PATH=${WORK}/prefix)
endif()
run(${CMAKE_COMMAND} ${arguments})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
