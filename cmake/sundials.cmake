# SUNDIALS (version 6), for the integrators bdf and adams; a build without it refuses them. The archive of CVODE holds all it
# needs and asks for libc and libm only, whereas the shared libraries of a distribution may ask for MPI.
option(ZW_SUNDIALS "Use SUNDIALS where it is installed" ON)
set(ZW_HAS_SUNDIALS FALSE)
if(ZW_SUNDIALS)
  include(CheckCSourceCompiles)
  find_path(CVODE_INCLUDE cvode/cvode.h)
  find_library(CVODE_LIBRARY NAMES libsundials_cvode.a)
  mark_as_advanced(CVODE_INCLUDE CVODE_LIBRARY)
  if(CVODE_INCLUDE AND CVODE_LIBRARY)
    set(CMAKE_REQUIRED_INCLUDES ${CVODE_INCLUDE})
    set(CMAKE_REQUIRED_LIBRARIES ${CVODE_LIBRARY} m)
    check_c_source_compiles("
      #include <cvode/cvode.h>
      #include <nvector/nvector_serial.h>
      #include <sundials/sundials_config.h>
      #include <sunlinsol/sunlinsol_dense.h>
      #include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
      #if SUNDIALS_VERSION_MAJOR != 6
      #error another version
      #endif
      int main(void) {
        SUNContext context;
        if (SUNContext_Create(NULL, &context)) return 1;
        N_Vector y = N_VNew_Serial(1, context);
        SUNMatrix J = SUNDenseMatrix(1, 1, context);
        return !SUNLinSol_Dense(y, J, context) || !SUNNonlinSol_FixedPoint(y, 0, context) ||
               CVodeSetProjFn(CVodeCreate(CV_BDF, context), NULL);
      }" ZW_CVODE_WORKS)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LIBRARIES)
    set(ZW_HAS_SUNDIALS ${ZW_CVODE_WORKS})
  endif()
  if(NOT ZW_HAS_SUNDIALS)
    message(STATUS "SUNDIALS 6 was not found: the integrators bdf and adams are left out")
  endif()
endif()

# Chosen by file, not inside one.
if(ZW_HAS_SUNDIALS)
  list(APPEND ZW_SOURCES ${ZW_SUNDIALS_SOURCES})
else()
  list(APPEND ZW_SOURCES ${ZW_NO_SUNDIALS_SOURCES})
endif()
