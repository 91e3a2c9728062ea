#include "output/hdf5_library.h"

#include "base/print.h"
#include "output/hdf5.h"

#ifdef ZW_HDF5_SONAME

#include <dlfcn.h>

/* The address of a function, which C does not let us convert from that of an object. */
static bool find(void* handle, const char* name, void* to) {
  *(void**)to = dlsym(handle, name);
  return *(void**)to != NULL;
}

/* Where the numbers of the library are. A host that is linked to it may hold them itself (the linker copies such variables
 * into the program); then those of the library are never set. */
static void* numbers_of(void* handle) {
  void* host = dlopen(NULL, RTLD_NOW);
  void* of_host = host ? dlsym(host, "H5open") : NULL;
  if (host) dlclose(host);
  return of_host && of_host == dlsym(handle, "H5open") ? host : handle;
}

bool zw_hdf5_load(ZwHdf5Library* library) {
  *library = (ZwHdf5Library){0};
  void* handle = dlopen(ZW_HDF5_SONAME, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  bool is_there = handle != NULL;
#define ZW_HDF5_FIND(name) is_there = is_there && find(handle, #name, (void*)&library->name);
  ZW_HDF5_FUNCTIONS(ZW_HDF5_FIND)
#undef ZW_HDF5_FIND
  if (is_there) is_there = library->H5open() >= 0; /* the numbers have values from here on */
  void* numbers = is_there ? numbers_of(handle) : NULL;
#define ZW_HDF5_FIND(name) is_there = is_there && find(numbers, #name, (void*)&library->name);
  ZW_HDF5_NUMBERS(ZW_HDF5_FIND)
#undef ZW_HDF5_FIND
  if (handle) dlclose(handle); /* it stays */
  /* what goes wrong is told by us */
  return is_there && library->H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0;
}

bool zw_hdf5_is_there(char about[ZW_HDF5_ABOUT]) {
  ZwHdf5Library library;
  unsigned version[3] = {0};
  if (zw_hdf5_load(&library) && library.H5get_libversion(&version[0], &version[1], &version[2]) >= 0) {
    zw_snprintf(about, ZW_HDF5_ABOUT, "HDF5 %u.%u.%u", version[0], version[1], version[2]);
    return true;
  }
  zw_snprintf(about, ZW_HDF5_ABOUT, "HDF5 cannot be used: the library %s cannot be loaded", ZW_HDF5_SONAME);
  return false;
}

#else

bool zw_hdf5_is_there(char about[ZW_HDF5_ABOUT]) {
  zw_snprintf(about, ZW_HDF5_ABOUT, "HDF5 cannot be used: libhdf5 was not there when this program was built");
  return false;
}

#endif
