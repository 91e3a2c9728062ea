/* How far two sides of a check are apart: cancellation is no difference, and a wrong sign is one, whatever the units. */
#include "cli/formula.c"

#include "../numbers.h"
#include "base/alloc.h"

/* The mass that is made to follow x' - t y': M = m 1, A = (1, -t), h and b as they are; a by the closed form. r is another unit of length. */
typedef struct Track {
  double m, r, M[4], A[2], h[2], b[1], a0[2], a[2];
} Track;

static Track track(double m, double r) {
  double t = 0.7, X = 1.1, Y = -0.4, b = 0.9;
  Track track = {.m = m, .r = r, .M = {m, 0, 0, m}, .A = {1, -t}, .h = {X, Y}, .b = {b}, .a0 = {X / m, Y / m}};
  double d = (b - (X - t * Y) / m) / (1 + t * t);
  track.a[0] = track.a0[0] + d;
  track.a[1] = track.a0[1] - t * d;
  return track;
}

static bool find(void* context, ZwStr name, Matrix* value) {
  Track* s = context;
  const struct {
    const char* name;
    Matrix value;
  } all[] = {{"M", {2, 2, s->M, NULL}},  {"A", {1, 2, s->A, NULL}},   {"h", {2, 1, s->h, NULL}},
             {"b", {1, 1, s->b, NULL}},  {"a0", {2, 1, s->a0, NULL}}, {"a", {2, 1, s->a, NULL}},
             {"m", {1, 1, &s->m, NULL}}, {"r", {1, 1, &s->r, NULL}}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (!zw_str_equal(name, zw_str_from(all[i].name))) continue;
    *value = all[i].value;
    return true;
  }
  return false;
}

static double apart(Track* s, const char* left, const char* right) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  Matrix sides[2];
  zw_arena_init(&arena, &allocator);
  Formulas formulas = {.arena = &arena, .find = find, .context = s, .reason = ""};
  assert_true(formula_value(&formulas, zw_str_from(left), &sides[0]));
  assert_true(formula_value(&formulas, zw_str_from(right), &sides[1]));
  double difference = formula_apart(&arena, &sides[0], &sides[1], false);
  zw_arena_destroy(&arena);
  return difference;
}

static const double scales[] = {1e-6, 1, 1e6};

/* Left and right are equal; with one sign turned they are not. */
static void a_turned_sign_is_seen_in_all_units(void** state) {
  (void)state;
  static const char* const cases[][3] = {
      {"A*a", "b", "-b"},
      {"A*a - b", "0", "2*b"},
      {"a", "a0 + A^T*(b - A*a0)/(1 + 0.7^2)", "a0 + A^T*(-b - A*a0)/(1 + 0.7^2)"},
      {"a", "a0 + inv(M)*tr(A)*inv(A*inv(M)*tr(A))*(b - A*a0)", "a0 + inv(M)*tr(A)*inv(A*inv(M)*tr(A))*(b + A*a0)"},
      {"a", "a0 + inv(root(M))*pinv(A*inv(root(M)))*(b - A*a0)", "a0 - inv(root(M))*pinv(A*inv(root(M)))*(b - A*a0)"},
      {"dot(a - a0, M*(a - a0))", "(b - A*a0)^2*m/(1 + 0.7^2)", "(b + A*a0)^2*m/(1 + 0.7^2)"},
      {"M*a - h", "m*(a - a0)", "m*(a0 - a)"},
      {"[2, 0.3*r; 0.3*r, 1.5*r^2]*[3, 4/r]", "[7.2, 6.9*r]", "[4.8, 6.9*r]"},
      {"[2, 0.3*r; 0.3*r, 1.5*r^2]", "[4/2, 0.3*r; 0.3*r, 3*r^2/2]", "[4/2, -0.3*r; -0.3*r, 3*r^2/2]"},
      {"inv([2, 0.3*r; 0.3*r, 1.5*r^2])*[3, 4*r]", "[3.3, 7.1/r]/2.91", "[3.3, -7.1/r]/2.91"},
      {"sin((1 + r) - r)", "sin(1)", "-sin(1)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int k = 0; k < 9; k++) {
      Track s = track(scales[k / 3], scales[k % 3]);
      double same = apart(&s, cases[i][0], cases[i][1]), other = apart(&s, cases[i][0], cases[i][2]);
      if (same <= 1e-13 && other > 1e-9) continue;
      fail_msg("%s at m = %g, r = %g: %g from %s, %g from %s", cases[i][0], s.m, s.r, same, cases[i][1], other,
               cases[i][2]);
    }
  }
}

/* What is lost in a difference of large numbers is counted by these. */
static void cancellation_is_no_difference(void** state) {
  (void)state;
  static const char* const cases[][2] = {
      {"(1e8 + 1/3) - 1e8", "1/3"},
      {"[1e8, 1]*tr([1, 1])*[1/3, -1/3]", "[0, 0]"},
      {"norm([1e8 + 1/3, 1] - [1e8, 1])", "1/3"},
      {"sqrt((1e8 + 1/3) - 1e8)", "sqrt(1/3)"},
      {"inv([1e8 + 1/3, 0; 0, 1] - [1e8, 0; 0, 0])", "[3, 0; 0, 1]"},
      {"((1e8 + 1/3) - 1e8)^2", "1/9"},
      {"1/((1e8 + 1/3) - 1e8)", "3"},
  };
  Track s = track(1, 1);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double difference = apart(&s, cases[i][0], cases[i][1]);
    if (!(difference <= 1e-14)) fail_msg("%s is %g from %s", cases[i][0], difference, cases[i][1]);
  }
}

/* Nothing is measured by what has no size. */
static void what_is_not_finite_is_not_equal(void** state) {
  (void)state;
  Track s = track(1, 1);
  assert_true(isnan(apart(&s, "1/0", "1")));
  assert_true(isnan(apart(&s, "1/0", "1/0")));
  assert_true(isnan(apart(&s, "0/0", "0")));
  assert_true(apart(&s, "1e-300", "0") == 1);
  assert_true(apart(&s, "0", "0") == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_turned_sign_is_seen_in_all_units),
      cmocka_unit_test(cancellation_is_no_difference),
      cmocka_unit_test(what_is_not_finite_is_not_equal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
