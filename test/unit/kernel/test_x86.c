/* The encoder, by running what it writes: every form with every register, every way to address memory. A wrong byte gives a wrong
 * number, a trap or a fault. */
#include "kernel/x86.h"

#include <string.h>

#include "base/alloc.h"
#include "base/machine.h"
#include "numbers.h"

enum { WIDTH = ZW_X86_POOL_WIDTH };

typedef struct Code {
  ZwAllocator allocator;
  ZwArena arena;
  ZwX86 x86;
  void* memory;
} Code;

static void open_code(Code* code) {
  code->allocator = zw_allocator_default();
  zw_arena_init(&code->arena, &code->allocator);
  zw_x86_init(&code->x86, &code->arena);
  code->memory = NULL;
}

static void finish_code(Code* code) {
  bool is_forbidden;
  zw_x86_finish(&code->x86);
  assert_false(code->arena.failed);
  code->memory = zw_executable_create(code->x86.code.items, (size_t)code->x86.code.count, &is_forbidden);
  assert_non_null(code->memory);
}

static void close_code(Code* code) {
  zw_executable_destroy(code->memory, (size_t)code->x86.code.count);
  zw_arena_destroy(&code->arena);
}

/* Calls what begins at a place of the code. */
static uint64_t call(const Code* code, int32_t begin, void* first, void* second) {
  const char* place = (const char*)code->memory + begin;
  uint64_t (*function)(void*, void*);
  memcpy(&function, &place, sizeof function);
  return function(first, second);
}

static const int saved[] = {ZW_RBX, ZW_RBP, ZW_R12, ZW_R13, ZW_R14, ZW_R15};

static int32_t begin_function(ZwX86* x86) {
  int32_t begin = x86->code.count;
  for (int i = 0; i < 6; i++) zw_x86_push(x86, saved[i]);
  return begin;
}

static void end_function(ZwX86* x86) {
  for (int i = 5; i >= 0; i--) zw_x86_pop(x86, saved[i]);
  zw_x86_clear_upper(x86);
  zw_x86_return(x86);
}

/* ---- operations ---- */

static double bits(uint64_t pattern) {
  double x;
  memcpy(&x, &pattern, sizeof x);
  return x;
}

static uint64_t pattern(double x) {
  uint64_t p;
  memcpy(&p, &x, sizeof p);
  return p;
}

/* What an operation gives, written in C. */
static double expected(ZwX86Op op, int immediate, double a, double b, double mask) {
  bool holds;
  switch (op) {
    case ZW_X86_ADD:
      return a + b;
    case ZW_X86_MUL:
      return a * b;
    case ZW_X86_SUB:
      return a - b;
    case ZW_X86_MIN:
      return a < b ? a : b;
    case ZW_X86_DIV:
      return a / b;
    case ZW_X86_MAX:
      return a > b ? a : b;
    case ZW_X86_SQRT:
      return sqrt(b);
    case ZW_X86_COMPARE:
      holds = immediate == ZW_COMPARE_EQUAL        ? a == b
              : immediate == ZW_COMPARE_LESS       ? a < b
              : immediate == ZW_COMPARE_LESS_EQUAL ? a <= b
                                                   : a != b;
      return bits(holds ? UINT64_MAX : 0);
    case ZW_X86_AND:
      return bits(pattern(a) & pattern(b));
    case ZW_X86_XOR:
      return bits(pattern(a) ^ pattern(b));
    case ZW_X86_OR:
      return bits(pattern(a) | pattern(b));
    case ZW_X86_FLOOR:
      return floor(b);
    case ZW_X86_BLEND:
      return pattern(mask) >> 63 ? b : a;
    case ZW_X86_OP_COUNT:
      break;
  }
  return NAN;
}

static const double lanes_a[WIDTH] = {6.25, -1.5, 3, 0}, lanes_b[WIDTH] = {2.5, 7.75, 3, 1e3},
                    lanes_mask[WIDTH] = {-1, 1, 1, -2};

static void check_lanes(ZwX86Op op, int immediate, bool is_wide, const double* a, const double* b, const double* got,
                        const char* form) {
  for (int l = 0; l < (is_wide ? WIDTH : 1); l++) {
    double want = expected(op, immediate, a[l], b[l], lanes_mask[l]);
    if (memcmp(&want, &got[l], sizeof want) != 0) {
      fail_msg("operation %d (%s, immediate %d), lane %d: %a, not %a", (int)op, form, immediate, l, got[l], want);
    }
  }
}

