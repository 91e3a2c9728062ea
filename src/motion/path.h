/* A piece of the motion, for those who go along it afterwards, forward or back, with steps of their own. */
#ifndef ZW_MOTION_PATH_H
#define ZW_MOTION_PATH_H

#include "motion/variation.h"

/* A polynomial through states at fixed places: all integrators interpolate by polynomials of degree 7 at most. */
enum { ZW_PATH_NODES = 8 };
typedef struct ZwPath {
  int32_t dim; /* 2 n */
  double t, h;
  double singular; /* where a singular position lies on it; not a number: nowhere */
  bool is_near;    /* one is near, or on it */
  double* nodes;   /* ZW_PATH_NODES x dim */
} ZwPath;

/* x from 0 to 1 */
void zw_path_state(const ZwPath* path, double x, double* y);
/* zw_variation_at a place of it, a little inside of its ends. */
ZwStatus zw_path_vary(ZwSim* sim, ZwVariation* variation, const ZwPath* path, double x);
/* The pending step up to t_end. */
ZwStatus zw_path_record(ZwSim* sim, ZwPath* path, double t_end);

/* ---- steps of one's own, as parts of the path ---- */

/* The middle of the widest gap between the stages of the order-8 pair, in steps: there they go over singular positions. */
#define ZW_SINGULAR_GAP 0.467

/* The part to try, where `next` is wanted and `rest` is left. With a singular position `ahead` (not a number, or not above 0: none) it ends
 * before it, or has it between its stages; 0: there is no way over it. */
double zw_path_part(double next, double rest, double ahead);
/* Whether a part with this error, in units of the tolerance, is accepted, and the next to be wanted. ZW_ERR_STEP: it cannot be shorter. */
ZwStatus zw_path_judge(double part, double error, int order, bool* is_accepted, double* next);

#endif
