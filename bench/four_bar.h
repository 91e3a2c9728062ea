/* A four-bar of three rods (9 coordinates, 8 constraints), as a model and as C by hand. The factors of its constraints are apart from
 * what is solved with them, for those who project. */
#ifndef ZW_BENCH_FOUR_BAR_H
#define ZW_BENCH_FOUR_BAR_H

#include <math.h>

#define GRAVITY 9.81

enum { RODS = 3, N = 9, PINS = 4 };

static const char text_of_four_bar[] =
    "use planar\n"
    "part ground  = earth()\n"
    "part crank   = rod(1,   (0, 0),     (0.3, 0.4))\n"
    "part coupler = rod(2,   (0.3, 0.4), (1.2, 0.9))\n"
    "part rocker  = rod(1.5, (1.5, 0),   (1.2, 0.9))\n"
    "part left  = pin(ground, crank,   (0, 0))\n"
    "part knee  = pin(crank,  coupler, (0.3, 0.4))\n"
    "part elbow = pin(coupler, rocker, (1.2, 0.9))\n"
    "part right = pin(ground, rocker,  (1.5, 0))\n"
    "start crank.spin = 2\n"
    "run 0 .. 1\n";

#define RIGHT_PIN 1.5 /* the left one is at 0 */

typedef struct FourBar {
  double length[RODS];
  double w[RODS], j[RODS]; /* 1/m, 1/J */
} FourBar;

static inline FourBar four_bar_new(void) {
  static const double masses[RODS] = {1, 2, 1.5};
  FourBar bar = {.length = {0.5, sqrt(0.9 * 0.9 + 0.5 * 0.5), sqrt(0.3 * 0.3 + 0.9 * 0.9)}};
  for (int i = 0; i < RODS; i++) {
    bar.w[i] = 1 / masses[i];
    bar.j[i] = 12 / (masses[i] * bar.length[i] * bar.length[i]);
  }
  return bar;
}

/* Half of each rod. */
typedef struct Halves {
  double c[RODS], s[RODS];
} Halves;

static inline Halves four_bar_halves(const FourBar* bar, const double* q) {
  Halves at;
  for (int i = 0; i < RODS; i++) {
    double half = 0.5 * bar->length[i];
    at.c[i] = half * cos(q[3 * i + 2]);
    at.s[i] = half * sin(q[3 * i + 2]);
  }
  return at;
}

typedef struct Symmetric {
  double xx, xy, yy;
} Symmetric;

static inline Symmetric invert(Symmetric s) {
  double d = 1 / (s.xx * s.yy - s.xy * s.xy);
  return (Symmetric){s.yy * d, -s.xy * d, s.xx * d};
}

static inline Symmetric sum(Symmetric a, Symmetric b) {
  return (Symmetric){a.xx + b.xx, a.xy + b.xy, a.yy + b.yy};
}

typedef struct Factors {
  Symmetric inverse[PINS], other[RODS];
  double t[RODS][4]; /* inverse times other */
} Factors;

/* What remains of the next block behind O I O; all of them symmetric but I O. */
static inline Symmetric eliminate(Symmetric next, Symmetric o, Symmetric inverse, double* t) {
  t[0] = inverse.xx * o.xx + inverse.xy * o.xy;
  t[1] = inverse.xx * o.xy + inverse.xy * o.yy;
  t[2] = inverse.xy * o.xx + inverse.yy * o.xy;
  t[3] = inverse.xy * o.xy + inverse.yy * o.yy;
  return (Symmetric){next.xx - (o.xx * t[0] + o.xy * t[2]), next.xy - (o.xx * t[1] + o.xy * t[3]),
                     next.yy - (o.xy * t[1] + o.yy * t[3])};
}

/* A M^-1 A^T is block tridiagonal, one block of 2 x 2 per pin: ground-crank, crank-coupler, coupler-rocker,
 * rocker-ground. An end of a rod answers a force at the same end by w + j n n^T, at the other one by w - j n n^T, where n is
 * half the rod turned by a right angle. */
