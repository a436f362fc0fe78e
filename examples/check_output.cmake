# cmake -DPROGRAM=... -DEXPECTED=... -P check_output.cmake: runs PROGRAM and compares what it prints, byte for byte.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE got RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${code}")
endif()
file(READ ${EXPECTED} want)
if(NOT got STREQUAL want)
  message(FATAL_ERROR "output differs from ${EXPECTED}\n--- expected\n${want}--- got\n${got}")
endif()
