/* Memory for code: it runs, and is never writable and executable at once. */
#include "base/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "numbers.h"

static const unsigned char give_42[] = {0xb8, 42, 0, 0, 0, 0xc3}; /* mov eax, 42; ret */

static void code_runs(void** state) {
  (void)state;
  bool is_forbidden;
  void* memory = zw_executable_create(give_42, sizeof give_42, &is_forbidden);
  if (is_forbidden) skip();
  assert_non_null(memory);
  int (*function)(void);
  memcpy(&function, &memory, sizeof function);
  assert_int_equal(function(), 42);
  zw_executable_destroy(memory, sizeof give_42);
  zw_executable_destroy(NULL, 0);
}

/* What the system says about the page of an address, as "r-xp"; "" where it does not tell. */
static void permissions_of(const void* address, char permissions[5]) {
  permissions[0] = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  while (maps && fgets(line, sizeof line, maps)) {
    uintptr_t from, to;
    char found[5];
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &from, &to, found) != 3) continue;
    if ((uintptr_t)address >= from && (uintptr_t)address < to) memcpy(permissions, found, 5);
  }
  if (maps) fclose(maps);
}

static void code_cannot_be_written(void** state) {
  (void)state;
  bool is_forbidden;
  char permissions[5];
  static unsigned char many[3 * 4096];
  for (size_t size = 1; size <= sizeof many; size += 4095) {
    void* memory = zw_executable_create(many, size, &is_forbidden);
    if (is_forbidden) skip();
    assert_non_null(memory);
    permissions_of((char*)memory + size - 1, permissions);
    if (permissions[0]) assert_memory_equal(permissions, "r-x", 3);
    zw_executable_destroy(memory, size);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(code_runs), cmocka_unit_test(code_cannot_be_written)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
