/* For machines without AVX2 instructions: every member moves alone. */
#include "motion/group.h"

bool zw_group_is_for(const ZwSim* sim) {
  (void)sim;
  return false;
}

ZwGroup* zw_group_create(const ZwSim* sim) {
  (void)sim;
  return NULL;
}

void zw_group_destroy(ZwGroup* group) {
  (void)group;
}

void zw_group_enter(ZwGroup* group, int place, ZwSim* sim) {
  (void)group;
  (void)place;
  (void)sim;
}

void zw_group_leave(ZwGroup* group, int place) {
  (void)group;
  (void)place;
}

bool zw_group_takes(const ZwGroup* group, int place, double h) {
  (void)group;
  (void)place;
  (void)h;
  return false;
}

ZwPlaces zw_group_attempt(ZwGroup* group, ZwPlaces places, const double* h, double* errors) {
  (void)group;
  (void)places;
  (void)h;
  (void)errors;
  return 0;
}

ZwPlaces zw_group_settle(ZwGroup* group, ZwPlaces places, ZwStepSearch** searches, const double* errors) {
  (void)group;
  (void)places;
  (void)searches;
  (void)errors;
  return 0;
}

ZwPlaces zw_group_emit(ZwGroup* group, ZwPlaces places, ZwProgress** progress, ZwStatus* status) {
  (void)group;
  (void)progress;
  (void)status;
  return places;
}
