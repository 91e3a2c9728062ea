# Which names the shared library shows: cmake/zwang.map, where the linker reads such files (GNU's and its kin).
include(CheckLinkerFlag)
set(ZW_MAP ${PROJECT_SOURCE_DIR}/cmake/zwang.map)
check_linker_flag(C "LINKER:--version-script,${ZW_MAP}" ZW_LINKER_READS_MAPS)
if(ZW_LINKER_READS_MAPS)
  target_link_options(zwang_shared PRIVATE "LINKER:--version-script,${ZW_MAP}")
  set_property(TARGET zwang_shared APPEND PROPERTY LINK_DEPENDS ${ZW_MAP})
endif()
