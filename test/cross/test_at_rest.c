/* Ropes, nets and trusses that hang at rest, typed exactly: none is refused, because forces that undo each other leave rounding;
 * nothing moves. The same with a row that contradicts another by 1e-6: refused by name. All sizes with ZW_LONG set, a fixed sample
 * otherwise. */
#include "drawn.h"
#include "motion/moving.h"
#include "sample.h"

#define GRAVITY 9.81

typedef enum Kind { ROPE, NET, TRUSS, BRACED } Kind;

typedef struct Hanging {
  Kind kind;
  int n; /* links of a rope, sides of a net, cells of a truss */
  bool is_spatial, is_squared;
  double mass;
} Hanging;

/* ---- texts ---- */

/* "constraint NAME: |way| = 1", with the square of a length or the length itself. */
static void add_bar(Text* text, const Hanging* h, const char* name, const char* way, double square) {
  if (h->is_squared)
    write_text(text, "constraint %s: (%s)^2 = %.17g\n", name, way, square);
  else
    write_text(text, "constraint %s: norm(%s) = %.17g\n", name, way, sqrt(square));
}

/* Point `name[i]`, i up to `count`, at (right, up). */
static void add_points(Text* text, const Hanging* h, const char* name, int count, const char* right, const char* up) {
  const char* between = h->is_spatial ? "0, " : "";
  write_text(text, "coord %s[1..%d] = (%s0, 0)\n", name, count, between);
  write_text(text, "for i in 1..%d {\n  kinetic 1/2*m*%s[i]'^2\n  potential %.17g*m*%s[i].%s\n", count, name, GRAVITY,
             name, h->is_spatial ? "z" : "y");
  write_text(text, "  start %s[i] = (%s, %s%s)\n}\n", name, right, between, up);
}

static void add_rope(Text* text, const Hanging* h) {
  add_points(text, h, "P", h->n, "0", "-i");
  add_bar(text, h, "top", "P[1]", 1);
  if (h->n < 2) return;
  write_text(text, "for i in 2..%d {\n", h->n);
  add_bar(text, h, "link[i]", "P[i] - P[i-1]", 1);
  write_text(text, "}\n");
}

/* Row by row; the topmost hangs on pegs. */
static void add_net(Text* text, const Hanging* h) {
  int n = h->n;
  write_text(text, "param n = %d\n", n);
  add_points(text, h, "P", n * n, "i - 1 - n*floor((i - 1)/n)", "-1 - floor((i - 1)/n)");
  write_text(text, "for j in 1..n {\n");
  add_bar(text, h, "peg[j]", h->is_spatial ? "P[j] - (j - 1, 0, 0)" : "P[j] - (j - 1, 0)", 1);
  if (n > 1) {
    write_text(text, "  for i in 2..n {\n");
    add_bar(text, h, "down[i, j]", "P[(i - 1)*n + j] - P[(i - 2)*n + j]", 1);
    write_text(text, "}\n");
  }
  write_text(text, "}\n");
  if (n < 2) return;
  write_text(text, "for i in 1..n {\n  for j in 2..n {\n");
  add_bar(text, h, "across[i, j]", "P[(i - 1)*n + j] - P[(i - 1)*n + j - 1]", 1);
  write_text(text, "}\n}\n");
}

/* Cells with one diagonal, or with two, stand out from a wall; in the plane. */
static void add_truss(Text* text, const Hanging* h) {
  add_points(text, h, "A", h->n, "i", "0");
  add_points(text, h, "B", h->n, "i", "1");
  add_bar(text, h, "lower[1]", "A[1]", 1);
  add_bar(text, h, "upper[1]", "B[1] - (0, 1)", 1);
  add_bar(text, h, "rising[1]", "B[1]", 2);
  if (h->kind == BRACED) add_bar(text, h, "falling[1]", "A[1] - (0, 1)", 2);
  write_text(text, "for i in 1..%d {\n", h->n);
  add_bar(text, h, "post[i]", "A[i] - B[i]", 1);
  write_text(text, "}\n");
  if (h->n < 2) return;
  write_text(text, "for i in 2..%d {\n", h->n);
  add_bar(text, h, "lower[i]", "A[i] - A[i-1]", 1);
  add_bar(text, h, "upper[i]", "B[i] - B[i-1]", 1);
  add_bar(text, h, "rising[i]", "B[i] - A[i-1]", 2);
  if (h->kind == BRACED) add_bar(text, h, "falling[i]", "A[i] - B[i-1]", 2);
  write_text(text, "}\n");
}