static int immediate_of(ZwX86Op op, int k) {
  static const int comparisons[] = {ZW_COMPARE_EQUAL, ZW_COMPARE_LESS, ZW_COMPARE_LESS_EQUAL, ZW_COMPARE_NOT_EQUAL};
  return op == ZW_X86_COMPARE ? comparisons[k % 4] : op == ZW_X86_FLOOR ? 9 : 0;
}

/* to = op(a, b) for all registers; rdi points at the operands, rsi at the result. */
static void registers_of_an_operation(ZwX86Op op, bool is_wide) {
  Code code;
  open_code(&code);
  ZwX86* x86 = &code.x86;
  int32_t* begins = malloc(16 * 16 * 16 * sizeof *begins);
  assert_non_null(begins);
  for (int i = 0; i < 16 * 16 * 16; i++) {
    int to = i / 256, a = i / 16 % 16, b = i % 16, mask = (a + 1) % 16 == b ? (a + 2) % 16 : (a + 1) % 16;
    begins[i] = x86->code.count;
    zw_x86_load(x86, is_wide, a, zw_x86_memory(ZW_RDI, 0));
    if (b != a) zw_x86_load(x86, is_wide, b, zw_x86_memory(ZW_RDI, 32));
    zw_x86_load(x86, is_wide, mask, zw_x86_memory(ZW_RDI, 64));
    int immediate = op == ZW_X86_BLEND ? mask << 4 : immediate_of(op, i);
    zw_x86_apply(x86, op, is_wide, to, a, zw_x86_register(b), immediate);
    zw_x86_store(x86, is_wide, zw_x86_memory(ZW_RSI, 0), to);
    zw_x86_clear_upper(x86);
    zw_x86_return(x86);
  }
  finish_code(&code);
  for (int i = 0; i < 16 * 16 * 16; i++) {
    int a = i / 16 % 16, b = i % 16;
    double operands[3 * WIDTH], got[WIDTH] = {0};
    memcpy(operands, lanes_a, sizeof lanes_a);
    memcpy(operands + WIDTH, lanes_b, sizeof lanes_b);
    memcpy(operands + 2 * WIDTH, lanes_mask, sizeof lanes_mask);
    call(&code, begins[i], operands, got);
    check_lanes(op, immediate_of(op, i), is_wide, lanes_a, a == b ? lanes_a : lanes_b, got, "registers");
  }
  free(begins);
  close_code(&code);
}

static void every_operation_takes_every_register(void** state) {
  (void)state;
  for (int op = 0; op < ZW_X86_OP_COUNT; op++) {
    registers_of_an_operation((ZwX86Op)op, false);
    registers_of_an_operation((ZwX86Op)op, true);
  }
}

/* The second operand in memory or in the pool. */
static void every_operation_reads_memory(void** state) {
  (void)state;
  for (int op = 0; op < ZW_X86_OP_COUNT; op++) {
    for (int is_wide = 0; is_wide < 2; is_wide++) {
      for (int is_pool = 0; is_pool < 2; is_pool++) {
        for (int to = 0; to < 16; to++) {
          Code code;
          open_code(&code);
          int32_t unused = zw_x86_constant(&code.x86, 17), pool = zw_x86_constant(&code.x86, 2.5);
          int a = 15 - to, mask = (a + 1) % 16;
          zw_x86_load(&code.x86, is_wide, a, zw_x86_memory(ZW_RDI, 0));
          zw_x86_load(&code.x86, is_wide, mask, zw_x86_memory(ZW_RDI, 64));
          int immediate = op == ZW_X86_BLEND ? mask << 4 : immediate_of((ZwX86Op)op, to);
          zw_x86_apply(&code.x86, (ZwX86Op)op, is_wide, to, a, is_pool ? zw_x86_pool(pool) : zw_x86_memory(ZW_RDI, 32),
                       immediate);
          zw_x86_store(&code.x86, is_wide, zw_x86_memory(ZW_RSI, 0), to);
          zw_x86_clear_upper(&code.x86);
          zw_x86_return(&code.x86);
          finish_code(&code);
          double operands[3 * WIDTH], b[WIDTH], got[WIDTH] = {0};
          for (int l = 0; l < WIDTH; l++) b[l] = is_pool ? 2.5 : lanes_b[l];
          memcpy(operands, lanes_a, sizeof lanes_a);
          memcpy(operands + WIDTH, lanes_b, sizeof lanes_b);
          memcpy(operands + 2 * WIDTH, lanes_mask, sizeof lanes_mask);
          call(&code, 0, operands, got);
          check_lanes((ZwX86Op)op, immediate_of((ZwX86Op)op, to), is_wide, lanes_a, b, got,
                      is_pool ? "pool" : "memory");
          assert_int_equal(unused, 0);
          close_code(&code);
        }
      }
    }
  }
}

