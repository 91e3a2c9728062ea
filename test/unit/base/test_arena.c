#include "base/arena.h"

#include "../numbers.h"

#include <string.h>

/* Hands out memory full of 0xA5 and keeps count; refuses everything from call number `fails_at` on. */
typedef struct Host {
  int64_t calls, alive, fails_at;
} Host;

static void* host_alloc(void* context, size_t size) {
  Host* host = context;
  if (host->fails_at && host->calls + 1 >= host->fails_at) return NULL;
  void* memory = malloc(size);
  if (memory) memset(memory, 0xA5, size);
  host->calls++;
  host->alive++;
  return memory;
}

static void host_release(void* context, void* memory) {
  ((Host*)context)->alive--;
  free(memory);
}

static ZwArena arena_of(Host* host) {
  ZwArena arena;
  zw_arena_init(&arena, &(ZwAllocator){host_alloc, host_release, host});
  return arena;
}

static void memory_is_aligned_zeroed_and_apart(void** state) {
  (void)state;
  enum { PIECES = 700 };
  Host host = {0};
  ZwArena arena = arena_of(&host);
  unsigned char* pieces[PIECES];
  for (int i = 0; i < PIECES; i++) {
    pieces[i] = zw_arena_alloc(&arena, 1, (size_t)i);
    assert_non_null(pieces[i]);
    assert_int_equal((uintptr_t)pieces[i] % 16, 0);
    for (int k = 0; k < i; k++) assert_int_equal(pieces[i][k], 0);
    memset(pieces[i], i % 256, (size_t)i);
  }
  /* whoever wrote to the end of a piece did not reach another one */
  for (int i = 0; i < PIECES; i++) {
    for (int k = 0; k < i; k++) assert_int_equal(pieces[i][k], i % 256);
  }
  zw_arena_destroy(&arena);
  assert_int_equal(host.alive, 0);
}

static void nothing_asked_for_is_still_a_pointer(void** state) {
  (void)state;
  Host host = {0};
  ZwArena arena = arena_of(&host);
  const void* a = zw_arena_alloc(&arena, 0, 8);
  const void* b = zw_arena_alloc(&arena, 8, 0);
  assert_non_null(a);
  assert_non_null(b);
  assert_ptr_not_equal(a, b);
  zw_arena_destroy(&arena);
}

static void small_requests_share_blocks_and_large_ones_fit(void** state) {
  (void)state;
  Host host = {0};
  ZwArena arena = arena_of(&host);
  for (int i = 0; i < 100000; i++) assert_non_null(ZW_NEW(&arena, 1, double));
  assert_in_range(host.calls, 1, 12); /* 1.6 MB in doubling blocks from 16 KB on */
  char* large = ZW_NEW(&arena, 10000000, char);
  assert_non_null(large);
  large[0] = large[9999999] = 1;
  assert_true(arena.bytes >= 11600000);
  zw_arena_destroy(&arena);
  assert_int_equal(host.alive, 0);
}

static void destroyed_arena_is_empty_and_usable(void** state) {
  (void)state;
  Host host = {0};
  ZwArena arena = arena_of(&host);
  (void)ZW_NEW(&arena, 10, int);
  zw_arena_destroy(&arena);
  zw_arena_destroy(&arena);
  assert_int_equal(arena.bytes, 0);
  assert_non_null(ZW_NEW(&arena, 10, int));
  zw_arena_destroy(&arena);
  assert_int_equal(host.alive, 0);
}

static void failure_is_sticky(void** state) {
  (void)state;
  Host host = {.fails_at = 2};
  ZwArena arena = arena_of(&host);
  assert_non_null(ZW_NEW(&arena, 1, double));
  assert_false(arena.failed);
  assert_null(ZW_NEW(&arena, 1000000, double));
  assert_true(arena.failed);
  assert_false(arena.limit_reached);
  host.fails_at = 0; /* there would be memory again, and the first block has room anyway */
  assert_null(ZW_NEW(&arena, 1, double));
  zw_arena_destroy(&arena);
  assert_int_equal(host.alive, 0);
}

static void limit_is_kept_and_told_apart(void** state) {
  (void)state;
  Host host = {0};
  ZwArena arena = arena_of(&host);
  arena.limit = 100000;
  int pieces = 0;
  while (ZW_NEW(&arena, 1000, char)) pieces++;
  assert_in_range(pieces, 30, 100);
  assert_true(arena.bytes <= arena.limit);
  assert_true(arena.failed);
  assert_true(arena.limit_reached);
  zw_arena_destroy(&arena);
}

static void absurd_sizes_fail_cleanly(void** state) {
  (void)state;
  const struct {
    ptrdiff_t count;
    size_t size;
  } absurd[] = {{-1, 8}, {PTRDIFF_MAX, 8}, {PTRDIFF_MAX / 2, 4}, {2, SIZE_MAX / 2}, {PTRDIFF_MIN, 1}};
  for (int i = 0; i < 5; i++) {
    Host host = {0};
    ZwArena arena = arena_of(&host);
    assert_null(zw_arena_alloc(&arena, absurd[i].count, absurd[i].size));
    assert_true(arena.failed);
    assert_int_equal(host.calls, 0); /* the host is not even asked */
    zw_arena_destroy(&arena);
  }
}

