/* The account of a run's energy from its start to its end: E(t) = E0 + W(t) + what events gave. What is left over is error. */
#ifndef ZW_MOTION_ENERGY_H
#define ZW_MOTION_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

enum { ZW_ENTRIES = 32, ZW_ENTRY_NAME = 128, ZW_SPANS = 32 };

/* What events of one name gave (or took: negative) in all, and how often. */
typedef struct ZwEnergyEntry {
  char name[ZW_ENTRY_NAME];
  double energy;
  int64_t count;
} ZwEnergyEntry;

/* The size of the error over the run, in spans of as many steps each; when there are too many, two become one. */
typedef struct ZwEnvelope {
  double least[ZW_SPANS], most[ZW_SPANS]; /* of |error| */
  int32_t count;                          /* spans that are there, the last one with */
  int64_t filled, length;                 /* so many of so many steps */
  double error, change;                   /* the last one, and by how much it differed from the one before */
  int64_t turns;                          /* how often it began to go the other way */
} ZwEnvelope;

/* The account of one group (equations.h). Its energies are without those constants that terms have at rest everywhere. */
typedef struct ZwEnergyGroup {
  double E, V;       /* at the state measured last: the energy, and that at v = 0, */
  double P, C;       /* v . dL/dv, and the constant that is left out; */
  double by_momenta; /* the kinetic energy from momenta (energy_measure.c) */
  double
      rounding; /* by which E is uncertain, besides rounding of its own size: that of a constant that was taken off it */
  double start, events;      /* E0 - W at the first state with an energy; what events gave so far */
  double last, before;       /* E after the last step or event, and before what happens now */
  double off, t_off;         /* max |E - E0 - W - events| at the ends of steps, and when */
  double off_row, t_off_row; /* the same at rows inside of steps, as far as anybody asks for E there */
  double kinetic;            /* largest E - E(v = 0) */
  double steep;              /* largest v . dE/dv / 2, the same where the inertia does not depend on velocities */
  double moving;             /* largest v . dL/dv / 2, in which nothing is cancelled */
  double potential_least, potential_most; /* E(v = 0) */
  double given;                           /* sum of |what an event gave| */
  double largest;                         /* |E| */
  double least;   /* what all forces do over errors within tolerance, and what such velocities have, at the start */
  double resting; /* what those of the potential do, and such velocities have */
  double rounded; /* what all forces, before they cancel, do over errors that rounding makes of positions */
  double t, kinetic_now, error_now; /* of the state before */
  double time, motion, error;       /* so long, and the integrals of the kinetic energy and of |error| over it */
  double hits,
      hits_off;   /* what contacts that were hit took in this instant; the largest difference to what the energy says */
  bool is_hit;    /* there were some */
  bool is_moved;  /* by a velocity or a force that it has at the start */
  bool is_driven; /* something of it had a velocity, ... */
  bool is_pushed; /* ... or an acceleration, that errors of what holds it would not make */
  double reach;   /* largest sum of what each force of the potential does over the largest value of its coordinate */
  ZwEnvelope envelope;
} ZwEnergyGroup;

typedef struct ZwEnergy {
  bool has_start;  /* there was a state with an energy */
  bool is_missing; /* some state had none, the first at */
  bool is_beyond;  /* that one because its kinetic energy was larger than all numbers */
  double t_missing;
  double events;            /* what they gave so far, to all groups and to constants */
  double work;              /* largest |W| */
  double rest, rest_before; /* the constants of terms without coordinates, now and before what happens now */
  bool is_open, has_before; /* something happens now, and E before it is known */
  bool is_of_contacts;      /* it is only contacts that are hit */
  int64_t happened;         /* events that gave or took something */
  int32_t count;            /* names, at most ZW_ENTRIES: the last one is then for all others */
  ZwEnergyEntry entries[ZW_ENTRIES];
  ZwEnergyGroup* groups;
  int32_t group_count;
  int32_t works; /* the one in which work is done; -1: none */
} ZwEnergy;

struct ZwSim;
struct ZwPass;

/* Which accounts there are: of each group, or one, where a force of the host joins everything. */
void zw_energy_open_groups(struct ZwSim* sim);
/* That of a coordinate. */
int32_t zw_energy_group_of(const struct ZwSim* sim, int32_t coord);

/* At the start, whose forces were evaluated last. */
void zw_energy_begin(struct ZwSim* sim);
/* The energy at the start, or at the end of a step, was measured last, at (t, y); W is the work up to there. */
void zw_energy_record(struct ZwSim* sim, double t, const double* y, double W);
/* The same inside of a step, at a row. */
void zw_energy_record_row(struct ZwSim* sim, double t, double W);
/* The work up to the end of the pending step, to `enough`, which it then holds. */
double zw_work_refine(struct ZwSim* sim, double t_end, double enough);
/* A state without an energy, the one evaluated last. */
void zw_energy_miss(struct ZwSim* sim, double t);

/* Around what happens at one instant, which is called `name`; or around what the host changes, where parameters are others already. */
void zw_energy_open(struct ZwSim* sim);
void zw_energy_open_change(struct ZwSim* sim);
void zw_energy_close(struct ZwSim* sim, const char* name);
/* In between, a contact was hit: what it took, less what its wall gave. */
void zw_energy_impact(struct ZwSim* sim, int32_t contact, double took);

/* ---- energy_measure.c ---- */

/* The energies of all groups at a state, into them, and the sums into sim->scalars. False: they are not finite. */
bool zw_energy_measure(struct ZwSim* sim, double t, const double* y);
/* Where inertia depends on velocities: v . dE/dv / 2 of the groups measured last, at the same state, into their `steep`. */
void zw_energy_measure_steepness(struct ZwSim* sim, double t, const double* y);

/* ---- energy_group.c ---- */

void zw_energy_group_begin(ZwEnergyGroup* group, double t, double W);
/* What is measured is a state of the motion: what moves, and what does not. */
void zw_energy_group_take(ZwEnergyGroup* group);
/* After that: it is that at t, where the work was W. The envelope is for steps of a fixed length, and filled for them. */
void zw_energy_group_record(ZwEnergyGroup* group, double t, double W, bool has_envelope);
/* E - E0 - W - what events gave. */
double zw_energy_group_error(const ZwEnergyGroup* group, double W);

/* What went from one form to another: the largest of kinetic energy, range of the potential, `work`, and what events gave. */
double zw_energy_exchanged(const ZwEnergyGroup* group, double work);
/* The same, but of kinetic energies their mean over time: what is exchanged other than in passing. */
double zw_energy_exchanged_mean(const ZwEnergyGroup* group, double work);
/* The error that stays, as a part of that: at the end, or in the mean over time. Errors up to `least` are none. */
double zw_energy_lasting(const ZwEnergyGroup* group, double work, double least);
/* Errors of velocities and positions, as parts of them, change the energy by about that part of this. */
double zw_energy_steepness(const ZwEnergyGroup* group, double work);
/* The largest number that the account is made of. */
double zw_energy_largest(const ZwEnergyGroup* group, double work);
/* By how much energies evaluated near each other differ by rounding alone. */
double zw_energy_rounding(const ZwEnergyGroup* group, double work);
/* Whether the error has grown over the run instead of swinging: all of the last quarter is above all of the first half. */
bool zw_energy_grows(const ZwEnergyGroup* group);

void zw_energy_visit(struct ZwSim* sim, struct ZwPass* pass);

#endif
