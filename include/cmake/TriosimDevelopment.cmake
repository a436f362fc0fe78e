# Warnings and sanitizers for our own programs; those who use the library see none of this.
add_library(triosim_development INTERFACE)
target_compile_options(triosim_development INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False positive of gcc 12 at -O3 on "x" + std::string.
  target_compile_options(triosim_development INTERFACE -Wno-restrict)
endif()
if(TRIOSIM_SANITIZE)
  target_compile_options(triosim_development INTERFACE
    -fsanitize=${TRIOSIM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(triosim_development INTERFACE
      -fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/sanitizer_ignorelist.txt)
  endif()
  target_link_options(triosim_development INTERFACE -fsanitize=${TRIOSIM_SANITIZE})
endif()
target_link_libraries(triosim_development INTERFACE triosim)
if(TARGET triosim_io)
  target_link_libraries(triosim_development INTERFACE triosim_io)
endif()
