/* What computes the equations of a model: machine code or the interpreter. */
#include <string.h>

#include "kernel/native.h"
#include "zwang/handles.h"

/* ORDER KERNEL */
typedef enum Kernel { KERNEL_AUTO, KERNEL_INTERPRET, KERNEL_NATIVE, KERNEL_COUNT } Kernel;
static const char* const names[] = {"auto", "interpret", "native"};

const char* zw_kernel_text(int32_t i) {
  return i >= 0 && i < KERNEL_COUNT ? names[i] : NULL;
}

static Kernel find_kernel(const char* name) {
  int i = 0;
  while (i < KERNEL_COUNT && strcmp(names[i], name) != 0) i++;
  return (Kernel)i;
}

ZwStatus zw_model_choose_kernel(ZwModel* model, const char* name) {
  Kernel kernel = find_kernel(name ? name : names[KERNEL_AUTO]);
  if (kernel == KERNEL_COUNT) {
    zw_diag_error(&model->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "there is no kernel '%s'", name);
    zw_diag_remedy(&model->diags, "one of auto, interpret, native");
    return ZW_ERR_ARGUMENT;
  }
  if (kernel == KERNEL_INTERPRET) return ZW_OK;
  const char* why;
  ZwStatus status = zw_native_compile(&model->program, ZW_NATIVE_BEST, &why);
  if (status != ZW_ERR_UNSUPPORTED) return status;
  if (kernel == KERNEL_AUTO) return ZW_OK;
  zw_diag_error(&model->diags, ZW_ERR_UNSUPPORTED, (ZwSpan){0}, "the equations cannot become machine code: %s", why);
  zw_diag_remedy(&model->diags, "leave --kernel out: the interpreter gives the same results, only slower");
  return ZW_ERR_UNSUPPORTED;
}

const char* zw_model_kernel(const ZwModel* model) {
  if (!model) return NULL;
  return names[model->program.native ? KERNEL_NATIVE : KERNEL_INTERPRET];
}
