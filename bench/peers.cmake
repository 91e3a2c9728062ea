# What benchmarks compare us with, where it is installed. Nothing here is needed by the program or its tests.
find_path(CHOLMOD_INCLUDE cholmod.h PATH_SUFFIXES suitesparse)
find_library(CHOLMOD_LIBRARY cholmod)
find_library(AMD_LIBRARY amd)
mark_as_advanced(CHOLMOD_INCLUDE CHOLMOD_LIBRARY AMD_LIBRARY)

# What is written by hand for one mechanism gets everything that the compiler has.
include(CheckCCompilerFlag)
check_c_compiler_flag(-march=native ZW_BENCH_HAS_NATIVE)

# zw_add_peers(PROGRAM)
function(zw_add_peers program)
  if(program STREQUAL "bench_sparse" AND CHOLMOD_INCLUDE AND CHOLMOD_LIBRARY AND AMD_LIBRARY)
    target_include_directories(${program} SYSTEM PRIVATE ${CHOLMOD_INCLUDE})
    target_compile_definitions(${program} PRIVATE ZW_BENCH_HAS_CHOLMOD)
    target_link_libraries(${program} PRIVATE ${CHOLMOD_LIBRARY} ${AMD_LIBRARY})
  endif()
  if(program MATCHES "^bench_(chain|four_bar)$")
    target_compile_options(${program} PRIVATE -O3 $<$<BOOL:${ZW_BENCH_HAS_NATIVE}>:-march=native>)
  endif()
endfunction()
