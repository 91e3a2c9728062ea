# What `make install` puts where. An installed tree finds its parts from where they lie, so it may be moved.
#
#   bin                      zwang
#   lib                      libzwang.a, libzwang.so
#   include/zwang            the headers
#   lib/pkgconfig            for pkg-config zwang
#   lib/cmake/Zwang          for find_package(Zwang)
#   share/man                zwang(1), zwang.zw(5)
#   share/zwang              examples, and the libraries of the language to read
#   share/doc/zwang          the pages of docs/
#   share/bash-completion, zsh, fish    what the shells complete
#   share/vim/vimfiles       highlighting (ZW_EDITORS)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
option(ZW_EDITORS "Install highlighting for Vim, and that for VS Code to be copied from share/zwang/editors" ON)
set(ZW_BASH_DIR ${CMAKE_INSTALL_DATADIR}/bash-completion/completions CACHE STRING "Where bash looks for completions")
set(ZW_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh looks for completions")
set(ZW_FISH_DIR ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d CACHE STRING "Where fish looks for completions")
mark_as_advanced(ZW_BASH_DIR ZW_ZSH_DIR ZW_FISH_DIR)

# ---- program and library ----
if(TARGET zwang_program)
  install(TARGETS zwang_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
set_target_properties(zwang_shared PROPERTIES EXPORT_NAME zwang)
set_target_properties(zwang_static PROPERTIES EXPORT_NAME static)
foreach(form shared static)
  install(TARGETS zwang_${form} EXPORT Zwang-${form}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()
install(DIRECTORY include/zwang DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# ---- CMake package: the two forms apart, since only the archive asks for that of SUNDIALS ----
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Zwang)
foreach(form shared static)
  install(EXPORT Zwang-${form} NAMESPACE Zwang:: DESTINATION ${package})
endforeach()
configure_package_config_file(cmake/ZwangConfig.cmake.in ZwangConfig.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(ZwangConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ZwangConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/ZwangConfigVersion.cmake
  DESTINATION ${package})

# ---- pkg-config ----
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" OUTPUT_VARIABLE ZW_PC_PREFIX)
string(REGEX REPLACE "/$" "" ZW_PC_PREFIX "${ZW_PC_PREFIX}")
set(ZW_PC_PREFIX "\${pcfiledir}/${ZW_PC_PREFIX}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(ZW_PC_PREFIX "${CMAKE_INSTALL_PREFIX}") # such a tree stays where it is
endif()
foreach(folder LIBDIR INCLUDEDIR)
  set(ZW_PC_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}}")
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    set(ZW_PC_${folder} "${CMAKE_INSTALL_${folder}}")
  endif()
endforeach()
set(ZW_PC_PRIVATE "")
if(ZW_HAS_SUNDIALS)
  # by its full name: the shared library of the same name may ask for MPI
  cmake_path(GET CVODE_LIBRARY PARENT_PATH folder)
  cmake_path(GET CVODE_LIBRARY FILENAME archive)
  if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    set(ZW_PC_PRIVATE "-L${folder} ")
  endif()
  string(APPEND ZW_PC_PRIVATE "-l:${archive} ")
endif()
configure_file(cmake/zwang.pc.in zwang.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/zwang.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- to read ----
set(share ${CMAKE_INSTALL_DATADIR}/zwang)
install(FILES docs/zwang.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES docs/zwang.zw.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES ${ZW_EXAMPLES} DESTINATION ${share}/examples)
install(FILES ${ZW_PAPERS} DESTINATION ${share}/papers)
install(FILES ${ZW_LIBRARIES} DESTINATION ${share}/lib)
install(FILES LICENSE NOTICE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")

# ---- shells and editors ----
install(FILES completions/zwang.bash DESTINATION ${ZW_BASH_DIR} RENAME zwang)
install(FILES completions/zwang.zsh DESTINATION ${ZW_ZSH_DIR} RENAME _zwang)
install(FILES completions/zwang.fish DESTINATION ${ZW_FISH_DIR})
if(ZW_EDITORS)
  install(DIRECTORY editors/vim/ DESTINATION ${CMAKE_INSTALL_DATADIR}/vim/vimfiles FILES_MATCHING PATTERN "*.vim")
  install(DIRECTORY editors/vscode DESTINATION ${share}/editors)
endif()
