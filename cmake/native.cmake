# Machine code for kernels (src/kernel/native), and sin, cos, exp of four numbers at a time: on x86-64 with mmap. Elsewhere the
# interpreter runs all kernels, with the same results.
option(ZW_NATIVE "Turn kernels into machine code where the machine is known" ON)
set(ZW_HAS_NATIVE FALSE)
if(ZW_NATIVE AND UNIX AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(ZW_HAS_NATIVE TRUE)
endif()

# Chosen by file, not inside one.
if(ZW_HAS_NATIVE)
  list(APPEND ZW_SOURCES ${ZW_NATIVE_SOURCES})
  # AVX2 without the fused operations that some of its machines have; vector instructions in every build type
  set_source_files_properties(src/expr/elementary_avx2.c src/motion/stages_avx2.c src/motion/group_state.c
    src/motion/group_solve.c src/motion/group_step.c src/motion/group_settle.c src/motion/group_rows.c src/motion/group.c
    PROPERTIES COMPILE_OPTIONS "-mavx2;-mno-fma;-O3")
  # with the vector instructions that every such machine has
  set_source_files_properties(src/motion/sizes.c PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
  # sums of many vectors: gcc would count each of their places up by itself, and has no registers for that
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    set_property(SOURCE src/motion/stages_avx2.c APPEND PROPERTY COMPILE_OPTIONS "-fno-ivopts")
  endif()
else()
  message(STATUS "No machine code for this machine: kernels are interpreted")
  list(APPEND ZW_SOURCES ${ZW_NO_NATIVE_SOURCES})
endif()
