/* The chain of the comparison, by hand: uniform rods of length 1 and mass 1, the first one hung up at the origin, all released
 * at 60 degrees from the vertical. Angles count from the vertical. The forces in the joints follow from a symmetric
 * block tridiagonal system, 2 x 2 per joint, so accelerations cost O(rods). */
#ifndef ZW_PEERS_RODS_H
#define ZW_PEERS_RODS_H

#include <math.h>
#include <stdlib.h>

#define RODS_GRAVITY 9.81
#define RODS_ANGLE 1.0471975511965977 /* 60 degrees */

typedef struct Rod {
  double c, s;               /* cosine and sine of its angle */
  double ixx, ixy, iyy;      /* inverse of the pivot block of its upper joint */
  double txx, txy, tyx, tyy; /* pivot^-1 times the block that couples it with the next joint */
  double x, y;               /* force of its upper joint on it */
} Rod;

typedef struct Rods {
  int count;
  Rod* rod; /* count + 1: behind the last joint there is no force */
} Rods;

static inline Rods rods_new(int count) {
  Rods rods = {count, (Rod*)calloc((size_t)count + 1, sizeof(Rod))};
  if (!rods.rod) abort();
  return rods;
}

static inline void rods_free(Rods* rods) {
  free(rods->rod);
}

/* A rod moves at its ends by a unit force on its upper end: 1/m + (l/2)^2/J w w^T above, 1/m - (l/2)^2/J w w^T below, where
 * w = (c, s) is the direction across; 1/m = 1, (l/2)^2/J = 3. */
static inline void rods_factor(Rods* rods, const double* angle) {
  double xx = 0, xy = 0, yy = 0; /* what the rods before leave of the pivot */
  for (int i = 0; i < rods->count; i++) {
    Rod* rod = &rods->rod[i];
    double c = cos(angle[i]), s = sin(angle[i]);
    double exx = 3 * c * c, exy = 3 * c * s, eyy = 3 * s * s;
    double dxx = 1 + exx + xx, dxy = exy + xy, dyy = 1 + eyy + yy;
    double det = dxx * dyy - dxy * dxy;
    rod->c = c, rod->s = s;
    rod->ixx = dyy / det, rod->ixy = -dxy / det, rod->iyy = dxx / det;
    double oxx = exx - 1, oxy = exy, oyy = eyy - 1;
    rod->txx = rod->ixx * oxx + rod->ixy * oxy, rod->txy = rod->ixx * oxy + rod->ixy * oyy;
    rod->tyx = rod->ixy * oxx + rod->iyy * oxy, rod->tyy = rod->ixy * oxy + rod->iyy * oyy;
    xx = 1 + exx - (oxx * rod->txx + oxy * rod->tyx);
    xy = exy - (oxx * rod->txy + oxy * rod->tyy);
    yy = 1 + eyy - (oxy * rod->txy + oyy * rod->tyy);
  }
}

/* Forces of the joints such that the ends that meet are accelerated alike; then angle'' = -6 w . (force above + below). */
static inline void rods_accelerate(Rods* rods, const double* angle, const double* rate, double* acceleration) {
  int count = rods->count;
  rods_factor(rods, angle);
  double below_x = 0, below_y = 0; /* the centripetal part at the end of the rod before */
  for (int i = 0; i < count; i++) {
    Rod* rod = &rods->rod[i];
    double half = 0.5 * rate[i] * rate[i];
    double x = half * rod->s, y = -half * rod->c;
    rod->x = -x - below_x;
    rod->y = -y - below_y + (i == 0 ? RODS_GRAVITY : 0);
    if (i > 0) {
      const Rod* up = rod - 1;
      rod->x -= up->txx * up->x + up->tyx * up->y;
      rod->y -= up->txy * up->x + up->tyy * up->y;
    }
    below_x = x, below_y = y;
  }
  rods->rod[count].x = rods->rod[count].y = 0;
  for (int i = count - 1; i >= 0; i--) {
    Rod *rod = &rods->rod[i], *down = rod + 1;
    double x = rod->ixx * rod->x + rod->ixy * rod->y - (rod->txx * down->x + rod->txy * down->y);
    double y = rod->ixy * rod->x + rod->iyy * rod->y - (rod->tyx * down->x + rod->tyy * down->y);
    rod->x = x, rod->y = y;
    acceleration[i] = -6 * (rod->c * (x + down->x) + rod->s * (y + down->y));
  }
}

/* Centres of the rods: x, y of each. */
static inline void rods_centres(int count, const double* angle, double* centre) {
  double x = 0, y = 0;
  for (int i = 0; i < count; i++) {
    double s = sin(angle[i]), c = cos(angle[i]);
    centre[2 * i] = x + s / 2, centre[2 * i + 1] = y - c / 2;
    x += s, y -= c;
  }
}

#endif
