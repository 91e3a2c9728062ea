/* L96 section 6 in numbers (T17): when the Lagrangian is the kinetic energy of a Riemannian metric g, its Gibbs function is
 * half of the squared geometric acceleration (proposition 6.1), which is the kinetic energy of the Sasaki metric on TQ less
 * that of g (remark 6.2-1).
 *
 * One side comes from the program: a model that knows only where points are in space, and from it M and h0, the right side
 * without forces, with which G_L = 1/2 a^T M a - h0^T a + 1/2 h0^T M^-1 h0 (5.1). The other side is typed here: g and its
 * derivatives, from them Christoffel symbols, from these the Sasaki metric as a matrix in the coordinates (q, v). */
#include <float.h>

#include "../cross/stages.h"

enum { STATES = 200 };

static const double tol = 1e-14; /* relative to the terms of G */

/* ---- metrics in two coordinates, typed by hand ---- */

typedef struct Metric {
  double g[2][2], dg[2][2][2]; /* dg[k] is the derivative with respect to q_k */
} Metric;

typedef double Symbols[2][2][2]; /* Gamma[i][k][l] */

static const double sphere_r = 1.7, torus_R = 2.3, torus_r = 0.8, m1 = 1.3, m2 = 0.7, l1 = 1.1, l2 = 0.9;

/* polar angle, then longitude */
static Metric sphere(const double* q) {
  double s = sin(q[0]), c = cos(q[0]), rr = sphere_r * sphere_r;
  return (Metric){{{rr, 0}, {0, rr * s * s}}, {{{0, 0}, {0, 2 * rr * s * c}}, {{0}}}};
}

static Metric torus(const double* q) {
  double w = torus_R + torus_r * cos(q[0]);
  return (Metric){{{torus_r * torus_r, 0}, {0, w * w}}, {{{0, 0}, {0, -2 * w * torus_r * sin(q[0])}}, {{0}}}};
}

static Metric double_pendulum(const double* q) {
  double mix = m2 * l1 * l2, c = mix * cos(q[0] - q[1]), s = mix * sin(q[0] - q[1]);
  return (Metric){{{(m1 + m2) * l1 * l1, c}, {c, m2 * l2 * l2}}, {{{0, -s}, {-s, 0}}, {{0, s}, {s, 0}}}};
}

/* Gamma^i_kl = 1/2 g^ij (d_k g_jl + d_l g_jk - d_j g_kl) */
static void find_symbols(const Metric* m, Symbols gamma) {
  double det = m->g[0][0] * m->g[1][1] - m->g[0][1] * m->g[1][0];
  double inverse[2][2] = {{m->g[1][1] / det, -m->g[0][1] / det}, {-m->g[1][0] / det, m->g[0][0] / det}};
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2; k++) {
      for (int l = 0; l < 2; l++) {
        gamma[i][k][l] = 0;
        for (int j = 0; j < 2; j++) {
          gamma[i][k][l] += 0.5 * inverse[i][j] * (m->dg[k][j][l] + m->dg[l][j][k] - m->dg[j][k][l]);
        }
      }
    }
  }
}

/* As textbooks print them. */
static void sphere_symbols(const double* q, Symbols gamma) {
  gamma[0][1][1] = -sin(q[0]) * cos(q[0]);
  gamma[1][0][1] = gamma[1][1][0] = cos(q[0]) / sin(q[0]);
}

static void torus_symbols(const double* q, Symbols gamma) {
  double w = torus_R + torus_r * cos(q[0]);
  gamma[0][1][1] = w * sin(q[0]) / torus_r;
  gamma[1][0][1] = gamma[1][1][0] = -torus_r * sin(q[0]) / w;
}

/* ---- the Sasaki metric ---- */

/* |(u, w)|^2 = |u|_g^2 + |w + Gamma(u, v)|_g^2. With N^i_k = Gamma^i_kl v^l:
 *
 *   [ g + N^T g N   N^T g ]
 *   [     g N         g   ]
 */
static void form_sasaki(const Metric* m, Symbols gamma, const double* v, double S[4][4]) {
  double N[2][2], gN[2][2];
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2; k++) N[i][k] = gamma[i][k][0] * v[0] + gamma[i][k][1] * v[1];
  }
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2; k++) gN[i][k] = m->g[i][0] * N[0][k] + m->g[i][1] * N[1][k];
  }
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 2; k++) {
      S[i][k] = m->g[i][k] + N[0][i] * gN[0][k] + N[1][i] * gN[1][k];
      S[2 + i][k] = gN[i][k];
      S[i][2 + k] = gN[k][i];
      S[2 + i][2 + k] = m->g[i][k];
    }
  }
}

static double determinant(int n, double* X) {
  double det = 1;
  for (int k = 0; k < n; k++) { /* positive definite: no pivoting */
    det *= X[k * n + k];
    for (int i = k + 1; i < n; i++) {
      double part = X[i * n + k] / X[k * n + k];
      for (int j = k; j < n; j++) X[i * n + j] -= part * X[k * n + j];
    }
  }
  return det;
}

static double square_in(int n, const double* X, const double* x) {
  double sum = 0;
  for (int i = 0; i < n * n; i++) sum += x[i / n] * X[i] * x[i % n];
  return sum;
}

/* ---- the program's side ---- */