/* ---- addresses ---- */

static const int32_t offsets[] = {0, 8, -8, 120, 128, -128, -136, 1024, -1024};
enum { OFFSETS = sizeof offsets / sizeof *offsets, BLOCK = 600 };

/* Registers that a function may not use as it likes. */
static bool is_usable(int number) {
  return number != ZW_RSP;
}

/* Reads a double at every base and offset, with every index or none, and writes it behind rsi (rax or rcx if rsi is in use). */
static void every_address_is_reached(void** state) {
  (void)state;
  static double block[BLOCK];
  for (int i = 0; i < BLOCK; i++) block[i] = i + 0.5;
  for (int base = 0; base < 16; base++) {
    for (int index = -1; index < 16; index++) {
      if (!is_usable(base) || index == ZW_RSP || index == base) continue;
      for (int k = 0; k < OFFSETS; k++) {
        Code code;
        open_code(&code);
        ZwX86* x86 = &code.x86;
        int xmm = (base + k) % 16, spare = base != ZW_RAX && index != ZW_RAX   ? ZW_RAX
                                           : base != ZW_RCX && index != ZW_RCX ? ZW_RCX
                                                                               : ZW_RDX;
        begin_function(x86);
        zw_x86_push(x86, ZW_RSI);
        if (base != ZW_RDI) zw_x86_move(x86, base, ZW_RDI);
        if (index >= 0) zw_x86_set(x86, index, 7);
        ZwX86Operand at = index >= 0 ? zw_x86_indexed(base, index, offsets[k]) : zw_x86_memory(base, offsets[k]);
        zw_x86_load(x86, false, xmm, at);
        zw_x86_pop(x86, spare);
        zw_x86_store(x86, false, zw_x86_memory(spare, 0), xmm);
        end_function(x86);
        finish_code(&code);
        double got = 0;
        int middle = BLOCK / 2;
        call(&code, 0, &block[middle], &got);
        double want = block[middle + offsets[k] / 8 + (index >= 0 ? 7 : 0)];
        if (got != want) fail_msg("base %d, index %d, offset %d: %g, not %g", base, index, (int)offsets[k], got, want);
        close_code(&code);
      }
    }
  }
}

static void the_stack_is_reached(void** state) {
  (void)state;
  Code code;
  open_code(&code);
  ZwX86* x86 = &code.x86;
  zw_x86_add(x86, ZW_RSP, -264);
  zw_x86_set(x86, ZW_RAX, 0x123456789abcdef0);
  zw_x86_write(x86, zw_x86_memory(ZW_RSP, 0), ZW_RAX);
  zw_x86_write(x86, zw_x86_memory(ZW_RSP, 16), ZW_RAX);
  zw_x86_add_memory(x86, zw_x86_memory(ZW_RSP, 16), 1000);
  zw_x86_add_memory(x86, zw_x86_memory(ZW_RSP, 16), -1);
  zw_x86_read(x86, ZW_RAX, zw_x86_memory(ZW_RSP, 16));
  zw_x86_read_32(x86, ZW_RCX, zw_x86_memory(ZW_RSP, 4));
  zw_x86_write(x86, zw_x86_memory(ZW_RSI, 0), ZW_RCX);
  zw_x86_add(x86, ZW_RSP, 264);
  zw_x86_return(x86);
  finish_code(&code);
  uint64_t upper = 0;
  assert_true(call(&code, 0, NULL, &upper) == 0x123456789abcdef0 + 999);
  assert_true(upper == 0x12345678);
  close_code(&code);
}

/* ---- whole numbers ---- */

