/* Elements that differ only in what they read share a shape; everything else keeps its own. */
#include "equations/equations.h"

#include "model/stages.h"

/* A chain of n links in absolute coordinates, written out. */
static char* chain_text(int n) {
  char *text = malloc((size_t)n * 260 + 200), *at = text;
  at += sprintf(at, "param m = 1, l = 1, g = 9.81\ncoord x0, y0");
  for (int i = 1; i < n; i++) at += sprintf(at, ", x%d, y%d", i, i);
  at += sprintf(at, "\nconstraint x0^2 + y0^2 = l^2\n");
  for (int i = 0; i < n; i++) {
    at += sprintf(at, "kinetic 1/2*m*(x%d'^2 + y%d'^2)\npotential m*g*y%d\n", i, i, i);
    if (i) at += sprintf(at, "constraint (x%d - x%d)^2 + (y%d - y%d)^2 = l^2\n", i, i - 1, i, i - 1);
  }
  return text;
}

static void thousand_links_have_the_shapes_of_ten(void** state) {
  (void)state;
  const int sizes[] = {10, 1000};
  for (int k = 0; k < 2; k++) {
    int n = sizes[k];
    char* text = chain_text(n);
    Stages s;
    assert_int_equal(stages_derive(&s, text), ZW_OK);
    const ZwEquations* e = &s.equations;
    assert_int_equal(e->n, 2 * n);
    assert_int_equal(e->m, n);
    assert_int_equal(e->shapes.count, 4); /* pin, v^2, weight, link */
    int32_t instances = 0;
    for (int32_t i = 0; i < e->shapes.count; i++) instances += e->shapes.items[i].count;
    assert_int_equal(instances, 1 + 2 * n + n + n - 1);
    stages_close(&s);
    free(text);
  }
}

/* Number of shapes of a model over coordinates x y z u and parameters a b c. */
static int32_t shapes_of(const char* statements) {
  char text[600];
  snprintf(text, sizeof text, "param a = 1, b = 2, c = 3\ncoord x, y, z, u\n%s", statements);
  Stages s;
  stages_derive(&s, text);
  assert_no_error(&s);
  int32_t count = s.equations.shapes.count;
  stages_close(&s);
  return count;
}

static void coordinates_parameters_and_plain_numbers_do_not_matter(void** state) {
  (void)state;
  assert_int_equal(shapes_of("constraint x*y = a\nconstraint z*u = b\n"), 1);
  assert_int_equal(shapes_of("constraint x*y = 2.5\nconstraint z*u = 3.7\n"), 1);
  assert_int_equal(shapes_of("constraint x*y = a\nconstraint z*u = 3.7\n"), 1); /* a parameter is a number too */
  assert_int_equal(shapes_of("output o = sin(a*x) + 2.5\noutput p = sin(b*z) + 9.25\n"), 1);
}

static void structure_does_matter(void** state) {
  (void)state;
  assert_int_equal(shapes_of("constraint x*y = a\nconstraint z + u = b\n"), 2);
  assert_int_equal(shapes_of("constraint x*y = a\nconstraint z*z = b\n"), 2); /* the same coordinate twice */
  assert_int_equal(shapes_of("constraint x^2 = a\nconstraint y^3 = b\n"), 2); /* exponents steer derivatives */
  assert_int_equal(shapes_of("constraint x^2.5 = a\nconstraint y^3.5 = b\n"), 2);
  assert_int_equal(shapes_of("constraint 2*x = a\nconstraint 3*y = b\n"), 2); /* small whole numbers steer folding */
  assert_int_equal(shapes_of("constraint x = a\nconstraint y' = b\n"), 2);    /* another level */
  assert_int_equal(shapes_of("constraint x = a\noutput o = y - b\n"), 2);     /* another kind */
  assert_int_equal(shapes_of("force x = a*y\nforce y = a*y\n"), 2); /* works on another coordinate than it reads */
}

static void forces_share_by_value_and_rate(void** state) {
  (void)state;
  assert_int_equal(shapes_of("force x = a\nforce y = b\n"), 1);
  assert_int_equal(shapes_of("force x^2 = a\nforce y = b\n"), 2);
}

/* Every instance must lead back to its own coordinates, values and row. */
static void instances_know_what_they_stand_for(void** state) {
  (void)state;
  Stages s;
  stages_derive(&s,
                "param a = 1, b = 2\ncoord x, y, z\n"
                "constraint p: x*y = a\nconstraint q: z*x = 7.5\noutput o = x\noutput r = z\n");
  assert_no_error(&s);
  const ZwEquations* e = &s.equations;
  assert_int_equal(e->shapes.count, 2);
  const ZwShape* shape = &e->shapes.items[0];
  assert_int_equal(shape->count, 2);
  assert_int_equal(shape->coords, 2);
  assert_int_equal(shape->slots, 1);
  const int32_t coords[] = {0, 1, 2, 0};
  for (int i = 0; i < 4; i++) assert_int_equal(shape->instance_coords.items[i], coords[i]);
  assert_int_equal(shape->instance_slots.items[0], 0); /* a */
  assert_int_equal(shape->instance_slots.items[1], 2); /* the first literal behind the two parameters */
  assert_true(e->literals.items[0] == 7.5);
  assert_int_equal(shape->instance_rows.items[0], 0);
  assert_int_equal(shape->instance_rows.items[1], 1);
  assert_int_equal(e->shapes.items[1].instance_rows.items[1], 1); /* the second output */
  assert_int_equal(e->output_count, 2);
  assert_int_equal(e->pieces.items[shape->instance_pieces.items[1]].term, 1);
  stages_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thousand_links_have_the_shapes_of_ten),
      cmocka_unit_test(coordinates_parameters_and_plain_numbers_do_not_matter),
      cmocka_unit_test(structure_does_matter),
      cmocka_unit_test(forces_share_by_value_and_rate),
      cmocka_unit_test(instances_know_what_they_stand_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
