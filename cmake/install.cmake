# bin/zwang, the library in both forms, its headers, the manual page and the examples.
include(GNUInstallDirs)

if(TARGET zwang_program)
  install(TARGETS zwang_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(TARGETS zwang_static zwang_shared
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/zwang DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES docs/zwang.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zwang/examples OPTIONAL)
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The prefix is found from where zwang.pc lies, so an installed tree may be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" OUTPUT_VARIABLE ZW_PC_PREFIX)
string(REGEX REPLACE "/$" "" ZW_PC_PREFIX "${ZW_PC_PREFIX}")
set(ZW_PC_PRIVATE "")
if(ZW_HAS_SUNDIALS)
  set(ZW_PC_PRIVATE "-lsundials_cvode ") # of who links the archive
endif()
configure_file(cmake/zwang.pc.in zwang.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/zwang.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