/* set, move, add, address, read and write through every register. */
static void whole_numbers_go_through_every_register(void** state) {
  (void)state;
  static const uint64_t values[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x8877665544332211};
  for (int to = 0; to < 16; to++) {
    for (int from = 0; from < 16; from++) {
      if (!is_usable(to) || !is_usable(from)) continue;
      for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        Code code;
        open_code(&code);
        ZwX86* x86 = &code.x86;
        begin_function(x86);
        zw_x86_push(x86, ZW_RSI);
        zw_x86_set(x86, from, values[k]);
        zw_x86_move(x86, to, from);
        zw_x86_add(x86, to, 5);
        zw_x86_add(x86, to, 100000);
        zw_x86_add(x86, to, -7);
        zw_x86_address(x86, to, zw_x86_memory(to, 64));
        int spare = to == ZW_RAX ? ZW_RCX : ZW_RAX;
        zw_x86_pop(x86, spare);
        zw_x86_write(x86, zw_x86_memory(spare, 8), to);
        zw_x86_read(x86, ZW_RAX, zw_x86_memory(spare, 8));
        end_function(x86);
        finish_code(&code);
        uint64_t result[2] = {0};
        assert_true(call(&code, 0, NULL, result) == values[k] + 100062);
        close_code(&code);
      }
    }
  }
}

/* ---- lanes ---- */

static void lanes_are_put_together(void** state) {
  (void)state;
  for (int to = 0; to < 16; to++) {
    for (int upper = 0; upper < 16; upper++) {
      Code code;
      open_code(&code);
      ZwX86* x86 = &code.x86;
      zw_x86_load(x86, false, to, zw_x86_memory(ZW_RDI, 0));
      zw_x86_load_second(x86, to, zw_x86_memory(ZW_RDI, 8));
      if (upper != to) {
        zw_x86_load(x86, false, upper, zw_x86_memory(ZW_RDI, 16));
        zw_x86_load_second(x86, upper, zw_x86_memory(ZW_RDI, 24));
      }
      zw_x86_join(x86, to, upper);
      zw_x86_store(x86, true, zw_x86_memory(ZW_RSI, 0), to);
      zw_x86_spread(x86, upper, zw_x86_memory(ZW_RDI, 16));
      zw_x86_load(x86, true, to, zw_x86_register(upper));
      zw_x86_store(x86, true, zw_x86_memory(ZW_RSI, 32), to);
      zw_x86_clear_upper(x86);
      zw_x86_return(x86);
      finish_code(&code);
      double from[WIDTH] = {1, 2, 3, 4}, got[2 * WIDTH] = {0};
      call(&code, 0, from, got);
      for (int l = 0; l < WIDTH; l++) {
        assert_true(got[l] == (upper == to ? 1 + l % 2 : 1 + l));
        assert_true(got[WIDTH + l] == 3);
      }
      close_code(&code);
    }
  }
}

/* ---- calls and loops ---- */

static uint64_t add_42(uint64_t x) {
  return x + 42;
}

static void functions_are_called(void** state) {
  (void)state;
  uint64_t (*function)(uint64_t) = add_42;
  uint64_t address;
  memcpy(&address, &function, sizeof address);
  for (int in = 0; in < 16; in++) {
    if (!is_usable(in) || in == ZW_RDI) continue;
    Code code;
    open_code(&code);
    ZwX86* x86 = &code.x86;
    begin_function(x86);
    zw_x86_add(x86, ZW_RSP, -8);
    zw_x86_set(x86, ZW_RDI, 58);
    zw_x86_set(x86, in, address);
    zw_x86_call(x86, in);
    zw_x86_add(x86, ZW_RSP, 8);
    end_function(x86);
    finish_code(&code);
    assert_true(call(&code, 0, NULL, NULL) == 100);
    close_code(&code);
  }
}

/* A loop whose body is longer than a byte can say. */
static void loops_go_round(void** state) {
  (void)state;
  Code code;
  open_code(&code);
  ZwX86* x86 = &code.x86;
  zw_x86_set(x86, ZW_RAX, 0);
  zw_x86_set(x86, ZW_RCX, 11);
  int32_t place = x86->code.count;
  for (int i = 0; i < 100; i++) zw_x86_add(x86, ZW_RAX, 3);
  zw_x86_add(x86, ZW_RCX, -1);
  zw_x86_jump_back_if_not_zero(x86, place);
  zw_x86_return(x86);
  finish_code(&code);
  assert_true(call(&code, 0, NULL, NULL) == 3300);
  close_code(&code);
}

int main(void) {
  if (!zw_machine_has_avx2()) {
    print_message("this machine has no AVX2: nothing was run\n");
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_operation_takes_every_register),
      cmocka_unit_test(every_operation_reads_memory),
      cmocka_unit_test(every_address_is_reached),
      cmocka_unit_test(the_stack_is_reached),
      cmocka_unit_test(whole_numbers_go_through_every_register),
      cmocka_unit_test(lanes_are_put_together),
      cmocka_unit_test(functions_are_called),
      cmocka_unit_test(loops_go_round),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