/* G_L, and in `size` how large its parts are */
static double gibbs_function(const ZwSim* sim, const double* a, double* size) {
  const double *M = sim->M, *h = sim->hL;
  double det = M[0] * M[3] - M[1] * M[2];
  double X[2] = {(M[3] * h[0] - M[1] * h[1]) / det, (M[0] * h[1] - M[2] * h[0]) / det}; /* X_L = M^-1 h0 */
  double parts[3] = {0.5 * square_in(2, M, a), -h[0] * a[0] - h[1] * a[1], 0.5 * square_in(2, M, X)};
  *size = fabs(parts[0]) + fabs(parts[1]) + fabs(parts[2]);
  return parts[0] + parts[1] + parts[2];
}

typedef struct Example {
  const char *name, *text;
  Metric (*metric)(const double* q);
  void (*symbols)(const double* q, Symbols gamma); /* NULL: not in textbooks */
  double low, high;                                /* of the first coordinate */
} Example;

/* The forces must not matter: they are no part of the Gibbs function. */
static const Example examples[] = {
    {"sphere",
     "param r = 1.7\ncoord p = 1, q\nlet X = (r*sin(p)*cos(q), r*sin(p)*sin(q), r*cos(p))\n"
     "kinetic 1/2*X'^2\nforce p = 3 - q'\n",
     sphere, sphere_symbols, 0.3, 2.8},
    {"torus",
     "param R = 2.3, r = 0.8\ncoord p = 1, q\nlet X = ((R + r*cos(p))*cos(q), (R + r*cos(p))*sin(q), r*sin(p))\n"
     "kinetic 1/2*X'^2\nforce q = sin(p)\n",
     torus, torus_symbols, -3, 3},
    {"double pendulum",
     "param m1 = 1.3, m2 = 0.7, l1 = 1.1, l2 = 0.9\ncoord p = 1, q\n"
     "let X = (l1*sin(p), -l1*cos(p)), Y = X + (l2*sin(q), -l2*cos(q))\n"
     "kinetic 1/2*m1*X'^2 + 1/2*m2*Y'^2\nforce p = -p'\n",
     double_pendulum, NULL, -3, 3},
};

static double check_state(const Example* example, ZwSim* sim, Random* random) {
  double q[2] = {example->low + (example->high - example->low) * (0.5 + 0.5 * random_number(random)),
                 3 * random_number(random)};
  double v[2] = {2 * random_number(random), 2 * random_number(random)};
  double a[2] = {5 * random_number(random), 5 * random_number(random)};
  assert_true(zw_eval_acceleration(sim, 0, q, v));
  zw_eval_dense_M(sim);
  double size, G = gibbs_function(sim, a, &size);
  /* the metric is the program's M; its symbols are those of the textbooks */
  Metric m = example->metric(q);
  for (int i = 0; i < 4; i++) assert_near(sim->M[i], m.g[i / 2][i % 2], 1e-14 * largest(4, &m.g[0][0]));
  Symbols gamma, known = {{{0}}};
  find_symbols(&m, gamma);
  if (example->symbols) {
    example->symbols(q, known);
    for (int i = 0; i < 8; i++)
      assert_near((&gamma[0][0][0])[i], (&known[0][0][0])[i], 1e-14 * largest(8, &known[0][0][0]));
  }
  /* 6.1: half of the squared geometric acceleration */
  double geometric[2];
  for (int i = 0; i < 2; i++) {
    geometric[i] = a[i];
    for (int kl = 0; kl < 4; kl++) geometric[i] += gamma[i][kl / 2][kl % 2] * v[kl / 2] * v[kl % 2];
  }
  assert_near(G, 0.5 * square_in(2, &m.g[0][0], geometric), tol * size);
  /* 6.2-1: Sasaki's kinetic energy of (q, v)' = (v, a), less the kinetic energy */
  double S[4][4], rate[4] = {v[0], v[1], a[0], a[1]}, kinetic = 0.5 * square_in(2, &m.g[0][0], v);
  form_sasaki(&m, gamma, v, S);
  double sasaki = 0.5 * square_in(4, &S[0][0], rate), off = fabs(G - (sasaki - kinetic)) / (size + kinetic);
  assert_near(G, sasaki - kinetic, tol * (size + kinetic));
  /* a metric indeed: symmetric, and its volume is that of g twice */
  for (int i = 0; i < 16; i++) assert_near(S[i / 4][i % 4], S[i % 4][i / 4], 1e-15 * largest(16, &S[0][0]));
  double volume = determinant(2, &m.g[0][0]);
  assert_near(determinant(4, &S[0][0]) / (volume * volume), 1, 1e-10);
  /* geodesics have none: a = M^-1 h0 */
  double det = sim->M[0] * sim->M[3] - sim->M[1] * sim->M[2];
  double free[2] = {(sim->M[3] * sim->hL[0] - sim->M[1] * sim->hL[1]) / det,
                    (sim->M[0] * sim->hL[1] - sim->M[2] * sim->hL[0]) / det};
  assert_near(gibbs_function(sim, free, &size), 0, tol * size);
  return off;
}

static void gibbs_function_is_sasaki_energy(void** state) {
  (void)state;
  Random random = random_from(1958);
  for (size_t k = 0; k < sizeof examples / sizeof examples[0]; k++) {
    Stages stages;
    open_stages(&stages, examples[k].name, examples[k].text);
    double worst = 0;
    for (int i = 0; i < STATES; i++) worst = fmax(worst, check_state(&examples[k], stages.sim, &random));
    print_message("%-16s G_L and Sasaki's energy differ by %.2g of their terms at %d states\n", examples[k].name, worst,
                  STATES);
    close_stages(&stages);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gibbs_function_is_sasaki_energy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