static inline void four_bar_factor(const FourBar* bar, const Halves* at, Factors* factors) {
  Symmetric same[RODS], *other = factors->other, *inverse = factors->inverse;
  for (int i = 0; i < RODS; i++) {
    double c = at->c[i], s = at->s[i], w = bar->w[i], j = bar->j[i];
    same[i] = (Symmetric){w + j * s * s, -j * s * c, w + j * c * c};
    other[i] = (Symmetric){w - j * s * s, j * s * c, w - j * c * c};
  }
  for (int i = 1; i < RODS; i++) other[i] = (Symmetric){-other[i].xx, -other[i].xy, -other[i].yy};
  inverse[0] = invert(same[0]);
  inverse[1] = invert(eliminate(sum(same[0], same[1]), other[0], inverse[0], factors->t[0]));
  inverse[2] = invert(eliminate(sum(same[1], same[2]), other[1], inverse[1], factors->t[1]));
  inverse[3] = invert(eliminate(same[2], other[2], inverse[2], factors->t[2]));
}

/* Forces f of the pins with A M^-1 A^T f = r, which is lost. */
static inline void four_bar_solve(const Factors* factors, double r[PINS][2], double f[PINS][2]) {
  const Symmetric *o = factors->other, *inverse = factors->inverse;
  for (int i = 0; i < RODS; i++) {
    const double* t = factors->t[i];
    r[i + 1][0] -= t[0] * r[i][0] + t[2] * r[i][1];
    r[i + 1][1] -= t[1] * r[i][0] + t[3] * r[i][1];
  }
  for (int i = PINS - 1; i >= 0; i--) {
    double x = r[i][0], y = r[i][1];
    if (i < RODS) {
      x -= o[i].xx * f[i + 1][0] + o[i].xy * f[i + 1][1];
      y -= o[i].xy * f[i + 1][0] + o[i].yy * f[i + 1][1];
    }
    f[i][0] = inverse[i].xx * x + inverse[i].xy * y;
    f[i][1] = inverse[i].xy * x + inverse[i].yy * y;
  }
}

/* a = M^-1 A^T f */
static inline void four_bar_move(const FourBar* bar, const Halves* at, double f[PINS][2], double* a) {
  const double *w = bar->w, *j = bar->j, *c = at->c, *s = at->s;
  a[0] = w[0] * (f[0][0] + f[1][0]);
  a[1] = w[0] * (f[0][1] + f[1][1]);
  a[2] = j[0] * (s[0] * (f[0][0] - f[1][0]) - c[0] * (f[0][1] - f[1][1]));
  a[3] = w[1] * (f[2][0] - f[1][0]);
  a[4] = w[1] * (f[2][1] - f[1][1]);
  a[5] = j[1] * (c[1] * (f[1][1] + f[2][1]) - s[1] * (f[1][0] + f[2][0]));
  a[6] = w[2] * (f[3][0] - f[2][0]);
  a[7] = w[2] * (f[3][1] - f[2][1]);
  a[8] = j[2] * (s[2] * (f[2][0] + f[3][0]) - c[2] * (f[2][1] + f[3][1]));
}

static inline void four_bar_accelerate(const FourBar* bar, const double* q, const double* v, double* a) {
  Halves at = four_bar_halves(bar, q);
  const double *c = at.c, *s = at.s, u[RODS] = {v[2] * v[2], v[5] * v[5], v[8] * v[8]};
  double f[PINS][2], r[PINS][2] = {{-c[0] * u[0], GRAVITY - s[0] * u[0]},
                                   {c[0] * u[0] + c[1] * u[1], s[0] * u[0] + s[1] * u[1]},
                                   {c[1] * u[1] - c[2] * u[2], s[1] * u[1] - s[2] * u[2]},
                                   {-c[2] * u[2], GRAVITY - s[2] * u[2]}};
  Factors factors;
  four_bar_factor(bar, &at, &factors);
  four_bar_solve(&factors, r, f);
  four_bar_move(bar, &at, f, a);
  for (int i = 0; i < RODS; i++) a[3 * i + 1] -= GRAVITY;
}

#endif