static void pushed_values_survive_growth(void** state) {
  (void)state;
  Host host = {0};
  ZwArena arena = arena_of(&host);
  ZW_ARRAY(int32_t) array = {0};
  for (int32_t i = 0; i < 100000; i++) assert_true(ZW_PUSH(&arena, &array, i * 7));
  assert_int_equal(array.count, 100000);
  assert_true(array.capacity >= array.count);
  for (int32_t i = 0; i < 100000; i++) assert_int_equal(array.items[i], i * 7);
  zw_arena_destroy(&arena);
}

static void push_without_memory_leaves_the_array_as_it_was(void** state) {
  (void)state;
  Host host = {.fails_at = 2};
  ZwArena arena = arena_of(&host);
  ZW_ARRAY(int64_t) array = {0};
  for (int64_t i = 0; ZW_PUSH(&arena, &array, i); i++) continue;
  assert_true(array.count > 8);
  assert_int_equal(array.count, array.capacity);
  for (int32_t i = 0; i < array.count; i++) assert_int_equal(array.items[i], i);
  zw_arena_destroy(&arena);
}

/* Large arrays grow in place where they can: with the host's memory, the default one, and up to a limit. */
static void large_arrays_survive_growth_and_its_failure(void** state) {
  (void)state;
  enum { COUNT = 1000 * 1000 };
  Host host = {0};
  ZwAllocator allocators[] = {{host_alloc, host_release, &host}, zw_allocator_default()};
  for (int i = 0; i < 4; i++) {
    ZwArena arena;
    zw_arena_init(&arena, &allocators[i % 2]);
    if (i >= 2) arena.limit = 3 * 1000 * 1000;
    ZW_ARRAY(int64_t) array = {0}, other = {0};
    while (array.count < COUNT) {
      int64_t value = array.count, twice = 2 * value;
      if (!ZW_PUSH(&arena, &array, value) || !ZW_PUSH(&arena, &other, twice)) break;
    }
    assert_int_equal(arena.failed, i >= 2);
    assert_int_equal(arena.limit_reached, i >= 2);
    assert_true(!arena.limit || arena.bytes <= arena.limit);
    assert_int_equal(array.count == COUNT, i < 2);
    assert_true(array.count > 100000 && other.count <= array.count && other.count + 1 >= array.count);
    for (int64_t k = 0; k < array.count; k++) assert_true(array.items[k] == k);
    for (int64_t k = 0; k < other.count; k++) assert_true(other.items[k] == 2 * k);
    zw_arena_destroy(&arena);
  }
  assert_int_equal(host.alive, 0);
  host = (Host){0};
  ZwArena arena = arena_of(&host);
  ZW_ARRAY(int64_t) array = {0};
  for (int64_t k = 0; k < COUNT * 8 && ZW_PUSH(&arena, &array, k); k++) host.fails_at = array.count > COUNT ? 1 : 0;
  assert_true(arena.failed && !arena.limit_reached);
  assert_true(array.count > COUNT && array.count == array.capacity);
  for (int64_t k = 0; k < array.count; k++) assert_true(array.items[k] == k);
  zw_arena_destroy(&arena);
  assert_int_equal(host.alive, 0);
}

static void array_of_two_billion_is_refused(void** state) {
  (void)state;
  Host host = {0};
  ZwArena arena = arena_of(&host);
  int32_t capacity = INT32_MAX / 2 + 1;
  void* items = NULL;
  assert_false(zw_array_grow(&arena, &items, 0, &capacity, 1));
  assert_true(arena.failed);
  assert_int_equal(capacity, INT32_MAX / 2 + 1);
  zw_arena_destroy(&arena);
}

/* ---- giving back ---- */

static void large_pieces_can_be_given_back(void** state) {
  (void)state;
  Host host = {0};
  ZwArena arena = arena_of(&host);
  char* small = zw_arena_alloc(&arena, 1, 100);
  int64_t blocks = host.alive;
  size_t bytes = arena.bytes;
  char* pieces[3];
  for (int i = 0; i < 3; i++) {
    pieces[i] = zw_arena_alloc(&arena, 1, ZW_ARENA_LARGE + (size_t)i);
    memset(pieces[i], i + 1, ZW_ARENA_LARGE);
  }
  assert_int_equal(host.alive, blocks + 3); /* each in a block of its own */
  zw_arena_give_back(&arena, pieces[1]);    /* from the middle */
  assert_int_equal(host.alive, blocks + 2);
  assert_int_equal(pieces[0][ZW_ARENA_LARGE - 1], 1);
  assert_int_equal(pieces[2][ZW_ARENA_LARGE - 1], 3);
  zw_arena_give_back(&arena, pieces[2]);
  zw_arena_give_back(&arena, pieces[0]);
  assert_int_equal(host.alive, blocks);
  assert_int_equal(arena.bytes, bytes);
  /* what is small stays, and so does what was never the arena's to give back */
  zw_arena_give_back(&arena, small);
  zw_arena_give_back(&arena, NULL);
  assert_int_equal(host.alive, blocks);
  small[99] = 'x';
  assert_true((char*)zw_arena_alloc(&arena, 1, 16) > small); /* filling goes on where it was */
  zw_arena_destroy(&arena);
  assert_int_equal(host.alive, 0);
}

