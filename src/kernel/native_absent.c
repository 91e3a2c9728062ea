/* For machines other than x86-64. */
#include "kernel/native.h"

ZwStatus zw_native_compile(ZwProgram* program, ZwNativeForm form, const char** why) {
  (void)program;
  (void)form;
  *why = "there is none for this kind of machine";
  return ZW_ERR_UNSUPPORTED;
}

void zw_native_destroy(ZwProgram* program) {
  (void)program;
}
