/* Contacts with Coulomb's friction: beside the gap of a contact, one or two rows along which it slips. The rows of all contacts
 * are those of a ZwOneSided; forces p along them change the rows as there, w = w0 + D p. Of each contact, with N the force
 * across the gap and T along the slip,
 *
 *   N >= 0,  w_gap >= 0,  N w_gap = 0,
 *   T = -mu N along                            where it slips already, in the direction `along`,
 *   |T| <= mu N, and w_slip = 0 or T = -mu N w_slip/|w_slip|      where it does not.
 *
 * At accelerations this tells which contacts close, stick and begin to slip; at velocities it is an impact with friction.
 *
 * Slips in one direction make it a linear complementarity problem, which Lemke's method solves (T = sigma - mu N with
 * 0 <= sigma <= 2 mu N). Where two directions are at rest the disc |T| <= mu N is no polygon: then one contact after the other is
 * solved until nothing changes. D may be singular: contacts may repeat each other.
 *
 * With friction there need not be an answer, nor only one (Painleve): a force across the gap then pulls it closed by the
 * friction that it brings. Of contacts that slip that is the case when a principal minor of their matrix
 * D_gap,gap - mu D_gap,slip along is negative. */
#ifndef ZW_LEAST_FRICTION_H
#define ZW_LEAST_FRICTION_H

#include "least/lemke.h"
#include "least/onesided.h"

typedef struct ZwRub {
  int32_t gap, slip,
      dim; /* its rows: that of the gap, the first along the slip, and how many of these; 0: no friction */
  double mu;
  bool is_slipping;
  double along[2]; /* of length one at most */
  /* the answer */
  double N, T[2];
} ZwRub;

typedef struct ZwFriction {
  ZwRub* rubs; /* count: to be filled in by the caller */
  int32_t count;
  double *a, *w; /* n, rows: the answer */
  double* p;     /* rows: the forces */
  int32_t* set;  /* contacts that zw_friction_is_sound found to be unsound, */
  int32_t set_count;

  int32_t n;
  double *size, *E, scale;
  ZwLemke* lemke;
} ZwFriction;

/* Bytes for n coordinates, at most `count` contacts, `rubbing` of them with friction, with at most `rows` rows; and the object
 * placed in them. Its `lemke` has room for count + 2 rubbing + 1 numbers. */
size_t zw_friction_work_size(int32_t n, int32_t count, int32_t rows, int32_t rubbing);
ZwFriction* zw_friction_place(void* memory, int32_t n, int32_t count, int32_t rows, int32_t rubbing);

/* Solves for the rows that `rows` was prepared with. ZW_ERR_INCONSISTENT: no forces were found. */
ZwStatus zw_friction_solve(ZwFriction* friction, const ZwOneSided* rows);

/* Do the contacts that slip determine their forces? If not, friction->set names those that do not. */
bool zw_friction_is_sound(ZwFriction* friction, const ZwOneSided* rows);

#endif