/* Also where the default allocator gives memory again that had been used. */
static void large_pieces_are_zeroed(void** state) {
  (void)state;
  Host host = {0};
  ZwAllocator allocators[] = {{host_alloc, host_release, &host}, zw_allocator_default()};
  for (int i = 0; i < 2; i++) {
    ZwArena arena;
    zw_arena_init(&arena, &allocators[i]);
    for (int round = 0; round < 8; round++) {
      unsigned char* piece = zw_arena_alloc(&arena, 1, ZW_ARENA_LARGE);
      assert_non_null(piece);
      for (int k = 0; k < ZW_ARENA_LARGE; k++) assert_int_equal(piece[k], 0);
      memset(piece, 0xA5, ZW_ARENA_LARGE);
      if (round % 2) zw_arena_give_back(&arena, piece);
    }
    zw_arena_destroy(&arena);
  }
  assert_int_equal(host.alive, 0);
}

static void just_below_large_shares_a_block(void** state) {
  (void)state;
  Host host = {0};
  ZwArena arena = arena_of(&host);
  char* piece = zw_arena_alloc(&arena, 1, ZW_ARENA_LARGE - 16);
  int64_t blocks = host.alive;
  zw_arena_give_back(&arena, piece);
  assert_int_equal(host.alive, blocks);
  piece[0] = piece[ZW_ARENA_LARGE - 17] = 1;
  zw_arena_destroy(&arena);
  assert_int_equal(host.alive, 0);
}

/* Growing arrays leave no trail: at most the copy and its last half, not the sum of all of them. */
static void grown_arrays_give_their_old_copies_back(void** state) {
  (void)state;
  enum { COUNT = 4 * 1000 * 1000 };
  Host host = {0};
  ZwArena arena = arena_of(&host);
  ZW_ARRAY(double) a = {0}, b = {0};
  for (int i = 0; i < COUNT; i++) {
    double value = i;
    assert_true(ZW_PUSH(&arena, &a, value) && ZW_PUSH(&arena, &b, value));
  }
  size_t live = ((size_t)a.capacity + (size_t)b.capacity) * sizeof(double);
  assert_true(arena.bytes < live + 1024 * 1024);
  for (int i = 0; i < COUNT; i += 997) assert_true(a.items[i] == i && b.items[i] == i);
  zw_arena_destroy(&arena);
  assert_int_equal(host.alive, 0);
}

/* What was given back does not count against the limit. */
static void limit_counts_what_is_there(void** state) {
  (void)state;
  Host host = {0};
  ZwArena arena = arena_of(&host);
  arena.limit = 3 * (size_t)ZW_ARENA_LARGE;
  for (int i = 0; i < 20; i++) {
    void* piece = zw_arena_alloc(&arena, 2, ZW_ARENA_LARGE);
    assert_non_null(piece);
    zw_arena_give_back(&arena, piece);
  }
  assert_false(arena.failed);
  assert_non_null(zw_arena_alloc(&arena, 2, ZW_ARENA_LARGE));
  assert_null(zw_arena_alloc(&arena, 2, ZW_ARENA_LARGE));
  assert_true(arena.failed && arena.limit_reached);
  zw_arena_destroy(&arena);
  assert_int_equal(host.alive, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_aligned_zeroed_and_apart),
      cmocka_unit_test(nothing_asked_for_is_still_a_pointer),
      cmocka_unit_test(small_requests_share_blocks_and_large_ones_fit),
      cmocka_unit_test(destroyed_arena_is_empty_and_usable),
      cmocka_unit_test(failure_is_sticky),
      cmocka_unit_test(limit_is_kept_and_told_apart),
      cmocka_unit_test(absurd_sizes_fail_cleanly),
      cmocka_unit_test(pushed_values_survive_growth),
      cmocka_unit_test(push_without_memory_leaves_the_array_as_it_was),
      cmocka_unit_test(large_arrays_survive_growth_and_its_failure),
      cmocka_unit_test(array_of_two_billion_is_refused),
      cmocka_unit_test(large_pieces_can_be_given_back),
      cmocka_unit_test(large_pieces_are_zeroed),
      cmocka_unit_test(just_below_large_shares_a_block),
      cmocka_unit_test(grown_arrays_give_their_old_copies_back),
      cmocka_unit_test(limit_counts_what_is_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
