/* libhdf5, loaded when it is first needed. Linking it would cost every start of the program 4 ms, five times what it takes
 * otherwise, and make it depend on some thirty libraries. Where its header was not found when the program was built there is
 * nothing to load: ZW_HDF5_SONAME is not defined then. */
#ifndef ZW_OUTPUT_HDF5_LIBRARY_H
#define ZW_OUTPUT_HDF5_LIBRARY_H

#include <stdbool.h>

#ifdef ZW_HDF5_SONAME

#include <hdf5.h>

// clang-format off
#define ZW_HDF5_FUNCTIONS(X)                                                                                       \
  X(H5open) X(H5get_libversion) X(H5Eset_auto2)                                                                    \
  X(H5Fcreate) X(H5Fopen) X(H5Fclose)                                                                              \
  X(H5Screate) X(H5Screate_simple) X(H5Sclose) X(H5Sselect_hyperslab) X(H5Sget_simple_extent_ndims)                \
  X(H5Sget_simple_extent_dims)                                                                                     \
  X(H5Dcreate2) X(H5Dopen2) X(H5Dclose) X(H5Dwrite) X(H5Dread) X(H5Dget_space) X(H5Dget_type)                      \
  X(H5Acreate2) X(H5Aopen) X(H5Aclose) X(H5Awrite) X(H5Aread) X(H5Aget_space) X(H5Aget_type) X(H5Aexists)          \
  X(H5Tcopy) X(H5Tset_size) X(H5Tset_cset) X(H5Tget_class) X(H5Tis_variable_str) X(H5Tclose)                       \
  X(H5Pcreate) X(H5Pclose) X(H5Pset_obj_track_times) X(H5Pset_char_encoding) X(H5Pset_create_intermediate_group)   \
  X(H5Lexists) X(H5free_memory)
#define ZW_HDF5_NUMBERS(X)                                                                                         \
  X(H5T_NATIVE_DOUBLE_g) X(H5T_NATIVE_INT64_g) X(H5T_IEEE_F64LE_g) X(H5T_STD_I64LE_g) X(H5T_C_S1_g)                \
  X(H5P_CLS_DATASET_CREATE_ID_g) X(H5P_CLS_LINK_CREATE_ID_g)
// clang-format on

/* H5F_ACC_RDONLY and H5F_ACC_TRUNC, whose macros would call a linked library. */
enum { ZW_HDF5_READ = 0x0000, ZW_HDF5_TRUNCATE = 0x0002 };

typedef struct ZwHdf5Library {
#define ZW_HDF5_MEMBER(name) __typeof__(&name) name;
  ZW_HDF5_FUNCTIONS(ZW_HDF5_MEMBER)
#undef ZW_HDF5_MEMBER
#define ZW_HDF5_MEMBER(name) const hid_t* name;
  ZW_HDF5_NUMBERS(ZW_HDF5_MEMBER)
#undef ZW_HDF5_MEMBER
} ZwHdf5Library;

/* False when it is not there or not what it should be. It stays loaded until the process ends. */
bool zw_hdf5_load(ZwHdf5Library* library);

#endif

#endif
