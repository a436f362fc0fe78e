# Two export sets, so that those who have no RapidJSON, protozero or zlib still get triosim::triosim.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/triosim)
install(TARGETS triosim EXPORT triosim-targets
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT triosim_development)
install(EXPORT triosim-targets NAMESPACE triosim:: DESTINATION ${package_dir} COMPONENT triosim_development)
if(TARGET triosim_io)
  install(TARGETS triosim_io EXPORT triosim-io-targets
          FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT triosim_development)
  install(EXPORT triosim-io-targets NAMESPACE triosim:: DESTINATION ${package_dir} COMPONENT triosim_development)
endif()
configure_package_config_file(include/cmake/triosim-config.cmake.in ${PROJECT_BINARY_DIR}/triosim-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/triosim-config-version.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/triosim-config.cmake ${PROJECT_BINARY_DIR}/triosim-config-version.cmake
              include/cmake/TriosimDependencies.cmake
        DESTINATION ${package_dir} COMPONENT triosim_development)
