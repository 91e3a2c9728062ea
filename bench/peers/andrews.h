/* Andrews' squeezing mechanism by hand, as in the Test Set for Initial Value Problem Solvers: mass matrix, forces, loops and
 * their derivatives in the seven angles beta, theta, gamma, phi, delta, omega, epsilon. */
#ifndef ZW_PEERS_ANDREWS_H
#define ZW_PEERS_ANDREWS_H

#include <math.h>
#include <string.h>

enum { ANDREWS_N = 7, ANDREWS_M = 6 };

typedef struct Andrews {
  double M[ANDREWS_N][ANDREWS_N], F[ANDREWS_N];
  double A[ANDREWS_M][ANDREWS_N], loop[ANDREWS_M];
} Andrews;

#define ANDREWS_END 0.03

static const double andrews_start[ANDREWS_N] = {-0.0617138900142764496, 0,
                                                0.4552798191630703803,  0.2226683901658858847,
                                                0.4873649795438425502,  -0.2226683901658858847,
                                                1.230547444549821192};
/* Accelerations and multipliers at the start; the other ones are 0. */
static const double andrews_start_acceleration[2] = {14222.4439199541138705911625887, -10666.8329399655854029433719415};
static const double andrews_start_multiplier[2] = {98.5668703962410896057654982170, -6.12268834425566265503114393122};
/* The Test Set's angles at the end. */
static const double andrews_end[ANDREWS_N] = {15.81077119629904,   -15.75637105984298, 0.04082224013073101,
                                              -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
                                              1.048080741042263};

/* lengths */
#define ANDREWS_D 0.028
#define ANDREWS_E 0.02
#define ANDREWS_RR 0.007
#define ANDREWS_SS 0.035
#define ANDREWS_U 0.04
#define ANDREWS_ZF 0.02
#define ANDREWS_ZT 0.04

static inline void andrews_masses(Andrews* a, const double* q) {
  const double da = 0.0115, ea = 0.01421, fa = 0.01421, ra = 0.00092, sa = 0.01874, sb = 0.01043, ta = 0.02308,
               tb = 0.00916, ua = 0.01228, ub = 0.00449;
  const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.0705, m6 = 0.00706, m7 = 0.05498;
  const double i1 = 2.194e-6, i2 = 4.41e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7, i7 = 1.912e-5;
  const double ee = ANDREWS_E - ea, ff = ANDREWS_ZF - fa, rr = ANDREWS_RR, zt = ANDREWS_ZT, u = ANDREWS_U;
  memset(a->M, 0, sizeof a->M);
  a->M[0][0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cos(q[1]) + da * da) + i1 + i2;
  a->M[0][1] = a->M[1][0] = m2 * (da * da - da * rr * cos(q[1])) + i2;
  a->M[1][1] = m2 * da * da + i2;
  a->M[2][2] = m3 * (sa * sa + sb * sb) + i3;
  a->M[3][3] = m4 * ee * ee + i4;
  a->M[3][4] = a->M[4][3] = m4 * (ee * ee + zt * ee * sin(q[3])) + i4;
  a->M[4][4] = m4 * (zt * zt + 2 * zt * ee * sin(q[3]) + ee * ee) + m5 * (ta * ta + tb * tb) + i4 + i5;
  a->M[5][5] = m6 * ff * ff + i6;
  a->M[5][6] = a->M[6][5] = m6 * (ff * ff - u * ff * sin(q[5])) + i6;
  a->M[6][6] = m6 * (ff * ff - 2 * u * ff * sin(q[5]) + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7;
}

static inline void andrews_forces(Andrews* a, const double* q, const double* v) {
  const double m2 = 0.00365, m4 = 0.00706, m6 = 0.00706, da = 0.0115, ee = ANDREWS_E - 0.01421,
               ff = ANDREWS_ZF - 0.01421;
  const double sc = 0.018, sd = 0.02, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072, c0 = 4530, l0 = 0.07785;
  const double c = cos(q[2]), s = sin(q[2]);
  const double dx = sd * c + sc * s + xb - xc, dy = sd * s - sc * c + yb - yc, length = hypot(dx, dy);
  const double force = -c0 * (length - l0) / length;
  a->F[0] = 0.033 - m2 * da * ANDREWS_RR * v[1] * (v[1] + 2 * v[0]) * sin(q[1]);
  a->F[1] = m2 * da * ANDREWS_RR * v[0] * v[0] * sin(q[1]);
  a->F[2] = force * (dx * (sc * c - sd * s) + dy * (sd * c + sc * s));
  a->F[3] = m4 * ANDREWS_ZT * ee * v[4] * v[4] * cos(q[3]);
  a->F[4] = -m4 * ANDREWS_ZT * ee * v[3] * (v[3] + 2 * v[4]) * cos(q[3]);
  a->F[5] = -m6 * ANDREWS_U * ff * v[6] * v[6] * cos(q[5]);
  a->F[6] = m6 * ANDREWS_U * ff * v[5] * (v[5] + 2 * v[6]) * cos(q[5]);
}

static inline void andrews_loops(Andrews* a, const double* q) {
  const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273;
  const double d = ANDREWS_D, e = ANDREWS_E, rr = ANDREWS_RR, ss = ANDREWS_SS, u = ANDREWS_U, zf = ANDREWS_ZF,
               zt = ANDREWS_ZT;
  const double cbt = cos(q[0] + q[1]), sbt = sin(q[0] + q[1]), cpd = cos(q[3] + q[4]), spd = sin(q[3] + q[4]);
  const double coe = cos(q[5] + q[6]), soe = sin(q[5] + q[6]), cd = cos(q[4]), sd = sin(q[4]), ce = cos(q[6]),
               se = sin(q[6]);
  const double x = rr * cos(q[0]) - d * cbt, y = rr * sin(q[0]) - d * sbt;
  a->loop[0] = x - ss * sin(q[2]) - xb;
  a->loop[1] = y + ss * cos(q[2]) - yb;
  a->loop[2] = x - e * spd - zt * cd - xa;
  a->loop[3] = y + e * cpd - zt * sd - ya;
  a->loop[4] = x - zf * coe - u * se - xa;
  a->loop[5] = y - zf * soe + u * ce - ya;
  memset(a->A, 0, sizeof a->A);
  for (int k = 0; k < ANDREWS_M; k += 2) {
    a->A[k][0] = -rr * sin(q[0]) + d * sbt, a->A[k][1] = d * sbt;
    a->A[k + 1][0] = rr * cos(q[0]) - d * cbt, a->A[k + 1][1] = -d * cbt;
  }
  a->A[0][2] = -ss * cos(q[2]), a->A[1][2] = -ss * sin(q[2]);
  a->A[2][3] = -e * cpd, a->A[2][4] = -e * cpd + zt * sd;
  a->A[3][3] = -e * spd, a->A[3][4] = -e * spd - zt * cd;
  a->A[4][5] = zf * soe, a->A[4][6] = zf * soe - u * ce;
  a->A[5][5] = -zf * coe, a->A[5][6] = -zf * coe - u * se;
}

#endif
