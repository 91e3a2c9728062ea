/* The four-bar of the comparison, by hand: crank, coupler and rocker are uniform rods of mass 1 per length, the ground is 1
 * long. Angles count from the x axis; it starts with the crank at 1.1, turning at 2, the coupler above. */
#ifndef ZW_PEERS_FOUR_BAR_H
#define ZW_PEERS_FOUR_BAR_H

#include <math.h>

#define FOUR_BAR_GRAVITY 9.81

static const double four_bar_length[3] = {0.35, 0.9, 0.75}; /* crank, coupler, rocker */

/* Angles and rates of crank, coupler and rocker from those of the crank. */
static inline void four_bar_start(double* angle, double* rate) {
  const double* l = four_bar_length;
  angle[0] = 1.1, rate[0] = 2;
  double bx = l[0] * cos(angle[0]), by = l[0] * sin(angle[0]), d = hypot(1 - bx, by);
  angle[1] = atan2(-by, 1 - bx) + acos((l[1] * l[1] + d * d - l[2] * l[2]) / (2 * l[1] * d));
  angle[2] = atan2(by + l[1] * sin(angle[1]), bx + l[1] * cos(angle[1]) - 1);
  /* the knee moves with crank and coupler as with the rocker */
  double det = l[1] * l[2] * sin(angle[1] - angle[2]);
  rate[1] = rate[0] * l[0] * l[2] * sin(angle[2] - angle[0]) / det;
  rate[2] = rate[0] * l[0] * l[1] * sin(angle[1] - angle[0]) / det;
}

static inline void four_bar_centres(const double* angle, double* centre) {
  const double* l = four_bar_length;
  double c[3], s[3];
  for (int i = 0; i < 3; i++) c[i] = l[i] * cos(angle[i]), s[i] = l[i] * sin(angle[i]);
  centre[0] = c[0] / 2, centre[1] = s[0] / 2;
  centre[2] = c[0] + c[1] / 2, centre[3] = s[0] + s[1] / 2;
  centre[4] = 1 + c[2] / 2, centre[5] = s[2] / 2;
}

/* K x = r by elimination with pivots, in place. */
static inline void four_bar_solve(double K[5][5], double* r) {
  for (int k = 0; k < 5; k++) {
    int best = k;
    for (int i = k + 1; i < 5; i++) best = fabs(K[i][k]) > fabs(K[best][k]) ? i : best;
    for (int j = 0; j < 5; j++) {
      double swap = K[k][j];
      K[k][j] = K[best][j], K[best][j] = swap;
    }
    double swap = r[k];
    r[k] = r[best], r[best] = swap;
    for (int i = k + 1; i < 5; i++) {
      double factor = K[i][k] / K[k][k];
      for (int j = k; j < 5; j++) K[i][j] -= factor * K[k][j];
      r[i] -= factor * r[k];
    }
  }
  for (int k = 4; k >= 0; k--) {
    for (int j = k + 1; j < 5; j++) r[k] -= K[k][j] * r[j];
    r[k] /= K[k][k];
  }
}

static inline void four_bar_accelerate(const double* angle, const double* rate, double* acceleration) {
  const double* l = four_bar_length; /* masses too */
  double c[3], s[3], w[3];
  for (int i = 0; i < 3; i++) c[i] = l[i] * cos(angle[i]), s[i] = l[i] * sin(angle[i]), w[i] = rate[i] * rate[i];
  double coupled = l[1] * (c[0] * c[1] + s[0] * s[1]) / 2, bent = l[1] * (s[0] * c[1] - c[0] * s[1]) / 2;
  double K[5][5] = {
      {l[0] * l[0] * l[0] / 3 + l[1] * l[0] * l[0], coupled, 0, -s[0], c[0]},
      {coupled, l[1] * l[1] * l[1] / 3, 0, -s[1], c[1]},
      {0, 0, l[2] * l[2] * l[2] / 3, s[2], -c[2]},
      {-s[0], -s[1], s[2], 0, 0},
      {c[0], c[1], -c[2], 0, 0},
  };
  double r[5] = {
      -bent * w[1] - FOUR_BAR_GRAVITY * (l[0] / 2 + l[1]) * c[0],
      bent * w[0] - FOUR_BAR_GRAVITY * l[1] / 2 * c[1],
      -FOUR_BAR_GRAVITY * l[2] / 2 * c[2],
      c[0] * w[0] + c[1] * w[1] - c[2] * w[2],
      s[0] * w[0] + s[1] * w[1] - s[2] * w[2],
  };
  four_bar_solve(K, r);
  for (int i = 0; i < 3; i++) acceleration[i] = r[i];
}

#endif
