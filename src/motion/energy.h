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

typedef struct ZwEnergy {
  bool has_start;  /* `start` is E0 - W at the first state with an energy */
  bool is_missing; /* some state had none, the first at */
  double t_missing;
  double start, events; /* E0; what events gave so far */
  double last;          /* E at the last state */
  double off, t_off;    /* max |E - E0 - W - events|, and when */
  double kinetic;       /* largest E - E(v = 0) */
  double steep;         /* largest v . dE/dv / 2, the same where the inertia does not depend on velocities */
  double potential_least, potential_most; /* E(v = 0) */
  double work;                            /* largest |W| */
  double given;                           /* sum of |what an event gave| */
  double largest;                         /* |E| */
  double least;                           /* what all forces do over positions within tolerance, at the start */
  double resting;                         /* what those of the potential do */
  bool is_open, has_before;               /* something happens now, and E before it is known */
  bool is_of_contacts;                    /* it is only contacts that are hit */
  double before;
  double hits;      /* what contacts that were hit took in this instant, and the last of them */
  int32_t hit;      /* -1: none */
  double hits_off;  /* largest difference between that and what the energy says, where only contacts were hit */
  int64_t happened; /* events that gave or took something */
  int32_t count;    /* names, at most ZW_ENTRIES: the last one is then for all others */
  ZwEnergyEntry entries[ZW_ENTRIES];
  ZwEnvelope envelope;
} ZwEnergy;

struct ZwSim;
struct ZwPass;

/* At the start, whose forces were evaluated last: what all of them do over errors of positions that the tolerance allows. */
void zw_energy_begin(struct ZwSim* sim, double least);
/* The energy at the start, or at the end of a step, was evaluated last, at (t, y); W is the work up to there. */
void zw_energy_record(struct ZwSim* sim, double t, const double* y, double W);
/* The work up to the end of the pending step, to `enough`, which it then holds. */
double zw_work_refine(struct ZwSim* sim, double t_end, double enough);
/* A state without an energy. */
void zw_energy_miss(struct ZwSim* sim, double t);

/* Around what happens at one instant, which is called `name`; or around what the host changes, where parameters are others already. */
void zw_energy_open(struct ZwSim* sim);
void zw_energy_open_change(struct ZwSim* sim);
void zw_energy_close(struct ZwSim* sim, const char* name);
/* In between, a contact was hit: what it took, less what its wall gave. */
void zw_energy_impact(struct ZwSim* sim, int32_t contact, double took);

/* What went from one form to another: the largest of kinetic energy, range of the potential, work, and what events gave. */
double zw_energy_exchanged(const ZwEnergy* energy);
/* Errors of velocities and positions, as parts of them, change the energy by about that part of this. */
double zw_energy_steepness(const ZwEnergy* energy);
/* By how much energies evaluated near each other differ by rounding alone. */
double zw_energy_rounding(const ZwEnergy* energy);
/* Whether the error has grown over the run instead of swinging: all of the last quarter is above all of the first half. */
bool zw_energy_grows(const ZwEnergy* energy);

void zw_energy_visit(struct ZwSim* sim, struct ZwPass* pass);

#endif