static void write_hanging(Text* text, const Hanging* h) {
  text->size = 0;
  write_text(text, "param m = %.17g\n", h->mass);
  if (h->kind == ROPE) add_rope(text, h);
  if (h->kind == NET) add_net(text, h);
  if (h->kind == TRUSS || h->kind == BRACED) add_truss(text, h);
}

static const char* name_of(const Hanging* h) {
  static char name[100];
  static const char* kinds[] = {"rope", "net", "truss", "truss with two diagonals"};
  sprintf(name, "%s of %d, %s, %s, masses %g", kinds[h->kind], h->n, h->is_spatial ? "in space" : "in the plane",
          h->is_squared ? "squared" : "norm", h->mass);
  return name;
}

/* ---- starts ---- */

static ZwStatus open_any(Moving* m, const char* text) {
  m->sim = NULL;
  ZW_TRY(stages_compile(&m->s, text));
  ZW_TRY(zw_sim_create(&m->s.program, &m->s.allocator, &m->s.diags, true, 0, &m->sim));
  ZW_TRY(zw_sim_set_params(m->sim, NULL));
  zw_sim_set_up(m->sim, 0, 1e-9);
  return zw_start(m->sim, 0);
}

/* Forces of n g meet at the top of a rope, of n^2 g at the foot of a truss: eps times that, and what the factors make of it, is
 * all that may move. */
static void expect_rest(const Hanging* h) {
  Text text;
  Moving m;
  write_hanging(&text, h);
  ZwStatus status = open_any(&m, text.data);
  for (int32_t i = 0; i < m.s.diags.list.count; i++) {
    const ZwDiag* diag = &m.s.diags.list.items[i];
    if (diag->severity == ZW_SEVERITY_ERROR) fail_msg("%s: %s", name_of(h), diag->text);
  }
  assert_int_equal(status, ZW_OK);
  for (int32_t j = 0; j < m.sim->n; j++) {
    double most = (1e-9 + 1e-15 * h->n * h->n) * GRAVITY;
    if (!(fabs(m.sim->a[j]) <= most)) fail_msg("%s: coordinate %d has %g", name_of(h), (int)j, m.sim->a[j]);
  }
  moving_close(&m);
}

static void expect_refusal(const Hanging* h, const char* extra, const char* name) {
  Text text;
  Moving m;
  write_hanging(&text, h);
  write_text(&text, "%s", extra);
  ZwStatus status = open_any(&m, text.data);
  bool is_named = false;
  for (int32_t i = 0; i < m.s.diags.list.count; i++) {
    const ZwDiag* diag = &m.s.diags.list.items[i];
    is_named = is_named || (diag->severity == ZW_SEVERITY_ERROR && strstr(diag->text, name));
  }
  if (!status || !is_named) fail_msg("%s with '%s' is taken", name_of(h), extra);
  moving_close(&m);
}

/* ---- tests ---- */

static bool is_long(void) {
  return getenv("ZW_LONG") != NULL;
}

static void expect_all(Kind kind, const int* sizes, int count) {
  static const double masses[] = {1e-6, 1, 1e6};
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < 12; k++) {
      Hanging h = {kind, sizes[i], k % 2 == 1 && kind < TRUSS, k / 2 % 2 == 1, masses[k / 4]};
      bool is_in_sample = is_long() || (is_sanitized() ? k == 5 * i % 12 : k % 4 == (i + k / 4) % 4);
      if (is_in_sample) expect_rest(&h);
    }
  }
}

