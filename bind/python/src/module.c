#include "extension.h"

/* A tuple of the names that `name_at` lists. */
static PyObject* name_tuple(const char* (*name_at)(int32_t)) {
  int32_t count = 0;
  while (name_at(count)) count++;
  PyObject* names = PyTuple_New(count);
  for (int32_t i = 0; names && i < count; i++) {
    PyObject* name = PyUnicode_FromString(name_at(i));
    if (!name || PyTuple_SetItem(names, i, name) < 0) Py_CLEAR(names);
  }
  return names;
}

/* Takes `value` over; NULL when making it has failed. */
static bool add(PyObject* module, const char* name, PyObject* value) {
  bool is_added = value && PyModule_AddObjectRef(module, name, value) == 0;
  Py_XDECREF(value);
  return is_added;
}

static bool add_type(PyObject* module, PyType_Spec* spec, PyTypeObject** type) {
  *type = (PyTypeObject*)PyType_FromModuleAndSpec(module, spec, NULL);
  return *type && PyModule_AddType(module, *type) == 0;
}

static int module_exec(PyObject* module) {
  ModuleState* state = PyModule_GetState(module);
  bool is_whole =
      add_type(module, &model_spec, &state->model_type) && add_type(module, &run_spec, &state->run_type) &&
      add_type(module, &rows_spec, &state->rows_type) && add_type(module, &least_spec, &state->least_type) &&
      add(module, "version", PyUnicode_FromString(zw_version())) &&
      add(module, "formulations", name_tuple(zw_formulation_text)) &&
      add(module, "integrators", name_tuple(zw_integrator_text)) && add(module, "kernels", name_tuple(zw_kernel_text));
  return is_whole ? 0 : -1;
}

static int module_traverse(PyObject* module, visitproc visit, void* arg) {
  ModuleState* state = PyModule_GetState(module);
  Py_VISIT(state->model_type);
  Py_VISIT(state->run_type);
  Py_VISIT(state->rows_type);
  Py_VISIT(state->least_type);
  return 0;
}

static int module_clear(PyObject* module) {
  ModuleState* state = PyModule_GetState(module);
  Py_CLEAR(state->model_type);
  Py_CLEAR(state->run_type);
  Py_CLEAR(state->rows_type);
  Py_CLEAR(state->least_type);
  return 0;
}

static void module_free(void* module) {
  module_clear(module);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
    {0, NULL},
};

static PyModuleDef module_def = {.m_base = PyModuleDef_HEAD_INIT,
                                 .m_name = "_zwang",
                                 .m_doc = "The C interface of Zwang; use the package zwang.",
                                 .m_size = sizeof(ModuleState),
                                 .m_slots = module_slots,
                                 .m_traverse = module_traverse,
                                 .m_clear = module_clear,
                                 .m_free = module_free};

PyMODINIT_FUNC PyInit__zwang(void) {
  return PyModuleDef_Init(&module_def);
}
