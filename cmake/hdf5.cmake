# HDF5 is optional: its header is enough to build, the library is loaded when it is first needed (src/output/hdf5_library.h).
# Without it everything else works, `zwang --version` says so and `--format h5` is refused.
option(ZW_HDF5 "Write and read HDF5 files where libhdf5 is found" ON)
set(ZW_HDF5_SONAME "")
if(ZW_HDF5)
  find_path(ZW_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial)
  find_library(ZW_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
  if(ZW_HDF5_INCLUDE AND ZW_HDF5_LIBRARY MATCHES "[.]so$")
    # the name that stays the same as long as the library fits its header
    file(REAL_PATH ${ZW_HDF5_LIBRARY} library)
    get_filename_component(ZW_HDF5_SONAME ${library} NAME)
    if(CMAKE_READELF)
      execute_process(COMMAND ${CMAKE_READELF} -d ${library} OUTPUT_VARIABLE dynamic ERROR_QUIET)
      if(dynamic MATCHES "SONAME[^[]*\\[([^]]+)\\]")
        set(ZW_HDF5_SONAME ${CMAKE_MATCH_1})
      endif()
    endif()
  endif()
endif()
if(ZW_HDF5_SONAME)
  message(STATUS "HDF5: ${ZW_HDF5_SONAME}")
  set_source_files_properties(
    src/output/hdf5_library.c src/output/hdf5_writer.c src/output/hdf5_reader.c PROPERTIES
    COMPILE_DEFINITIONS "ZW_HDF5_SONAME=\"${ZW_HDF5_SONAME}\""
    COMPILE_OPTIONS "-isystem;${ZW_HDF5_INCLUDE}")
else()
  message(STATUS "HDF5: not found, --format h5 will be refused")
endif()