static void ropes_hang(void** state) {
  (void)state;
  static const int some[] = {2, 3, 30, 99, 150, 400, 1500},
                   more[] = {1, 2, 3, 5, 10, 30, 31, 60, 66, 67, 99, 150, 200, 301, 400, 700, 1000, 1500, 2500, 5000};
  if (is_long())
    expect_all(ROPE, more, sizeof more / sizeof more[0]);
  else
    expect_all(ROPE, some, sizeof some / sizeof some[0]);
}

static void nets_hang(void** state) {
  (void)state;
  static const int some[] = {1, 2, 7, 20}, more[] = {1, 2, 3, 5, 7, 8, 12, 20, 31, 50, 70};
  if (is_long())
    expect_all(NET, more, sizeof more / sizeof more[0]);
  else
    expect_all(NET, some, sizeof some / sizeof some[0]);
}

static void trusses_stand(void** state) {
  (void)state;
  static const int some[] = {1, 2, 9, 30}, more[] = {1, 2, 3, 9, 20, 30, 60, 100, 1000, 5000};
  if (is_long())
    expect_all(TRUSS, more, sizeof more / sizeof more[0]);
  else
    expect_all(TRUSS, some, sizeof some / sizeof some[0]);
}

static void contradictions_are_named(void** state) {
  (void)state;
  static const int some[] = {2, 9, 300}, more[] = {2, 3, 9, 30, 70, 150, 300, 1000, 5000};
  const int* sizes = is_long() ? more : some;
  int count = is_long() ? (int)(sizeof more / sizeof more[0]) : (int)(sizeof some / sizeof some[0]);
  for (int i = 0; i < count * 8; i++) {
    int n = sizes[i / 8];
    Hanging h = {ROPE, n, i % 2 == 1, i / 2 % 2 == 1, i / 4 % 2 ? 1e-6 : 1e6};
    char extra[300];
    sprintf(extra, "constraint again: norm(P[%d] - P[%d]) = 1 + 1e-6\n", n / 2 + 1, n / 2);
    expect_refusal(&h, extra, "'again'");
    const char *up = h.is_spatial ? "z" : "y", *between = h.is_spatial ? "0, " : "";
    sprintf(extra,
            "coord E = (0, %s%d)\nkinetic 1/2*m*E'^2\nconstraint wrong: norm(E - P[%d]) = 1 + 1e-6\n"
            "start exactly E.x = 0, E.%s = %d, P[%d].x = 0, P[%d].%s = %d%s\n",
            between, -n - 1, n, up, -n - 1, n, n, up, -n, h.is_spatial ? ", E.y = 0" : "");
    expect_refusal(&h, extra, "'wrong'");
  }
}

/* Light knots between heavy things: where there are too many of them for a dense solve, the masses are blamed, and no constraint. */
static void masses_may_be_far_apart(void** state) {
  (void)state;
  static const int sizes[] = {2, 9, 40, 100, 1000};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    Text text = {0};
    Moving m;
    write_text(&text,
               "param N = %d\ncoord P[1..N] = (0, 0)\nfor i in 1..N {\n  let w[i] = 10^(6*(-1)^i)\n"
               "  kinetic 1/2*w[i]*P[i]'^2\n  potential %.17g*w[i]*P[i].y\n  start P[i] = (0, -i)\n}\n"
               "constraint top: norm(P[1]) = 1\nfor i in 2..N { constraint link[i]: norm(P[i] - P[i-1]) = 1 }\n",
               sizes[i], GRAVITY);
    ZwStatus status = open_any(&m, text.data);
    if (sizes[i] <= 100) {
      assert_no_error(&m.s);
      assert_int_equal(status, ZW_OK);
      assert_int_equal(m.sim->sets[ZW_LEVEL_ACCELERATION].count, sizes[i]);
    } else {
      assert_int_equal(status, ZW_ERR_MASS);
      assert_non_null(strstr(m.s.diags.list.items[0].text, "too far apart"));
    }
    moving_close(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ropes_hang),
      cmocka_unit_test(nets_hang),
      cmocka_unit_test(trusses_stand),
      cmocka_unit_test(contradictions_are_named),
      cmocka_unit_test(masses_may_be_far_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
