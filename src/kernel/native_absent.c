/* For machines other than x86-64. */
#include "kernel/native.h"

const char* zw_native_obstacle(void) {
  return "there is none for this kind of machine";
}

ZwStatus zw_native_compile(ZwProgram* program, ZwNativeForm form, const char** why) {
  (void)program;
  (void)form;
  *why = zw_native_obstacle();
  return ZW_ERR_UNSUPPORTED;
}

void zw_native_destroy(ZwProgram* program) {
  (void)program;
}
